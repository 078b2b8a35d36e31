"""Changes a column, for which SQLite makes the table anew."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    with op.batch_alter_table("thing") as thing:
        thing.alter_column("name", type_=sa.Text(), existing_nullable=False)
