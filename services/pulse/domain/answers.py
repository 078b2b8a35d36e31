"""Answers of the board: own state always, the others as far as they fit (R33)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import orjson

from libs.contracts.base import View
from libs.contracts.pulse import BoardAnswer, BoardRow, Lease, Outcome

ANSWER_BYTES = 62 * 1024
AROUND_THE_LISTS = 512
LISTED = 50


@dataclass(frozen=True)
class Peers:
    """The active peers in the order of the list, and how many are not active."""

    rows: Sequence[BoardRow]
    idle: int


@dataclass(frozen=True)
class Leases:
    """The first leases in the order of the list, and how many there are."""

    shown: Sequence[Lease]
    count: int


@dataclass(frozen=True)
class Done:
    """What an action did."""

    outcome: Outcome | None = None
    position: int | None = None
    warning: str | None = None
    lease: Lease | None = None


def answer(done: Done, you: BoardRow, peers: Peers | None, leases: Leases) -> BoardAnswer:
    """The answer within the size limit: a peer and a lease at a time, until the next do not fit."""
    room = ANSWER_BYTES - AROUND_THE_LISTS - _size(you) - (_size(done.lease) if done.lease else 0)
    rows, shown = _fitting(peers.rows[:LISTED] if peers else [], leases.shown[:LISTED], room)
    counts: dict[str, Any] = {"lease_count": leases.count, "leases_truncated": len(shown) < leases.count}
    if peers is not None:
        counts |= {"peers": rows, "peer_count": len(peers.rows), "idle_omitted": peers.idle}
        counts["truncated"] = len(rows) < len(peers.rows)
    return BoardAnswer(you=you, leases=shown, **counts, **vars(done))


def _fitting(peers: Sequence[BoardRow], leases: Sequence[Lease], room: int) -> tuple[list[BoardRow], list[Lease]]:
    rows: list[BoardRow] = []
    shown: list[Lease] = []
    for row, lease in zip_longest(peers, leases):
        room -= sum(_size(view) for view in (row, lease) if view)
        if room < 0:
            break
        rows += [row] if row else []
        shown += [lease] if lease else []
    return rows, shown


def _size(view: View) -> int:
    return len(orjson.dumps(view.wire())) + 1
