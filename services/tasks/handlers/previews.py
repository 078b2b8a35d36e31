"""Showing what a handoff would give to its assignee."""

from __future__ import annotations

from libs.bus import Work, handles
from libs.contracts.caller import Caller
from libs.contracts.tasks import PacketPreview, PreviewPacket
from services.tasks.domain.handoffs import open_task
from services.tasks.domain.previews import preview


@handles(PreviewPacket)
async def preview_packet(query: PreviewPacket, caller: Caller, work: Work) -> PacketPreview:
    """Open the task in mind only: refused where the handoff would be."""
    if query.facts is None:
        raise ValueError("the gateway did not collect the facts of a handoff")
    return preview(*open_task(query, query.facts, caller, work.now))
