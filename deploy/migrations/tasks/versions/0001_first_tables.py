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
        "assignees", sa.Column("agent_id", sa.String(), nullable=False), sa.PrimaryKeyConstraint("agent_id")
    )
    op.create_table(
        "devices",
        sa.Column("device_id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("agents", JsonValue(), nullable=False),
        sa.Column("projects", JsonValue(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("device_id"),
    )
    op.create_index(op.f("ix_devices_owner"), "devices", ["owner"], unique=False)
    op.create_table(
        "discussions",
        sa.Column("discussion_id", sa.String(), nullable=False),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("device_id", sa.String(), nullable=False),
        sa.Column("idempotency_key", sa.String(), nullable=False),
        sa.Column("token_sha256", sa.String(), nullable=False),
        sa.Column("claimed_at", UtcDateTime(), nullable=False),
        sa.Column("expires_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.Column("ending", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("discussion_id"),
        sa.UniqueConstraint("device_id", "idempotency_key"),
        sa.UniqueConstraint("token_sha256"),
    )
    op.create_index(op.f("ix_discussions_agent_id"), "discussions", ["agent_id"], unique=False)
    op.create_index(op.f("ix_discussions_message_id"), "discussions", ["message_id"], unique=False)
    op.create_index(
        "one_live_discussion",
        "discussions",
        ["message_id"],
        unique=True,
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    op.create_table(
        "tasks",
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("project_owner", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("requester", sa.String(), nullable=False),
        sa.Column("requester_owner", sa.String(), nullable=False),
        sa.Column("assignee", sa.String(), nullable=False),
        sa.Column("assignee_owner", sa.String(), nullable=False),
        sa.Column("attempt_id", sa.String(), nullable=True),
        sa.Column("attempts_used", sa.Integer(), nullable=False),
        sa.Column("branch", sa.String(), nullable=True),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("decision", sa.String(), nullable=True),
        sa.Column("note", sa.String(), nullable=True),
        sa.Column("message_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("task_id"),
    )
    op.create_index("tasks_by_assignee", "tasks", ["assignee", "created_at"], unique=False)
    op.create_index("tasks_by_assignee_owner", "tasks", ["assignee_owner", "created_at"], unique=False)
    op.create_index("tasks_by_project_owner", "tasks", ["project_owner", "state"], unique=False)
    op.create_index("tasks_by_requester", "tasks", ["requester", "created_at"], unique=False)
    op.create_index("tasks_by_requester_owner", "tasks", ["requester_owner", "created_at"], unique=False)
    op.create_index(
        "untaken_tasks_by_due_date",
        "tasks",
        ["due_at"],
        unique=False,
        sqlite_where=sa.text("state IN ('awaiting_owner', 'requested')"),
        postgresql_where=sa.text("state IN ('awaiting_owner', 'requested')"),
    )
    op.create_table(
        "attempts",
        sa.Column("attempt_id", sa.String(), nullable=False),
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("deadline", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.Column("ending", sa.String(), nullable=True),
        sa.Column("ended_by", sa.String(), nullable=True),
        sa.Column("device_id", sa.String(), nullable=True),
        sa.Column("idempotency_key", sa.String(), nullable=True),
        sa.Column("token_sha256", sa.String(), nullable=True),
        sa.Column("expires_at", UtcDateTime(), nullable=True),
        sa.Column("cause", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["task_id"],
            ["tasks.task_id"],
        ),
        sa.PrimaryKeyConstraint("attempt_id"),
        sa.UniqueConstraint("device_id", "idempotency_key"),
        sa.UniqueConstraint("token_sha256"),
    )
    op.create_index(op.f("ix_attempts_task_id"), "attempts", ["task_id"], unique=False)
    op.create_index(
        "live_deadlines",
        "attempts",
        ["deadline"],
        unique=False,
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    op.create_index(
        "live_runs",
        "attempts",
        ["device_id"],
        unique=False,
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    op.create_index(
        "one_live_attempt",
        "attempts",
        ["task_id"],
        unique=True,
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )
    op.create_table(
        "packets",
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("objective", sa.String(), nullable=False),
        sa.Column("acceptance", JsonValue(), nullable=False),
        sa.Column("evidence", JsonValue(), nullable=False),
        sa.Column("memory", JsonValue(), nullable=False),
        sa.Column("messages", JsonValue(), nullable=False),
        sa.Column("files", JsonValue(), nullable=False),
        sa.Column("branch", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["task_id"],
            ["tasks.task_id"],
        ),
        sa.PrimaryKeyConstraint("task_id"),
    )
    op.create_table(
        "requests",
        sa.Column("request_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("task_id", sa.String(), nullable=True),
        sa.Column("asked_by", sa.String(), nullable=False),
        sa.Column("awaits", sa.String(), nullable=False),
        sa.Column("awaits_owner", sa.String(), nullable=False),
        sa.Column("what", sa.String(), nullable=False),
        sa.Column("why", sa.String(), nullable=True),
        sa.Column("options", JsonValue(), nullable=True),
        sa.Column("for_seconds", sa.Integer(), nullable=True),
        sa.Column("blocks", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("answer", sa.String(), nullable=True),
        sa.Column("decided_by", sa.String(), nullable=True),
        sa.Column("expires_at", UtcDateTime(), nullable=True),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("told_in", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(
            ["task_id"],
            ["tasks.task_id"],
        ),
        sa.PrimaryKeyConstraint("request_id"),
    )
    op.create_index(op.f("ix_requests_task_id"), "requests", ["task_id"], unique=False)
    op.create_index("requests_by_answerer", "requests", ["awaits", "status"], unique=False)
    op.create_index("requests_by_answerers_owner", "requests", ["awaits_owner", "status"], unique=False)
    op.create_index("requests_by_asker", "requests", ["asked_by", "status"], unique=False)
    op.create_table(
        "checkpoints",
        sa.Column("checkpoint_id", sa.String(), nullable=False),
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("attempt_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("summary", sa.String(), nullable=False),
        sa.Column("progress", sa.Integer(), nullable=True),
        sa.Column("branch", sa.String(), nullable=True),
        sa.Column("commit", sa.String(), nullable=True),
        sa.Column("files", JsonValue(), nullable=True),
        sa.Column("next", sa.String(), nullable=True),
        sa.Column("blocked_on", sa.String(), nullable=True),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt_id"],
            ["attempts.attempt_id"],
        ),
        sa.ForeignKeyConstraint(
            ["task_id"],
            ["tasks.task_id"],
        ),
        sa.PrimaryKeyConstraint("checkpoint_id"),
    )
    op.create_index(op.f("ix_checkpoints_task_id"), "checkpoints", ["task_id"], unique=False)
    op.create_table(
        "results",
        sa.Column("result_id", sa.String(), nullable=False),
        sa.Column("task_id", sa.String(), nullable=False),
        sa.Column("attempt_id", sa.String(), nullable=False),
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("summary", sa.String(), nullable=False),
        sa.Column("evidence", JsonValue(), nullable=False),
        sa.Column("memory_proposals", JsonValue(), nullable=False),
        sa.Column("returned_at", UtcDateTime(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=True),
        sa.Column("reviewed_by", sa.String(), nullable=True),
        sa.Column("review_note", sa.String(), nullable=True),
        sa.Column("reviewed_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["attempt_id"],
            ["attempts.attempt_id"],
        ),
        sa.ForeignKeyConstraint(
            ["task_id"],
            ["tasks.task_id"],
        ),
        sa.PrimaryKeyConstraint("result_id"),
    )
    op.create_index(op.f("ix_results_task_id"), "results", ["task_id"], unique=False)
