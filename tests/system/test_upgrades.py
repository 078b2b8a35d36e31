"""R47: processes of this release beside those of the next one, which say more than this release knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import asyncpg
import orjson
import pytest
from structlog.testing import capture_logs

from libs.bus import envelope
from libs.bus.consuming import EventLane
from libs.bus.envelope import FIELD
from libs.bus.tables import DEAD_LETTERS
from libs.storage import new_id
from tests.harness import SERVICES, Hub, until
from tests.system.pair import Pair, ids, kinds

REPLICAS = GATEWAYS = 2
LATER = "of_a_later_release"
USED = {"input_tokens": 1200, "output_tokens": 340, "turns": None, "duration_ms": 91000, "exit_code": 0}
TABLES = (
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables "
    "WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
)


async def work_together(pair: Pair) -> None:
    """An afternoon that takes commands, queries, events and mailboxes of every service, at both gateways."""
    with capture_logs() as logs:
        wait = await pair.site.wait(pair.bob, gateway=1)
        mention = await pair.mention_bob()
        assert ids(await wait) == [mention]
        await pair.call(pair.ann, "update_pulse", project=pair.project, doing="Counting.", gateway=1)
        claimed = await pair.call(pair.bob, "memory_agents", action="claim", lease=f"claim:{new_id('file')}")
        assert claimed["outcome"] == "granted"
        await hand_over(pair)
        context = await pair.call(pair.ann, "get_project_context", project=pair.project)
        assert {"agent_id": pair.ann, "doing": "Counting."}.items() <= context["pulse"][0].items()
    assert [log for log in logs if log["log_level"] in ("error", "critical")] == []


async def hand_over(pair: Pair) -> None:
    """A task from handoff to report, of which everybody hears; pulse and rooms follow its events."""
    named = await pair.take()
    task_id = named["task_id"]
    await until(lambda: shows_attempt(pair, task_id))
    await pair.finish(named)
    heard = await pair.wait(pair.ann, "wait_for_updates", kinds=["result_returned"], timeout_seconds=20, gateway=1)
    assert kinds(heard)[-1] == "result_returned"
    accepted = await pair.call(pair.ann, "accept_result", task_id=task_id)
    assert accepted["task"]["state"] == "accepted"
    run = {"task_id": task_id, "run_id": str(uuid4()), "project": pair.project}
    reported = await pair.call(pair.bob, "report_run", **run, **USED)
    assert reported["run"]["run_id"] == run["run_id"]


async def shows_attempt(pair: Pair, task_id: str) -> bool:
    """Whether pulse has heard that bob works on a task."""
    context = await pair.call(pair.ann, "get_project_context", project=pair.project)
    return {"agent_id": pair.bob, "availability": "working"}.items() <= context["pulse"][-1].items()


def later(value: Any) -> Any:
    """The same as the next release might say it: every object has one more field."""
    if isinstance(value, dict):
        return {name: later(part) for name, part in value.items()} | {LATER: {"is": "unknown"}}
    return [later(part) for part in value] if isinstance(value, list) else value


def in_a_later_header(said: str) -> str:
    """A header's JSON with what nobody knows, if it is an object."""
    return orjson.dumps(later(orjson.loads(said))).decode() if said.startswith("{") else said


async def test_whatever_is_on_the_bus_may_have_fields_that_nobody_knows(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands with their callers, replies, the entries within them, and events."""
    encode = envelope._encode

    async def encode_later(body: bytes, headers: dict[str, str], *ends: str) -> bytes:
        told = {name: in_a_later_header(said) for name, said in headers.items()} | {LATER: "unknown"}
        return await encode(orjson.dumps(later(orjson.loads(body))), told, *ends)

    monkeypatch.setattr(envelope, "_encode", encode_later)
    await work_together(pair)


async def test_an_event_of_a_kind_that_nobody_knows_is_passed_over(pair: Pair) -> None:
    """It is acknowledged by every service that follows its stream, and is no dead letter."""
    redis = pair.site.hub.services["rooms"].bus.client
    data = await envelope._encode(b'{"by":"ann"}', {"event": "moon_landed"}, new_id("evt"))
    landed = {
        stream: await redis.xadd(stream, {FIELD: data}) for stream in {lane.stream for lane in lanes(pair.site.hub)}
    }
    for lane in lanes(pair.site.hub):
        await until(lambda lane=lane: passed(lane, landed[lane.stream]))
    await work_together(pair)
    for name in SERVICES:
        async with pair.site.hub.services[name].database.read() as session:
            assert (await session.execute(DEAD_LETTERS.select())).all() == []


def lanes(hub: Hub) -> Iterator[EventLane]:
    """Who follows events."""
    for name in SERVICES:
        yield from hub.services[name].bus._events


async def passed(lane: EventLane, entry_id: bytes) -> bool:
    """Whether a group has taken an event and everything before it, and nothing of it is left to do."""
    groups = await lane._writer._client.xinfo_groups(lane.stream)
    (mine,) = (group for group in groups if group["name"].decode() == lane.service)
    return bool(
        envelope.milliseconds(mine["last-delivered-id"]) >= envelope.milliseconds(entry_id) and not mine["pending"]
    )


@pytest.mark.parametrize("service", ["rooms", "tasks", "pulse"])
async def test_an_entry_of_a_kind_that_nobody_knows_is_passed_over_by_the_wait_and_its_cursor(
    pair: Pair, service: str
) -> None:
    async with pair.site.hub.services[service].bus.executor.begin() as work:
        work.deliver(pair.bob, "moon_landed", pair.project, {"moon": {"by": "ann"}})
    mention = await pair.mention_bob()
    answer = await pair.wait(tool="wait_for_updates", timeout_seconds=20)
    assert [update["message"]["id"] for update in answer["updates"]] == [mention]
    again = await pair.wait(tool="wait_for_updates", cursor=answer["next_cursor"])
    assert (again["updates"], again["timed_out"]) == ([], True)


async def test_columns_and_tables_that_nobody_knows_are_no_matter(pair: Pair) -> None:
    """Migrations expand first: they run while the processes of the last release go on with what they prepared."""
    await work_together(pair)
    connection = await asyncpg.connect(pair.site.hub.settings.database_url.replace("+asyncpg", ""))
    for table in await connection.fetch(TABLES):
        await connection.execute(f"ALTER TABLE {table['name']} ADD COLUMN {LATER} text NOT NULL DEFAULT '?'")
    await connection.close()
    await work_together(await Pair.meet(pair.site))
