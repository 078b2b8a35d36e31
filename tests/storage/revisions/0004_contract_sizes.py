"""Contracts: the column that no code uses any more."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    with op.batch_alter_table("thing") as thing:
        thing.drop_index("things_by_size")
        thing.drop_column("size")
