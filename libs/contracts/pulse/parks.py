"""Parks of the board: agents that stopped, what they need, and messages that clear them (R34, R37)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from libs.contracts.base import Command, View, absent
from libs.contracts.types import Address, AgentAddress, Id, Slug, Time

ParkReason = Literal["done", "blocked", "needs_approval", "needs_info", "needs_resource", "waiting_peer"]


class Park(View):
    """Why an agent stopped, and what brings it back."""

    reason: ParkReason | None = Field(description="Why it stopped; done: nothing follows.")
    needs: str = Field(description="What would unblock it; empty when it said nothing.")
    clear_by: str | None = Field(
        description="Who may clear it: an agent, maintainer (its owner), anyone, or who holds a lease; null: nobody."
    )
    resume: str = Field(description="What it will do then; empty when it said nothing.")
    parked_at: Time = Field(description="When it parked.")
    expires_at: Time = Field(description="When the park lapses.")
    lapsed: bool = Field(description="Whether it has.")
    cleared_by: Address | None = absent("Who cleared it (park_cleared).")
    message_id: Id | None = absent("The message that cleared it (park_cleared).")


class NotCleared(View):
    """An address whose park a message did not clear."""

    address: Address = Field(description="As it was named.")
    reason: Literal["not_parked", "lapsed", "done", "not_allowed"] = Field(
        description="not_allowed: the park names somebody else who may clear it."
    )


class ClearedParks(View):
    """What a message did to the parks it was to clear."""

    cleared: list[AgentAddress] = Field(description="Agents whose park the message cleared; each is told.")
    not_cleared: list[NotCleared] = Field(description="Addresses whose park it did not clear, each with a reason.")


class ClearParks(Command[ClearedParks], service="pulse"):
    """Clear parks for the author of a message that meets their needs; for one message always the same answer."""

    team: Slug
    """The author's team, whose board this is."""
    addresses: list[Address]
    message_id: Id
