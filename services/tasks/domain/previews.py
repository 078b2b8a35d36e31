"""Previews: what a handoff would give to its assignee."""

from __future__ import annotations

from math import ceil

import orjson

from libs.contracts.tasks import LeftOut, Packet, PacketPreview
from services.tasks.domain.inputs import size
from services.tasks.domain.packets import Packet as PacketRow
from services.tasks.domain.tasks import Task
from services.tasks.domain.whole import Whole

BYTES_PER_TOKEN = 4
TOO_LARGE = "A task is shown within 64 KiB, and this does not fit."
WORDS = {
    "memory": "memory entries",
    "messages": "messages",
    "files": "files",
    "objective_characters": "characters of the objective",
}
"""What can be left out, by the names of `Whole`."""


def preview(task: Task, packet: PacketRow) -> PacketPreview:
    """The packet as check_inbox would show it to the assignee of a new task."""
    whole = Whole(task.view(task.assignee), packet.view(), [], [], results_count=0, checkpoints_count=0)
    shown, omitted = whole.fit()
    if shown.packet is None:
        raise ValueError("a packet without results and checkpoints fits into an answer")
    allowed = task.state == "requested"
    return PacketPreview(
        packet=shown.packet,
        characters=_characters(shown.packet),
        estimated_tokens=ceil(size(shown.packet) / BYTES_PER_TOKEN),
        left_out=[LeftOut(what=f"{count} {WORDS[name]}", why=TOO_LARGE) for name, count in omitted.items()],
        may_take=allowed,
        why_not=None if allowed else f"{task.assignee_owner} must allow it first: the task is from outside.",
    )


def _characters(packet: Packet) -> int:
    return len(orjson.dumps(packet.wire()).decode())
