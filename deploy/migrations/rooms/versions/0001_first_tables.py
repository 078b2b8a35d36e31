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
        "device",
        sa.Column("device_id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("device_id"),
    )
    op.create_table(
        "project",
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("team", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("last_number", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("slug"),
    )
    op.create_table(
        "formervalue",
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("provenance", sa.String(), nullable=False),
        sa.Column("updated_by", sa.String(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("memory_keys", JsonValue(), nullable=False),
        sa.Column("proposal_id", sa.String(), nullable=True),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("ended_by", sa.String(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project"],
            ["project.slug"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_formervalue_project"), "formervalue", ["project"], unique=False)
    op.create_table(
        "linkedagent",
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("device_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"],
            ["device.device_id"],
        ),
        sa.PrimaryKeyConstraint("agent", "device_id"),
    )
    op.create_index(op.f("ix_linkedagent_device_id"), "linkedagent", ["device_id"], unique=False)
    op.create_table(
        "linkedproject",
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("device_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"],
            ["device.device_id"],
        ),
        sa.PrimaryKeyConstraint("project", "device_id"),
    )
    op.create_index(op.f("ix_linkedproject_device_id"), "linkedproject", ["device_id"], unique=False)
    op.create_table(
        "member",
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("display_name", sa.String(), nullable=False),
        sa.Column("joined_at", UtcDateTime(), nullable=False),
        sa.Column("removed_at", UtcDateTime(), nullable=True),
        sa.Column("rejoins", sa.Integer(), nullable=False),
        sa.Column("name_version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project"],
            ["project.slug"],
        ),
        sa.PrimaryKeyConstraint("project", "address"),
    )
    op.create_index(op.f("ix_member_address"), "member", ["address"], unique=False)
    op.create_table(
        "memoryentry",
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("provenance", sa.String(), nullable=False),
        sa.Column("updated_by", sa.String(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("memory_keys", JsonValue(), nullable=False),
        sa.Column("proposal_id", sa.String(), nullable=True),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project"],
            ["project.slug"],
        ),
        sa.PrimaryKeyConstraint("project", "key"),
    )
    op.create_table(
        "message",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("author_name", sa.String(), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("mentions", JsonValue(), nullable=False),
        sa.Column("provenance", sa.String(), nullable=True),
        sa.Column("in_reply_to", sa.String(), nullable=True),
        sa.Column("task_id", sa.String(), nullable=True),
        sa.Column("is_task_request", sa.Boolean(), nullable=False),
        sa.Column("held", sa.Boolean(), nullable=False),
        sa.Column("released_at", UtcDateTime(), nullable=True),
        sa.Column("memory_keys", JsonValue(), nullable=True),
        sa.Column("chain", JsonValue(), nullable=True),
        sa.Column("redacted_by", sa.String(), nullable=True),
        sa.Column("redacted_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project"],
            ["project.slug"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("project", "number"),
    )
    op.create_index(
        "task_requests",
        "message",
        ["task_id"],
        unique=True,
        sqlite_where=sa.text("is_task_request"),
        postgresql_where=sa.text("is_task_request"),
    )
    op.create_table(
        "proposal",
        sa.Column("proposal_id", sa.String(), nullable=False),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("proposed_by", sa.String(), nullable=False),
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("result_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("approved_value", sa.String(), nullable=True),
        sa.Column("decided_by", sa.String(), nullable=True),
        sa.Column("decided_at", UtcDateTime(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["project"],
            ["project.slug"],
        ),
        sa.PrimaryKeyConstraint("proposal_id"),
        sa.UniqueConstraint("result_id", "position"),
    )
    op.create_index(op.f("ix_proposal_project"), "proposal", ["project"], unique=False)
