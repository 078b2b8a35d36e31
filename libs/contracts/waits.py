"""Waits: what the gateway answers when something for the caller happens, or when the time is up."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from libs.contracts.base import Data, View, absent
from libs.contracts.pulse import Lease, Overlap, Park
from libs.contracts.rooms import MemoryEntry, Message
from libs.contracts.tasks import Checkpoint, Request, Result, Task
from libs.contracts.types import AgentAddress, Cursor, Slug, Time

UpdateKind = Literal[
    "mention",
    "memory_changed",
    "task_requested",
    "task_updated",
    "checkpoint",
    "result_returned",
    "result_reviewed",
    "cancel_requested",
    "discussion",
    "request_opened",
    "request_decided",
    "pulse_overlap",
    "lease_granted",
    "park_cleared",
]


class Wait(Data):
    """What the inputs of all waits share."""

    project: Slug | None = absent("Only what happens in this project; by default in all of yours.")
    cursor: Cursor | None = absent(
        "The next_cursor of the former call with the same filters: it acknowledges what that call returned. "
        "Leave it out in the first call to start where you last acknowledged."
    )
    timeout_seconds: int = Field(
        default=25, ge=0, description="How long to wait at most; 0 answers at once, more than 50 counts as 50."
    )
    limit: int = Field(
        default=20, ge=1, le=50, description="How many to return at most; the rest stays for the next call."
    )


class WaitForMention(Wait):
    """The input of wait_for_mention."""


class WaitForUpdates(Wait):
    """The input of wait_for_updates."""

    kinds: Annotated[list[UpdateKind], Field(min_length=1)] | None = absent("Only these kinds; by default all.")


class Waited(View):
    """What the outputs of all waits share."""

    next_cursor: str = Field(description="Pass it as cursor in the next call, also after a timeout.")
    timed_out: bool = Field(description="Whether the wait ended with nothing to return: call again.")
    effective_timeout_seconds: int = Field(description="The timeout that was applied.")
    resync: bool | None = absent(
        "True when updates before these may be missing: read the rooms and the inbox again to be sure."
    )
    retry_after_seconds: int | None = absent("Wait so long before calling again.")


class Mentions(Waited):
    """The output of wait_for_mention."""

    mentions: list[Message] = Field(description="Messages that mention you, oldest first.")


class Update(View):
    """One thing that happened, with the one object that its kind names."""

    kind: UpdateKind = Field(description="What happened.")
    project: Slug | None = Field(description="The project it happened in.")
    at: Time = Field(description="When it happened.")
    message: Message | None = absent("The message that mentions you (mention) or a linked agent (discussion).")
    agent_id: AgentAddress | None = absent("The linked agent that a discussion or task concerns (devices).")
    entry: MemoryEntry | None = absent("The memory entry as it is now, or last was (memory_changed).")
    removed: bool | None = absent("True when the entry was taken out of memory (memory_changed).")
    task: Task | None = absent("The task as it was then (task_…, result_… and cancel_requested).")
    checkpoint: Checkpoint | None = absent("The checkpoint that was made (checkpoint).")
    result: Result | None = absent("The result (result_returned, result_reviewed).")
    request: Request | None = absent("The request to answer (request_opened), or with its answer (request_decided).")
    overlap: Overlap | None = absent("Whose new intent meets yours, and where (pulse_overlap).")
    lease: Lease | None = absent("The lease that is now yours: claim it to keep it (lease_granted).")
    park: Park | None = absent("Your park as it was (park_cleared).")


class Updates(Waited):
    """The output of wait_for_updates."""

    updates: list[Update] = Field(description="What happened, oldest first within rooms and within tasks.")
