"""Expands: a column that the code before does not know."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    with op.batch_alter_table("thing") as thing:
        thing.add_column(sa.Column("size", sa.Integer(), nullable=False, server_default="1"))
        thing.create_index("things_by_size", ["size"])
