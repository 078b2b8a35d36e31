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
        "boards",
        sa.Column("team", sa.String(), nullable=False),
        sa.Column("last_number", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("team"),
    )
    op.create_table(
        "clearings",
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("answer", JsonValue(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("message_id"),
    )
    op.create_index(op.f("ix_clearings_at"), "clearings", ["at"], unique=False)
    op.create_table(
        "holds",
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("attempt_id", sa.String(), nullable=False),
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.Column("is_run", sa.Boolean(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("task_id"),
    )
    op.create_index(op.f("ix_holds_agent_id"), "holds", ["agent_id"], unique=False)
    op.create_table(
        "intents",
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("paths", JsonValue(), nullable=False),
        sa.Column("areas", JsonValue(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("agent_id", "project"),
    )
    op.create_index(op.f("ix_intents_project"), "intents", ["project"], unique=False)
    op.create_table(
        "leases",
        sa.Column("lease_id", sa.String(), nullable=False),
        sa.Column("folded_id", sa.String(), nullable=False),
        sa.Column("team", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("repository_id", sa.String(), nullable=True),
        sa.Column("holder", sa.String(), nullable=True),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("granted_at", UtcDateTime(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.Column("expected_end", UtcDateTime(), nullable=True),
        sa.Column("reserved", sa.Boolean(), nullable=False),
        sa.Column("former", JsonValue(), nullable=False),
        sa.PrimaryKeyConstraint("lease_id"),
    )
    op.create_index(op.f("ix_leases_expires_at"), "leases", ["expires_at"], unique=False)
    op.create_index(op.f("ix_leases_folded_id"), "leases", ["folded_id"], unique=False)
    op.create_index(op.f("ix_leases_holder"), "leases", ["holder"], unique=False)
    op.create_index(op.f("ix_leases_team"), "leases", ["team"], unique=False)
    op.create_table(
        "parks",
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("team", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("needs", sa.String(), nullable=False),
        sa.Column("clear_by", sa.String(), nullable=True),
        sa.Column("resume", sa.String(), nullable=False),
        sa.Column("parked_at", UtcDateTime(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("agent_id"),
    )
    op.create_index(op.f("ix_parks_team"), "parks", ["team"], unique=False)
    op.create_table(
        "project_turns",
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("taken", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("project"),
    )
    op.create_table(
        "reports",
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("availability", sa.String(), nullable=True),
        sa.Column("doing", sa.String(), nullable=False),
        sa.Column("task_id", sa.String(), nullable=True),
        sa.Column("branch", sa.String(), nullable=True),
        sa.Column("files", JsonValue(), nullable=False),
        sa.Column("last_decision", sa.String(), nullable=True),
        sa.Column("failed_step", sa.String(), nullable=True),
        sa.Column("failed_at", UtcDateTime(), nullable=True),
        sa.Column("reported_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("agent_id", "project"),
    )
    op.create_table(
        "rows",
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("team", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("task", sa.String(), nullable=False),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("children", JsonValue(), nullable=False),
        sa.Column("expected_end", UtcDateTime(), nullable=True),
        sa.Column("updated_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("agent_id"),
    )
    op.create_index(op.f("ix_rows_team"), "rows", ["team"], unique=False)
    op.create_table(
        "sightings",
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("seen_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("agent_id"),
    )
    op.create_table(
        "waiters",
        sa.Column("lease_id", sa.String(), nullable=False),
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("team", sa.String(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("expect", sa.Integer(), nullable=True),
        sa.Column("since", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("lease_id", "agent_id"),
    )
    op.create_index(op.f("ix_waiters_agent_id"), "waiters", ["agent_id"], unique=False)
