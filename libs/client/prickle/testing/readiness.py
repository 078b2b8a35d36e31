"""Waiting until a hub in containers is ready."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx2

READY_SECONDS = 120.0
POLL_SECONDS = 0.1
ANSWER_SECONDS = 2.0


class CannotStart(Exception):
    """There is no hub to test against; one sentence says what to do."""


def wait_until_ready(hub: str, ended: Callable[[], str | None], seconds: float = READY_SECONDS) -> None:
    """Wait until the hub at this root of its URLs is ready; raises `CannotStart`.

    `ended` gives the last words of a hub that is not running any more.
    """
    deadline = time.monotonic() + seconds
    while not is_ready(hub):
        if (words := ended()) is not None:
            raise CannotStart(f"Mend what the hub said before it ended: {words}")
        if time.monotonic() > deadline:
            raise CannotStart(f"Give the hub more than {seconds:.0f} s to start, or see in its log what it waits for.")
        time.sleep(POLL_SECONDS)


def is_ready(hub: str) -> bool:
    """Whether the hub says so."""
    try:
        return httpx2.get(f"{hub}/readyz", timeout=ANSWER_SECONDS, trust_env=False).status_code == 200
    except httpx2.HTTPError:
        return False


def last_line(text: str) -> str:
    """The last line that says something."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "nothing.")
