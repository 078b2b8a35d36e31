"""Waiting for a hub that does not get ready."""

from __future__ import annotations

import pytest
from prickle.testing import CannotStart
from prickle.testing.readiness import last_line, wait_until_ready

NOWHERE = "http://127.0.0.1:1"


def test_nobody_waits_for_a_hub_that_has_ended() -> None:
    with pytest.raises(CannotStart, match=r"^Mend what the hub said before it ended: no room on the disk$"):
        wait_until_ready(NOWHERE, lambda: "no room on the disk", seconds=60)


def test_the_wait_ends() -> None:
    with pytest.raises(CannotStart, match=r"^Give the hub more than 0 s to start"):
        wait_until_ready(NOWHERE, lambda: None, seconds=0)


@pytest.mark.parametrize(("text", "line"), [("one\n two \n\n", "two"), ("", "nothing.")])
def test_the_last_words_are_the_last_line_that_says_something(text: str, line: str) -> None:
    assert last_line(text) == line
