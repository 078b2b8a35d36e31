"""Dead letters: events that a service could not handle, put aside for the operator (R42).

Every service that follows events answers the same two commands, which the bus handles.
"""

from __future__ import annotations

from types import new_class
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field

from libs.contracts.base import Command, Data, Query, View, absent
from libs.contracts.types import Id, Time

FollowingService = Literal["rooms", "tasks", "pulse", "runs"]

MOST = 1000

Asked = TypeVar("Asked", bound=Command[Any])


class DeadLetter(View):
    """An event that was tried in vain. What it says is not shown: it may be people's text."""

    service: str
    event_id: str
    event: str
    """Its kind."""
    error: str
    deliveries: int
    """How often it was tried."""
    died_at: Time


class DeadLetters(View):
    """Dead letters, the oldest first."""

    dead_letters: list[DeadLetter]
    more: bool
    """Whether there are more than were asked for."""


class ReplayedEvent(View):
    """What came of handling a dead letter again: if it failed again, it stays with the new error."""

    service: str
    event_id: str
    handled: bool
    error: str | None


class WhichDeadLetters(Data):
    """What the operator wants to see."""

    service: FollowingService | None = absent("Those of one service; of all by default.")
    limit: Annotated[int, Field(ge=1, le=MOST)] = 100


class OneDeadLetter(Data):
    """What the operator wants to be handled again."""

    service: FollowingService
    event_id: Id


class ListDeadLetters(Query[DeadLetters]):
    """The dead letters of a service, for the operator."""

    limit: int


class ReplayEvent(Command[ReplayedEvent]):
    """Handle a dead letter again, as the operator; it goes when that succeeds."""

    event_id: Id


def of_each_service(command: type[Asked]) -> dict[str, type[Asked]]:
    """The command as each of the services answers it."""
    return {service: of_service(command, service) for service in FollowingService.__args__}  # type: ignore[attr-defined]


def of_service(command: type[Asked], service: str) -> type[Asked]:
    """The command as one service answers it, under the same name."""
    own = {"__module__": __name__, "__doc__": command.__doc__}
    return new_class(command.__name__, (command,), {"service": service}, lambda body: body.update(own))


LIST_DEAD_LETTERS = of_each_service(ListDeadLetters)
REPLAY_EVENT = of_each_service(ReplayEvent)
