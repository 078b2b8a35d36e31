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
        "reports",
        sa.Column("report_id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("attempt_id", sa.String(), nullable=False),
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=True),
        sa.Column("output_tokens", sa.Integer(), nullable=True),
        sa.Column("turns", sa.Integer(), nullable=True),
        sa.Column("duration_ms", sa.Integer(), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("reported_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("report_id"),
        sa.UniqueConstraint("agent_id", "run_id"),
        sa.UniqueConstraint("attempt_id"),
    )
    op.create_index(op.f("ix_reports_task_id"), "reports", ["task_id"], unique=False)
    op.create_index("reports_of_owner", "reports", ["owner", "reported_at", "report_id"], unique=False)
