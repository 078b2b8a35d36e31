"""Dead letters over HTTP: the operator lists and replays them, of one service or of all (R42)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from libs.bus.tables import DEAD_LETTERS
from tests.site import Site

Calling = Callable[..., httpx.AsyncClient]


@pytest.fixture
async def buried(town: Site) -> AsyncIterator[None]:
    """A letter that rooms can handle now, one that it cannot, and one of tasks between them."""
    for service, event_id, body in (
        ("rooms", "evt_good", {"agent_id": "maya/gone"}),
        ("tasks", "evt_tasks", {"agent_id": "maya/gone"}),
        ("rooms", "evt_bad", {"agent_id": "no address"}),
    ):
        row = {"event_id": event_id, "event": "agent_removed", "body": body, "error": "OldError", "deliveries": 5}
        async with town.hub.services[service].database.write() as session:
            await session.execute(DEAD_LETTERS.insert(), [row | {"died_at": town.hub.clock.now}])
        town.hub.clock.advance(1)
    yield
    for service in ("rooms", "tasks"):
        async with town.hub.services[service].database.write() as session:
            await session.execute(DEAD_LETTERS.delete())


async def listed(calling: Calling, **params: Any) -> list[str]:
    answer = await calling("operator").get("/dead-letters", params=params)
    assert answer.status_code == 200
    return [letter["event_id"] for letter in answer.json()["dead_letters"]]


async def test_letters_are_listed_of_all_services_or_of_one(calling: Calling, buried: None) -> None:
    assert await listed(calling) == ["evt_good", "evt_tasks", "evt_bad"]
    assert await listed(calling, service="rooms") == ["evt_good", "evt_bad"]
    assert await listed(calling, service="pulse") == []
    page = (await calling("operator").get("/dead-letters", params={"limit": 2})).json()
    assert (len(page["dead_letters"]), page["more"]) == (2, True)
    first = page["dead_letters"][0]
    assert first.keys() == {"service", "event_id", "event", "error", "deliveries", "died_at"}
    assert first["error"] == "Handling it failed with OldError: look for its event_id in the log of rooms."


async def test_a_letter_goes_when_it_is_handled_and_stays_when_not(calling: Calling, buried: None) -> None:
    operator = calling("operator")
    good = await operator.post("/dead-letters/rooms/evt_good/replay")
    assert (good.status_code, good.json()["handled"], good.json()["error"]) == (200, True, None)
    bad = (await operator.post("/dead-letters/rooms/evt_bad/replay")).json()
    assert (bad["handled"], "ValidationError" in bad["error"], "no address" in bad["error"]) == (False, True, False)
    assert await listed(calling, service="rooms") == ["evt_bad"]
    assert (await operator.post("/dead-letters/rooms/evt_good/replay")).status_code == 404
    assert (await operator.post("/dead-letters/pulse/evt_bad/replay")).status_code == 404


@pytest.mark.parametrize("subject", ["maya", "maya/codex"])
async def test_persons_and_agents_may_neither_see_nor_replay_them(calling: Calling, buried: None, subject: str) -> None:
    client = calling(subject)
    answers = [
        await client.get("/dead-letters"),
        await client.get("/dead-letters", params={"service": "rooms"}),
        await client.post("/dead-letters/rooms/evt_good/replay"),
        await client.post("/dead-letters/rooms/evt_unknown/replay"),
    ]
    assert [answer.status_code for answer in answers] == [403] * 4
    assert len(await listed(calling)) == 3


@pytest.mark.parametrize(
    ("method", "path", "field"),
    [
        ("GET", "/dead-letters?service=gateway", "service"),
        ("GET", "/dead-letters?limit=0", "limit"),
        ("GET", "/dead-letters?limit=1001", "limit"),
        ("POST", "/dead-letters/kitchen/evt_good/replay", "service"),
        ("POST", "/dead-letters/rooms/evt%20good/replay", "event_id"),
    ],
)
async def test_a_wrong_question_names_its_field(calling: Calling, method: str, path: str, field: str) -> None:
    refused = await calling("operator").request(method, path)
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, field)
