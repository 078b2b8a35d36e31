"""Processes that stop or die at a bad moment: waits end cleanly, and what was answered is neither lost nor doubled."""

from __future__ import annotations

import asyncio
import importlib
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from libs.contracts.errors import Unavailable
from libs.contracts.rooms import StoreTaskRequest
from tests.harness import Hub, until
from tests.site import Site, running_site
from tests.system.pair import Pair, ids

KEYS, WAITS_PER_KEY = 25, 8


async def restart(hub: Hub, service: str) -> None:
    """Stop a service and start it again on its data."""
    await hub.services[service].stop()
    app = importlib.import_module(f"services.{service}.app")
    hub.services[service] = await app.service.start(hub.settings, hub.clock)


def keep_quiet(hub: Hub, service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a service die, as it were, after each commit: what it should tell the others it tells nobody."""
    monkeypatch.setattr(hub.services[service].bus.executor, "_publish", lambda committed: None)


async def two_hundred_waits(pair: Pair, cursor: str) -> list[asyncio.Task[dict[str, Any]]]:
    """Bob in very many windows of 25 keys, all waiting at the first gateway."""
    keys = [await pair.site.issue(pair.bob, "client") for _ in range(KEYS)]
    said = {"cursor": cursor, "timeout_seconds": 50}
    waits = [asyncio.create_task(pair.wait(key, **said)) for key in keys for _ in range(WAITS_PER_KEY)]
    gateway = pair.site.gateway.app.gateway
    await until(lambda: len(gateway.waits.open_waits()) == len(waits), seconds=40)
    return waits


async def test_two_hundred_waits_end_cleanly_when_their_gateway_stops(pair: Pair) -> None:
    """R25: each with the cursor that it had, and told to come back after a time of its own."""
    cursor = (await pair.wait())["next_cursor"]
    async with running_site(pair.site.hub) as dying:
        dying.tokens = pair.site.tokens
        waits = await two_hundred_waits(replace(pair, site=dying), cursor)
        with capture_logs() as logs:
            await dying.gateway.stop()
            answers = await asyncio.gather(*waits)
    assert all(answer["timed_out"] and answer["next_cursor"] == cursor for answer in answers)
    assert len({answer["retry_after_seconds"] for answer in answers}) > 3
    assert [log for log in logs if log["log_level"] in ("error", "critical")] == []
    mention = await pair.mention_bob()
    again = await pair.wait(cursor=answers[0]["next_cursor"])
    assert ids(again) == [mention]
    assert await pair.heard(cursor=again["next_cursor"]) == []


async def test_a_mention_whose_service_died_before_it_told_anybody_is_delivered(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R22: the waits that sleep meanwhile, and the next one with the old cursor."""
    cursor = (await pair.wait())["next_cursor"]
    asleep = await pair.site.wait(pair.bob, cursor=cursor, timeout_seconds=50)
    await pair.wait()
    keep_quiet(pair.site.hub, "rooms", monkeypatch)
    mention = await pair.mention_bob()
    await restart(pair.site.hub, "rooms")
    assert ids(await asleep) == [mention]
    assert await pair.heard(cursor=cursor) == [mention]


async def test_a_change_of_a_task_whose_service_died_before_it_told_anybody_is_delivered(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R22, R42."""
    asleep = await pair.site.wait(pair.ann, "wait_for_updates", timeout_seconds=50)
    task_id = await pair.hand_off()
    keep_quiet(pair.site.hub, "tasks", monkeypatch)
    await pair.take(task_id)
    await restart(pair.site.hub, "tasks")
    answer = await asleep
    assert [update["task"]["state"] for update in answer["updates"]] == ["working"]
    await until(lambda: is_working(pair))


async def is_working(pair: Pair) -> bool:
    """Whether pulse has heard that bob holds a task."""
    context = await pair.call(pair.ann, "get_project_context", project=pair.project)
    return {"agent_id": pair.bob, "availability": "working"}.items() <= context["pulse"][-1].items()


async def test_an_open_wait_outlasts_a_restart_of_the_services(pair: Pair) -> None:
    """R22."""
    asleep = await pair.site.wait(pair.bob, "wait_for_updates", timeout_seconds=50)
    for service in ("rooms", "tasks"):
        await restart(pair.site.hub, service)
    task_id = await pair.hand_off()
    answer = await asleep
    assert [update["task"]["task_id"] for update in answer["updates"]] == [task_id]


async def test_a_post_to_a_service_that_is_away_is_stored_once_when_it_is_back(pair: Pair) -> None:
    """R41: it waits in the command stream."""
    running = pair.site.hub.services["rooms"]
    await running.stop()
    posting = asyncio.create_task(pair.mention_bob())
    await until(lambda: running.bus.client.exists("prickle:rooms:commands"))
    app = importlib.import_module("services.rooms.app")
    pair.site.hub.services["rooms"] = await app.service.start(pair.site.hub.settings, pair.site.hub.clock)
    assert await pair.heard() == [await posting]


@pytest.fixture
def half_a_gateway(site: Site, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A gateway that dies, as it were, between opening a task and storing its Task request."""
    gateway, ask = site.gateway.app.gateway, site.gateway.app.gateway.ask

    async def asks_half(command: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(command, StoreTaskRequest):
            raise Unavailable("Gone.")
        return await ask(command, *args, **kwargs)

    monkeypatch.setattr(gateway, "ask", asks_half)
    return monkeypatch


async def test_a_handoff_that_stopped_halfway_gets_its_task_request_all_the_same(
    pair: Pair, half_a_gateway: pytest.MonkeyPatch
) -> None:
    """R42: rooms follows the event; the retry finds one task and one message."""
    said = {"project": pair.project, "to": pair.bob, "title": "Count", "objective": "Count.", "acceptance": ["Done"]}
    refusal = await pair.refused(pair.ann, "handoff", **said, idempotency_key="one")
    assert refusal.code == "unavailable"
    (heard,) = await until(pair.heard)
    half_a_gateway.undo()
    handed = await pair.call(pair.ann, "handoff", **said, idempotency_key="one")
    assert handed["message"]["id"] == heard
    room = await pair.call(pair.bob, "read_room", project=pair.project)
    assert [message["id"] for message in room["messages"]] == [heard]
