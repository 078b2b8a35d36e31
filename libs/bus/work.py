"""A unit of work: what a handler is given, one transaction long."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from libs.contracts.base import Event
from libs.contracts.policy import Policy
from libs.storage import Session

if TYPE_CHECKING:
    from libs.bus.positions import Positions


@dataclass(slots=True)
class Delivery:
    """A mailbox entry to be numbered when the transaction ends."""

    recipient: str
    kind: str
    project: str | None
    body: dict[str, Any]


@dataclass(slots=True)
class Work:
    """One command, one transaction. Decide first, write last: a refusal must have written nothing."""

    session: Session
    now: datetime
    """Read once per transaction (R4)."""
    policy: Policy
    positions: Positions
    command_id: str = ""
    events: list[Event] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)

    def announce(self, event: Event) -> None:
        """Let the other services know, once this transaction is committed (by the outbox)."""
        self.events.append(event)

    def deliver(self, recipient: str, kind: str, project: str | None, body: dict[str, Any]) -> None:
        """Put an entry into a recipient's mailbox in this transaction and wake its waits afterwards (R18, R19)."""
        self.deliveries.append(Delivery(recipient, kind, project, body))
