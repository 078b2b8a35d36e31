"""What a page of updates means to a runner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prickle.runner.journal import Offer


def offer_of(update: Mapping[str, Any]) -> Offer | None:
    """The task or discussion that an update offers; None where it offers none."""
    if update["kind"] == "task_requested":
        return _task(update)
    return _discussion(update) if update["kind"] == "discussion" else None


def cancelled_task(update: Mapping[str, Any]) -> str | None:
    """The task whose run must end."""
    task_id: str | None = update["task"]["task_id"] if update["kind"] == "cancel_requested" else None
    return task_id


def _task(update: Mapping[str, Any]) -> Offer:
    task = update["task"]
    return Offer(
        kind="task",
        subject=task["task_id"],
        agent_id=task["assignee"],
        project=task["project"],
        title=task["title"],
        branch=task["branch"],
        requester=task["requester"],
        at=update["at"],
    )


def _discussion(update: Mapping[str, Any]) -> Offer:
    message = update["message"]
    author = message["author"]
    return Offer(
        kind="discussion",
        subject=message["id"],
        agent_id=update["agent_id"],
        project=message["project"],
        title=f"a message of {author.get('agent_id') or author['handle']}",
        branch=None,
        requester=author.get("agent_id") or author["handle"],
        at=update["at"],
    )
