"""Which function answers a command, consumes an event or runs by the clock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from libs.bus.work import Work
from libs.contracts.base import Command, Event, View
from libs.contracts.caller import Caller
from libs.contracts.errors import Problem

Asks = TypeVar("Asks", bound=Command[Any])
Happened = TypeVar("Happened", bound=Event)
Answers = TypeVar("Answers", bound=View)

Handler = Callable[[Any, Caller, Work], Awaitable[View]]
BatchHandler = Callable[[Any, Work], Awaitable[Sequence[View | Problem]]]
Consumer = Callable[[Any, Work], Awaitable[None]]
Timer = Callable[[Work], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Asked(Generic[Asks]):
    """A command of a batch and who sent it."""

    command: Asks
    caller: Caller


COMMANDS: dict[str, dict[str, type[Command[Any]]]] = defaultdict(dict)
HANDLERS: dict[type[Command[Any]], Handler] = {}
BATCH_HANDLERS: dict[type[Command[Any]], BatchHandler] = {}
CONSUMERS: dict[str, dict[type[Event], Consumer]] = defaultdict(dict)
TIMERS: dict[str, list[tuple[float, Timer]]] = defaultdict(list)


def handles(
    command: type[Asks],
) -> Callable[[Callable[[Asks, Caller, Work], Awaitable[Answers]]], Callable[[Asks, Caller, Work], Awaitable[Answers]]]:
    """Register the function that answers a command or query of its service."""

    def register(
        handler: Callable[[Asks, Caller, Work], Awaitable[Answers]],
    ) -> Callable[[Asks, Caller, Work], Awaitable[Answers]]:
        _know(command)
        HANDLERS[command] = handler
        return handler

    return register


def handles_batch(command: type[Asks]) -> Callable[[BatchHandler], BatchHandler]:
    """Register the function that answers many commands of one type in one transaction, an answer or refusal each."""

    def register(handler: BatchHandler) -> BatchHandler:
        _know(command)
        BATCH_HANDLERS[command] = handler
        return handler

    return register


def consumes(
    event: type[Happened], *, by: str
) -> Callable[[Callable[[Happened, Work], Awaitable[None]]], Callable[[Happened, Work], Awaitable[None]]]:
    """Register the function with which a service takes note of an event, each in a transaction of its own (R42)."""

    def register(
        consumer: Callable[[Happened, Work], Awaitable[None]],
    ) -> Callable[[Happened, Work], Awaitable[None]]:
        CONSUMERS[by][event] = consumer
        return consumer

    return register


def every(seconds: float, *, by: str | None = None) -> Callable[[Timer], Timer]:
    """Register what a service (by default that of the module) does by the clock, on every replica (R4).

    Each time it has a transaction of its own.
    """

    def register(timer: Timer) -> Timer:
        TIMERS[by or timer.__module__.split(".")[1]].append((seconds, timer))
        return timer

    return register


def _know(command: type[Command[Any]]) -> None:
    COMMANDS[command.service][command.type_name] = command
