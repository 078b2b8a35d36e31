"""Open waits by themselves: what wakes them and what does not (R23, R24)."""

from __future__ import annotations

import asyncio
from typing import Any

from services.gateway.waits import Wait, Waits

NEVER = 3600.0


async def nobody(progress: float) -> None:
    """A client that asked for no progress."""


def reading(*services: str) -> Wait:
    """A wait that has read its mailboxes up to number 5."""
    wait = Wait("key", "digest", services)
    wait.begin_to_read()
    for service in services:
        wait.read_up_to(service, 5)
    return wait


def riding(*numbers: int) -> list[dict[str, Any]]:
    """Entries that ride along."""
    return [{"number": number} for number in numbers]


async def is_woken(wait: Wait) -> bool:
    """Whether the wait wakes without the passing of time."""
    sleeping = asyncio.create_task(wait.sleep(NEVER, nobody, NEVER))
    for _ in range(5):
        await asyncio.sleep(0)
    woken = sleeping.done()
    sleeping.cancel()
    return woken


async def test_an_entry_that_was_told_before_the_sleep_wakes_at_once() -> None:
    """R23: it came between the reading and the sleeping."""
    wait = reading("rooms")
    wait.tell("rooms", 6)
    assert await is_woken(wait)


async def test_an_entry_that_was_told_while_reading_wakes_at_once() -> None:
    """R23: the page may have been made just before the entry was committed."""
    wait = reading("rooms")
    wait.begin_to_read()
    wait.tell("rooms", 6)
    wait.read_up_to("rooms", 5)
    assert await is_woken(wait)


async def test_an_entry_that_was_read_wakes_nobody() -> None:
    wait = reading("rooms")
    wait.begin_to_read()
    wait.tell("rooms", 6)
    wait.read_up_to("rooms", 6)
    wait.tell("rooms", 6)
    assert not await is_woken(wait)


async def test_an_entry_of_a_mailbox_that_is_not_read_wakes_nobody() -> None:
    """A wait for mentions would find nothing new for each change of a task, and look again for ever."""
    wait = reading("rooms")
    wait.tell("tasks", 9)
    assert not await is_woken(wait)


async def test_a_number_that_is_not_there_wakes_once() -> None:
    """R23: Redis may say that something is there, be it of data that was since replaced by an older backup."""
    wait = reading("rooms")
    wait.tell("rooms", 900)
    assert await is_woken(wait)
    wait.begin_to_read()
    wait.read_up_to("rooms", 5)
    assert not await is_woken(wait)


async def test_entries_that_rode_along_are_all_there_is() -> None:
    """R23: the sweep tells of them once more, without."""
    wait = reading("rooms", "tasks")
    wait.tell("rooms", 6, riding(6))
    wait.tell("rooms", 8, riding(7, 8))
    wait.tell("tasks", 6, riding(6))
    wait.tell("rooms", 8)
    assert wait.brought() == {"rooms": riding(6, 7, 8), "tasks": riding(6)}


async def test_entries_ride_in_vain_when_one_between_did_not() -> None:
    """R20: the lower number may have been told by another replica, and later."""
    wait = reading("rooms")
    wait.tell("rooms", 7, riding(7))
    assert wait.brought() is None
    wait.tell("rooms", 6)
    assert wait.brought() is None
    wait.tell("rooms", 6, riding(6))
    assert wait.brought() == {"rooms": riding(6, 7)}


async def test_an_entry_that_was_read_does_not_ride_again() -> None:
    wait = reading("rooms")
    wait.tell("rooms", 6, riding(6))
    wait.read_up_to("rooms", 6)
    wait.tell("rooms", 7, riding(7))
    assert wait.brought() == {"rooms": riding(7)}


async def test_a_wait_that_is_ended_has_nothing_to_look_for() -> None:
    wait = reading("rooms")
    wait.end("drained", 7)
    assert await wait.sleep(NEVER, nobody, NEVER) is False
    assert wait.retry_after == 7


async def test_a_closed_wait_leaves_nothing_behind() -> None:
    """R25."""
    waits = Waits(per_credential=2)
    with waits.open("bob/claude", reading("rooms")), waits.open("bob/claude", reading("rooms")):
        assert waits.recipients() == ["bob/claude"]
        with waits.open("bob/claude", reading("rooms")):
            assert [wait.early for wait in waits.open_waits()].count("crowded") == 1
    assert (waits.open_waits(), waits.recipients()) == ([], [])


async def test_a_wait_that_begins_while_the_process_stops_is_ended() -> None:
    """R25."""
    waits = Waits(per_credential=8)
    waits.drain()
    with waits.open("bob/claude", reading("rooms")) as wait:
        assert wait.early == "drained"
        assert wait.retry_after is not None
