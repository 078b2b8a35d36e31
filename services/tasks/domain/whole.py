"""What of a task or an inbox is shown when not all of it fits into one answer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from libs.contracts.base import Data
from libs.contracts.tasks import Checkpoint, Packet, PacketContext, Result, Task, WholeTask
from services.tasks.domain.inputs import size

ANSWER_BYTES = 63 * 1024
"""The 64 KiB of an answer without what the gateway puts around it."""
REVIEWS_BYTES = 31 * 1024

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
    cause: str | None = None
    """The Task request that caused the newest run (R11)."""

    def fit(self) -> tuple[WholeTask, dict[str, int]]:
        """What fits, and how much of what does not.

        The newest result and the last checkpoint come first, then the packet with its context cut before its
        objective, then older results and checkpoints.
        """
        room = Room(ANSWER_BYTES - size(self.task))
        results, checkpoints = room.take(self.results[:1]), room.take(self.checkpoints[:1])
        packet = _fit_packet(self.packet, room)
        results += room.take(self.results[len(results) :])
        checkpoints += room.take(self.checkpoints[len(checkpoints) :])
        shown = WholeTask(**dict(self.task), packet=packet, results=results, checkpoints=checkpoints, cause=self.cause)
        return shown, self._omitted(shown)

    def _omitted(self, shown: WholeTask) -> dict[str, int]:
        packet, whole = shown.packet, self.packet
        counts = {
            "results": self.results_count - len(shown.results or ()),
            "checkpoints": self.checkpoints_count - len(shown.checkpoints or ()),
            "messages": len(whole.context.messages) - (len(packet.context.messages) if packet else 0),
            "files": len(whole.context.files) - (len(packet.context.files) if packet else 0),
            "objective_characters": len(whole.objective) - (len(packet.objective) if packet else 0),
        }
        return {name: count for name, count in counts.items() if count}


def _fit_packet(packet: Packet, room: Room) -> Packet | None:
    bare = packet.model_copy(update={"context": PacketContext(messages=[], files=[], branch=packet.context.branch)})
    taken = room.take([bare]) or room.take([_shorten(bare, room.left - 1)])
    if not taken:
        return None
    files = room.take(packet.context.files)
    messages = room.take(packet.context.messages)
    context = packet.context.model_copy(update={"files": files, "messages": messages})
    return taken[0].model_copy(update={"context": context})


def _shorten(packet: Packet, room: int) -> Packet:
    """The packet with as much of its objective as makes it fit, at least one character."""

    def cut(length: int) -> Packet:
        return packet.model_copy(update={"objective": packet.objective[:length]})

    lengths = range(1, len(packet.objective) + 1)
    return cut(max(1, bisect_right(lengths, room, key=lambda length: size(cut(length)))))
