"""R42: what a consumer could not handle is listed for the operator, and handled again when they say so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from libs.bus import Work, consumes, handles
from libs.bus.dead_letters import list_dead_letters, replay_event
from libs.bus.tables import DEAD_LETTERS
from libs.contracts.base import Event
from libs.contracts.dead_letters import DeadLetter, ListDeadLetters, ReplayedEvent, ReplayEvent, of_service
from libs.contracts.errors import Conflict, Forbidden, NotFound
from libs.runtime.valkey import EmbeddedValkey
from tests.bus.parcels import FAILURES, SEEN, CountParcels, Parcel, ParcelSent, ReadParcelsMailbox, SendParcel
from tests.bus.running import running_parcels
from tests.harness import Hub, until

LIST, REPLAY = of_service(ListDeadLetters, "parcels"), of_service(ReplayEvent, "parcels")
handles(LIST)(list_dead_letters)
handles(REPLAY)(replay_event)
FAILED = "Handling it failed with RuntimeError: look for its event_id in the log of parcels."

pytestmark = pytest.mark.usefixtures("nothing_seen")


class ParcelReturned(Event, source="parcels"):
    label: str


@consumes(ParcelReturned, by="parcels")
async def take_back(event: ParcelReturned, work: Work) -> None:
    """Writes, announces and delivers, and may fail afterwards."""
    work.session.add(Parcel(label=event.label, command_id=""))
    work.announce(ParcelSent(label=event.label))
    work.deliver("ann/codex", "parcel", None, {})
    await work.session.flush()
    if FAILURES[event.label]:
        FAILURES[event.label] -= 1
        raise RuntimeError(f"a bug in {event.label}, INSERT INTO parcel")


@pytest.fixture
async def parcels(own_valkey: EmbeddedValkey, database_url: str, tmp_path: Path) -> AsyncIterator[Hub]:
    async with running_parcels(own_valkey.url, tmp_path, database_url=database_url, event_retry_seconds=0.1) as hub:
        yield hub


async def die(hub: Hub, event_id: str, event: str = "parcel_returned", **body: Any) -> None:
    """Leave a dead letter."""
    row = {"event_id": event_id, "event": event, "body": body, "error": "OldError", "deliveries": 5}
    async with hub.services["parcels"].database.write() as session:
        await session.execute(DEAD_LETTERS.insert(), [row | {"died_at": hub.clock.now}])
    hub.clock.advance(1)


async def letters(hub: Hub, limit: int = 100) -> list[DeadLetter]:
    return (await hub.ask(LIST(limit=limit), by="operator")).dead_letters


async def test_an_event_that_died_is_listed_and_handled_once_its_consumer_is_mended(parcels: Hub) -> None:
    FAILURES["broken"] = 5
    await parcels.ask(SendParcel(label="broken"))
    (letter,) = await until(lambda: letters(parcels))
    assert (letter.event, letter.error, letter.deliveries) == ("parcel_sent", FAILED, 5)
    replayed = await parcels.ask(REPLAY(event_id=letter.event_id), by="operator")
    assert replayed == ReplayedEvent(service="parcels", event_id=letter.event_id, handled=True, error=None)
    assert SEEN == ["broken"]
    assert await letters(parcels) == []


async def test_what_a_replayed_consumer_does_is_done_as_ever(parcels: Hub) -> None:
    await die(parcels, "evt_1", label="back")
    assert (await parcels.ask(REPLAY(event_id="evt_1"), by="operator")).handled
    assert (await parcels.ask(CountParcels(label="back"))).count == 1
    assert len((await parcels.ask(ReadParcelsMailbox(recipient="ann/codex", tool="wait"))).entries) == 1
    await until(lambda: SEEN == ["back"])


async def test_a_replay_that_fails_leaves_the_letter_with_the_new_error_and_nothing_else(parcels: Hub) -> None:
    FAILURES["back"] = 1
    await die(parcels, "evt_1", label="back")
    replayed = await parcels.ask(REPLAY(event_id="evt_1"), by="operator")
    assert (replayed.handled, replayed.error) == (False, FAILED)
    (letter,) = await letters(parcels)
    assert (letter.error, letter.deliveries) == (FAILED, 6)
    assert (await parcels.ask(CountParcels(label="back"))).count == 0
    assert (await parcels.ask(ReadParcelsMailbox(recipient="ann/codex", tool="wait"))).entries == []
    assert (await parcels.ask(REPLAY(event_id="evt_1"), by="operator")).handled
    assert (await parcels.ask(CountParcels(label="back"))).count == 1


async def test_an_event_that_was_handled_meanwhile_is_not_handled_again(parcels: Hub) -> None:
    await die(parcels, "evt_1", label="once")
    assert (await parcels.ask(REPLAY(event_id="evt_1"), by="operator")).handled
    await die(parcels, "evt_1", label="once")
    assert (await parcels.ask(REPLAY(event_id="evt_1"), by="operator")).handled
    assert (await parcels.ask(CountParcels(label="once"))).count == 1
    assert await letters(parcels) == []


async def test_of_many_replays_at_once_one_handles_the_event(parcels: Hub) -> None:
    await die(parcels, "evt_1", label="raced")
    asked = [parcels.ask(REPLAY(event_id="evt_1"), by="operator") for _ in range(8)]
    said = await asyncio.gather(*asked, return_exceptions=True)
    assert sorted(type(one).__name__ for one in said) == ["NotFound"] * 7 + ["ReplayedEvent"]
    assert (await parcels.ask(CountParcels(label="raced"))).count == 1


async def test_the_oldest_are_listed_first_and_a_page_says_whether_there_are_more(parcels: Hub) -> None:
    for number in (3, 1, 2):
        await die(parcels, f"evt_{number}", label="secret text")
    page = await parcels.ask(LIST(limit=2), by="operator")
    assert ([letter.event_id for letter in page.dead_letters], page.more) == (["evt_3", "evt_1"], True)
    assert "secret text" not in page.model_dump_json()
    assert not (await parcels.ask(LIST(limit=3), by="operator")).more


@pytest.mark.parametrize("who", ["maya", "maya/codex", "system"])
async def test_nobody_but_the_operator_sees_or_replays_them(parcels: Hub, who: str) -> None:
    await die(parcels, "evt_1", label="back")
    for asked in (LIST(limit=1), REPLAY(event_id="evt_1"), REPLAY(event_id="evt_unknown")):
        with pytest.raises(Forbidden):
            await parcels.ask(asked, by=who)  # type: ignore[arg-type]
    assert len(await letters(parcels)) == 1


async def test_a_letter_that_is_not_there_or_not_followed_is_told_apart(parcels: Hub) -> None:
    with pytest.raises(NotFound):
        await parcels.ask(REPLAY(event_id="evt_1"), by="operator")
    await die(parcels, "evt_1", "unheard_of")
    with pytest.raises(Conflict):
        await parcels.ask(REPLAY(event_id="evt_1"), by="operator")
    assert len(await letters(parcels)) == 1


async def test_a_body_that_is_not_understood_is_a_failure_like_others(parcels: Hub) -> None:
    await die(parcels, "evt_1", color="red")
    replayed = await parcels.ask(REPLAY(event_id="evt_1"), by="operator")
    assert (replayed.handled, replayed.error) == (False, FAILED.replace("RuntimeError", "ValidationError"))
    async with parcels.services["parcels"].database.read() as session:
        assert [row.error for row in (await session.execute(select(DEAD_LETTERS))).all()] == ["ValidationError"]
