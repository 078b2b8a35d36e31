"""Agents that stopped until something is met (R34, R37)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import String
from sqlmodel import Field

from libs.contracts.errors import InvalidInput
from libs.contracts.policy import Policy
from libs.contracts.pulse import MemoryAgents, ParkReason
from libs.contracts.pulse import Park as ParkView
from libs.contracts.types import owner_of
from libs.storage import JsonValue, UtcDateTime
from services.pulse.domain.actions import park_fields
from services.pulse.domain.names import lease_named
from services.pulse.domain.table import PulseTable

MAINTAINER, ANYONE = "maintainer", "anyone"
Refusal = Literal["lapsed", "done", "not_allowed"]
STATUS_CLEARED = "Your status cleared your park: park again if you still wait."


class Park(PulseTable, table=True):
    """Why an agent stopped, and what brings it back."""

    __tablename__ = "parks"

    agent_id: str = Field(primary_key=True)
    team: str = Field(index=True)
    reason: ParkReason | None = Field(default=None, sa_type=String)
    needs: str = ""
    clear_by: str | None = None
    resume: str = ""
    parked_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime)

    def has_lapsed(self, now: datetime) -> bool:
        """Whether it stands no longer; it is still shown, with a flag."""
        return self.expires_at <= now

    def take(self, command: MemoryAgents) -> None:
        """Take over what was said: fields left out stay, the end too."""
        self.reason = command.park_reason or self.reason
        self.needs = self.needs if command.park_needs is None else command.park_needs
        self.resume = self.resume if command.park_resume is None else command.park_resume
        self.clear_by = self.clear_by if command.park_clear_by is None else command.park_clear_by
        if command.park_expires is not None:
            self.expires_at = datetime.fromtimestamp(command.park_expires, UTC)

    @property
    def lease(self) -> str | None:
        """The lease whose holder may clear it, by its name."""
        by = self.clear_by
        return by if by is not None and ":" in by else None

    def refusal(self, sender: str, holders: Collection[str], now: datetime) -> Refusal | None:
        """Why a sender may not clear it, given who held its lease lately; None when it may (R37)."""
        if self.has_lapsed(now):
            return "lapsed"
        if self.reason == "done":
            return "done"
        return None if self._lets(sender, holders) else "not_allowed"

    def _lets(self, sender: str, holders: Collection[str]) -> bool:
        if self.clear_by == MAINTAINER:
            return sender == owner_of(self.agent_id)
        return self.clear_by == ANYONE or sender in (holders if self.lease else {self.clear_by})

    def view(self, now: datetime, **cleared: Any) -> ParkView:
        """As agents see it, or as its own agent is told that it was cleared."""
        known = self.model_dump(include={"reason", "needs", "clear_by", "resume", "parked_at", "expires_at"})
        return ParkView(**known, lapsed=self.has_lapsed(now), **cleared)


@dataclass(frozen=True)
class Parking:
    """What an update does to its agent's park."""

    park: Park | None
    warning: str | None = None


def parked(former: Park | None, command: MemoryAgents, new: Park) -> Parking:
    """The park after an update: refined, begun afresh as `new` when none stands, cleared, or as it was (R34)."""
    said = park_fields(command)
    if not said:
        cleared = former is not None and command.status is not None
        return Parking(None, STATUS_CLEARED) if cleared else Parking(former)
    if command.park_reason == "":
        _refuse_beside_clearing(said)
        return Parking(None)
    standing = former is not None and not former.has_lapsed(new.parked_at)
    park = former if former is not None and standing else new
    park.take(command)
    return Parking(park)


def _refuse_beside_clearing(said: list[str]) -> None:
    if others := [field for field in said if field != "park_reason"]:
        raise InvalidInput(f"Leave out {others[0]}: an empty park_reason clears the park.", field=others[0])


def new_park(agent_id: str, team: str, now: datetime, policy: Policy) -> Park:
    """A park that begins now, with the end of one that names none."""
    until = now + timedelta(seconds=policy.park_seconds)
    return Park(agent_id=agent_id, team=team, parked_at=now, expires_at=until)


def check_park(command: MemoryAgents, agents: Collection[str], now: datetime, policy: Policy) -> None:
    """Refuse an end that is past or too far, and a name of nobody who could clear the park."""
    expires = command.park_expires
    if expires is not None and not 0 < expires - now.timestamp() <= policy.max_park_seconds:
        days = round(policy.max_park_seconds / 86400)
        raise InvalidInput(f"Let the park end in the future, within {days} days.", field="park_expires")
    by = command.park_clear_by
    if by is None or by in (MAINTAINER, ANYONE) or by in agents:
        return
    if ":" not in by:
        raise InvalidInput(
            "Name an agent of your team, maintainer, anyone, or a lease such as coordinator:<project>.",
            field="park_clear_by",
        )
    lease_named(by, "park_clear_by")


class Clearing(PulseTable, table=True):
    """What a message did to parks, for whoever asks again."""

    __tablename__ = "clearings"

    message_id: str = Field(primary_key=True)
    answer: dict[str, Any] = Field(sa_type=JsonValue)
    at: datetime = Field(sa_type=UtcDateTime, index=True)
