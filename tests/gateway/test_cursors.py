"""Cursors: opaque, signed, and good for nothing but what they were given for (R20)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.contracts.errors import BadCursor
from services.gateway.cursors import NUMBERS, Binding, Cursors, Positions

CURSORS = Cursors("a key", "an epoch")
MINE = Binding("wait_for_mention", "bob/claude")
SEEN = Positions(rooms=3, tasks=4, rejoins=1)


@given(st.builds(Positions, *[st.integers(min_value=0, max_value=2**63 - 1)] * 4))
def test_a_cursor_carries_its_positions_within_its_length(seen: Positions) -> None:
    cursor = CURSORS.write_positions(MINE, seen)
    assert 1 <= len(cursor) <= 200
    assert CURSORS.read_positions(MINE, cursor) == seen


@pytest.mark.parametrize(
    "other",
    [
        Binding("wait_for_updates", "bob/claude"),
        Binding("wait_for_mention", "ann/codex"),
        Binding("wait_for_mention", "bob/claude", "project=website-v2"),
    ],
)
def test_a_cursor_of_another_tool_agent_or_filter_is_refused(other: Binding) -> None:
    with pytest.raises(BadCursor):
        CURSORS.read_positions(MINE, CURSORS.write_positions(other, SEEN))


def test_a_cursor_that_was_signed_elsewhere_is_refused() -> None:
    with pytest.raises(BadCursor):
        CURSORS.read_positions(MINE, Cursors("another key", "an epoch").write_positions(MINE, SEEN))


def test_a_cursor_of_another_epoch_is_recognized_but_tells_nothing() -> None:
    """A restore changes the epoch."""
    assert CURSORS.read_positions(MINE, Cursors("a key", "another epoch").write_positions(MINE, SEEN)) is None


def test_a_cursor_of_a_newer_gateway_with_more_positions_gives_those_that_are_known() -> None:
    """R47: while gateways are replaced one after the other, a wait may come to either."""
    newer = CURSORS.write(MINE, NUMBERS.pack(3, 4, 1, 0) + (5).to_bytes(8, "big"))
    assert CURSORS.read_positions(MINE, newer) == SEEN


@given(st.text(min_size=1, max_size=200))
def test_a_made_up_cursor_is_refused_and_no_crash(cursor: str) -> None:
    with pytest.raises(BadCursor):
        CURSORS.read_positions(MINE, cursor)


@given(st.data())
def test_a_cursor_with_anything_changed_is_refused(data: st.DataObject) -> None:
    """Also in ways that a lenient decoder passes over: line breaks, padding, bits that the last character ignores."""
    cursor = CURSORS.write_positions(MINE, SEEN)
    start = data.draw(st.integers(0, len(cursor)))
    end = data.draw(st.integers(start, min(len(cursor), start + 2)))
    changed = cursor[:start] + data.draw(st.text("aB3_-=\n !é", max_size=2)) + cursor[end:]
    if changed != cursor:
        with pytest.raises(BadCursor):
            CURSORS.read_positions(MINE, changed)
