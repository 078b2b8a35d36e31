"""What of a task or an inbox is shown when not all of it fits into one answer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from libs.contracts.base import Data
from libs.contracts.tasks import Checkpoint, Packet, PacketContext, Request, Result, Task, WholeTask
from services.tasks.domain.inputs import size

ANSWER_BYTES = 63 * 1024
"""The 64 KiB of an answer without what the gateway puts around it."""
REVIEWS_BYTES = 31 * 1024
REQUESTS_BYTES = 17 * 1024
"""Enough for the largest request; what both leave is enough for the largest task."""

Shown = TypeVar("Shown", bound=Data | str)


@dataclass
class Room:
    """The bytes that are left."""

    left: int

    def take(self, values: Sequence[Shown]) -> list[Shown]:
        """The first of `values`, each whole, up to the first that does not fit."""
        taken: list[Shown] = []
        for value in values:
            needed = size(value) + 1
            if needed > self.left:
                break
            self.left -= needed
            taken.append(value)
        return taken


@dataclass
class Whole:
    """Everything there is of a task; results and checkpoints newest first, perhaps without the oldest ones."""

    task: Task
    packet: Packet
    results: list[Result]
    checkpoints: list[Checkpoint]
    results_count: int
    checkpoints_count: int
    requests: list[Request] = field(default_factory=list)
    """What was asked while working on it, newest first."""
    cause: str | None = None
    """The Task request that caused the newest run (R11)."""

    def fit(self) -> tuple[WholeTask, dict[str, int]]:
        """What fits, and how much of what does not.

        The newest result and the last checkpoint come first, then the packet with its context cut before its
        objective, then what was asked, then older results and checkpoints.
        """
        room = Room(ANSWER_BYTES - size(self.task))
        results, checkpoints = room.take(self.results[:1]), room.take(self.checkpoints[:1])
        packet = _fit_packet(self.packet, room)
        requests = room.take(self.requests)
        results += room.take(self.results[len(results) :])
        checkpoints += room.take(self.checkpoints[len(checkpoints) :])
        parts = {"packet": packet, "results": results, "checkpoints": checkpoints, "requests": requests or None}
        shown = WholeTask(**dict(self.task), **parts, cause=self.cause)
        return shown, self._omitted(shown)

    def _omitted(self, shown: WholeTask) -> dict[str, int]:
        packet, whole = shown.packet, self.packet
        counts = {
            "results": self.results_count - len(shown.results or ()),
            "checkpoints": self.checkpoints_count - len(shown.checkpoints or ()),
            "requests": len(self.requests) - len(shown.requests or ()),
            "memory": len(whole.context.memory) - (len(packet.context.memory) if packet else 0),
            "messages": len(whole.context.messages) - (len(packet.context.messages) if packet else 0),
            "files": len(whole.context.files) - (len(packet.context.files) if packet else 0),
            "objective_characters": len(whole.objective) - (len(packet.objective) if packet else 0),
        }
        return {name: count for name, count in counts.items() if count}


def _fit_packet(packet: Packet, room: Room) -> Packet | None:
    nothing = PacketContext(memory=[], messages=[], files=[], branch=packet.context.branch)
    bare = packet.model_copy(update={"context": nothing})
    taken = room.take([bare]) or room.take([_shorten(bare, room.left - 1)])
    if not taken:
        return None
    files = room.take(packet.context.files)
    memory = room.take(packet.context.memory)
    messages = room.take(packet.context.messages)
    context = packet.context.model_copy(update={"files": files, "memory": memory, "messages": messages})
    return taken[0].model_copy(update={"context": context})


def _shorten(packet: Packet, room: int) -> Packet:
    """The packet with as much of its objective as makes it fit, at least one character."""

    def cut(length: int) -> Packet:
        return packet.model_copy(update={"objective": packet.objective[:length]})

    lengths = range(1, len(packet.objective) + 1)
    return cut(max(1, bisect_right(lengths, room, key=lambda length: size(cut(length)))))
