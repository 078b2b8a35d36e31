"""Leases of the board: for coordinators, claims and single files, with fences and queues (R35, R36)."""

from __future__ import annotations

from pydantic import Field

from libs.contracts.base import View, absent
from libs.contracts.types import AgentAddress, Time


class Waiter(View):
    """An agent in a lease's queue."""

    agent_id: AgentAddress = Field(description="Who waits.")
    since: Time = Field(description="Since when.")


class Lease(View):
    """A lease that is held. It is advice for agents, and locks nothing."""

    lease: str | None = absent("Its name, coordinator:<project> or claim:<path>; absent for a claim of one file.")
    repository_id: str | None = absent("The repository of a claim of one file.")
    path: str | None = absent("The one file, relative to the repository.")
    holder: AgentAddress = Field(description="Who holds it.")
    fence: int = Field(description="Rises with each new holder of a lease on the board and is never used twice.")
    purpose: str = Field(description="What for, as the holder says; empty when it said nothing.")
    granted_at: Time = Field(description="When it was granted to this holder.")
    expires_at: Time = Field(description="When it ends unless the holder claims it again.")
    reserved: bool = Field(description="Whether it was granted from the queue: the holder must claim it to keep it.")
    expected_end: Time | None = absent("When the holder expects to be done.")
    overdue: bool = Field(description="Whether that has passed.")
    queue_length: int = Field(description="How many wait for it.")
    waiters: list[Waiter] = Field(description="The first 10 of them, next one first.")
    position: int | None = absent("Your place in its queue, from 1; absent when you do not wait for it.")
