"""Leases of the board, their holders and their queues (R35, R36)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import String
from sqlmodel import Field

from libs.contracts.policy import Policy
from libs.contracts.pulse import Lease as LeaseView
from libs.contracts.pulse import Waiter as WaiterView
from libs.storage import JsonValue, UtcDateTime
from services.pulse.domain.names import LeaseKind, LeaseName
from services.pulse.domain.table import PulseTable

SHOWN_WAITERS = 10


@dataclass(frozen=True)
class Wish:
    """Who wants a lease, and what for; None: as said before."""

    agent_id: str
    purpose: str | None
    expect: int | None


class Waiter(PulseTable, table=True):
    """An agent in the queue of a lease."""

    __tablename__ = "waiters"

    lease_id: str = Field(primary_key=True)
    agent_id: str = Field(primary_key=True, index=True)
    team: str
    place: int
    """Rises along the queue."""
    purpose: str = ""
    expect: int | None = None
    since: datetime = Field(sa_type=UtcDateTime)

    @staticmethod
    def of(agent_id: str, lease: Lease, place: int, now: datetime) -> Waiter:
        """An agent that joins the queue of a lease."""
        return Waiter(lease_id=lease.lease_id, agent_id=agent_id, team=lease.team, place=place, since=now)

    def take(self, wish: Wish) -> None:
        """Take over what is new of what was said."""
        self.purpose = self.purpose if wish.purpose is None else wish.purpose
        self.expect = self.expect if wish.expect is None else wish.expect

    @property
    def wish(self) -> Wish:
        """What it waits for."""
        return Wish(self.agent_id, self.purpose, self.expect)


class Lease(PulseTable, table=True):
    """A name that one agent of a team holds at a time, or that one held a moment ago."""

    __tablename__ = "leases"

    lease_id: str = Field(primary_key=True)
    folded_id: str = Field(index=True)
    team: str = Field(index=True)
    kind: LeaseKind = Field(sa_type=String)
    name: str
    path: str
    repository_id: str | None = None
    holder: str | None = Field(default=None, index=True)
    fence: int = 0
    purpose: str = ""
    granted_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime = Field(sa_type=UtcDateTime, index=True)
    """Or, once nobody holds it, when it is forgotten."""
    expected_end: datetime | None = Field(default=None, sa_type=UtcDateTime)
    reserved: bool = False
    """Whether the head of the queue has yet to claim it."""
    former: dict[str, float] = Field(default_factory=dict, sa_type=JsonValue)
    """Who held it lately, until when in epoch seconds."""

    @staticmethod
    def on(name: LeaseName, team: str, now: datetime) -> Lease:
        """A lease that nobody holds yet."""
        return Lease(
            lease_id=name.lease_id(team),
            folded_id=name.folded_id(team),
            team=team,
            kind=name.kind,
            name=name.text,
            path=name.path,
            repository_id=name.repository_id,
            granted_at=now,
            expires_at=now,
        )

    def grant(self, wish: Wish, fence: int, now: datetime, policy: Policy, *, reserved: bool = False) -> None:
        """Make somebody the holder, under a new fence: until it ends, or for a moment as the head of the queue."""
        self.holder, self.fence, self.granted_at, self.reserved = wish.agent_id, fence, now, reserved
        self.purpose, self.expected_end = "", None
        self._take(wish, now)
        seconds = policy.reserved_lease_seconds if reserved else self._seconds(policy)
        self.expires_at = now + timedelta(seconds=seconds)

    def renew(self, wish: Wish, now: datetime, policy: Policy) -> None:
        """Let its holder keep it for another while."""
        self.reserved = False
        self._take(wish, now)
        self.expires_at = now + timedelta(seconds=self._seconds(policy))

    def _take(self, wish: Wish, now: datetime) -> None:
        self.purpose = self.purpose if wish.purpose is None else wish.purpose
        if wish.expect is not None:
            self.expected_end = now + timedelta(seconds=wish.expect)

    def _seconds(self, policy: Policy) -> float:
        return policy.coordinator_lease_seconds if self.kind == "coordinator" else policy.claim_seconds

    def vacate(self, now: datetime, policy: Policy) -> None:
        """End its holder's hold; who held it lately is known for a while (R37)."""
        until = min(now, self.expires_at)
        oldest = now.timestamp() - policy.former_holder_seconds
        lately = {agent: at for agent, at in self.former.items() if at >= oldest}
        if self.holder is not None:
            lately[self.holder] = until.timestamp()
        self.former, self.holder = lately, None
        self.expires_at = now + timedelta(seconds=policy.former_holder_seconds)

    def held_lately(self, now: datetime, policy: Policy) -> set[str]:
        """Who holds it, or held it a moment ago."""
        oldest = now.timestamp() - policy.former_holder_seconds
        lately = {agent for agent, until in self.former.items() if until >= oldest}
        return lately | ({self.holder} if self.holder else set())

    def view(self, queue: Sequence[Waiter], agent_id: str, now: datetime) -> LeaseView:
        """As an agent of the team sees it while somebody holds it."""
        known = self.model_dump(include={"holder", "fence", "purpose", "granted_at", "expires_at", "reserved"})
        in_file = {"repository_id": self.repository_id, "path": self.path}
        return LeaseView(
            **known,
            **(in_file if self.kind == "file" else {"lease": self.name}),
            expected_end=self.expected_end,
            overdue=self.expected_end is not None and self.expected_end <= now,
            queue_length=len(queue),
            waiters=[WaiterView(agent_id=waiter.agent_id, since=waiter.since) for waiter in queue[:SHOWN_WAITERS]],
            position=place_of(agent_id, queue),
        )


def place_of(agent_id: str, queue: Sequence[Waiter]) -> int | None:
    """An agent's place in a queue, from 1; None when it is not in it."""
    agents = [waiter.agent_id for waiter in queue]
    return agents.index(agent_id) + 1 if agent_id in agents else None
