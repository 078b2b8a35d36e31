"""The tables that Prickle began with."""

import sqlalchemy as sa
from alembic import op

from libs.storage import JsonValue, UtcDateTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "answers",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("argument_hash", sa.Text(), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index(op.f("ix_answers_expires_at"), "answers", ["expires_at"], unique=False)
    op.create_table(
        "dead_letters",
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("body", JsonValue(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("deliveries", sa.Integer(), nullable=False),
        sa.Column("died_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("event_id"),
    )
    op.create_table(
        "mailbox_entries",
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("project", sa.Text(), nullable=True),
        sa.Column("task_id", sa.Text(), nullable=True),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("body", JsonValue(), nullable=False),
        sa.PrimaryKeyConstraint("recipient", "number"),
    )
    op.create_index("mailbox_entries_at", "mailbox_entries", ["at"], unique=False)
    op.create_table(
        "mailbox_positions",
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("recipient", "tool"),
    )
    op.create_table(
        "mailboxes",
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        sa.Column("floor", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("recipient"),
    )
    op.create_table(
        "outbox",
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("body", JsonValue(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("sent_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("event_id"),
    )
    op.create_index(op.f("ix_outbox_created_at"), "outbox", ["created_at"], unique=False)
    op.create_index(op.f("ix_outbox_sent_at"), "outbox", ["sent_at"], unique=False)
    op.create_table(
        "installation",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("epoch", sa.String(), nullable=False),
        sa.Column("cursor_key", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "keys",
        sa.Column("key_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("project", sa.String(), nullable=True),
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=True),
        sa.Column("last_used_at", UtcDateTime(), nullable=True),
        sa.Column("revoked_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("key_id"),
        sa.UniqueConstraint("token_sha256"),
    )
    op.create_index(op.f("ix_keys_subject"), "keys", ["subject"], unique=False)
    op.create_table(
        "teams",
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("slug"),
    )
    op.create_table(
        "people",
        sa.Column("handle", sa.String(), nullable=False),
        sa.Column("team", sa.String(), nullable=False),
        sa.Column("display_name", sa.String(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("removed_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["team"],
            ["teams.slug"],
        ),
        sa.PrimaryKeyConstraint("handle"),
    )
    op.create_index(op.f("ix_people_team"), "people", ["team"], unique=False)
    op.create_table(
        "agents",
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("display_name", sa.String(), nullable=False),
        sa.Column("capabilities", JsonValue(), nullable=False),
        sa.Column("takes_tasks_from", sa.String(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("removed_at", UtcDateTime(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner"],
            ["people.handle"],
        ),
        sa.PrimaryKeyConstraint("agent_id"),
    )
    op.create_index(op.f("ix_agents_owner"), "agents", ["owner"], unique=False)
    op.create_table(
        "devices",
        sa.Column("device_id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("agents", JsonValue(), nullable=False),
        sa.Column("projects", JsonValue(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("removed_at", UtcDateTime(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner"],
            ["people.handle"],
        ),
        sa.PrimaryKeyConstraint("device_id"),
    )
    op.create_index(op.f("ix_devices_owner"), "devices", ["owner"], unique=False)
