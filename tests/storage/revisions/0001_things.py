"""The tables of `tests.storage.things`, and one that refers to them."""

import sqlalchemy as sa
from alembic import op

from libs.storage import JsonValue, UtcDateTime

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "thing",
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("at", UtcDateTime()),
        sa.Column("value", JsonValue()),
    )
    op.create_table("label", sa.Column("thing", sa.String(), sa.ForeignKey("thing.name"), primary_key=True))
