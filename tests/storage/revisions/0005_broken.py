"""Fails when it has changed something already."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("thing", sa.Column("lost", sa.Integer()))
    op.execute("INSERT INTO nowhere VALUES ('a secret')")
