"""The agent's owner alone reads what its runs used (R39)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from libs.contracts.caller import Caller
from libs.contracts.errors import BadCursor, Forbidden, NotFound
from libs.contracts.runs import ListRuns, RunTotal, SumRuns
from tests.harness import Hub, caller
from tests.runs.given import PROJECT, fresh_owner, report, runs, totals

SERVICES = ("runs",)


async def test_an_owner_reads_the_runs_of_all_its_agents_newest_first(hub: Hub) -> None:
    owner = fresh_owner()
    first = await report(hub, owner)
    hub.clock.advance(seconds=1)
    second = await report(hub, owner, agent_id=f"{owner}/claude", exit_code=137)
    found = await runs(hub, owner)
    assert [record.run_id for record in found] == [second.run.run_id, first.run.run_id]
    assert [(record.agent_id, record.exit_code) for record in found] == [
        (f"{owner}/claude", 137),
        (f"{owner}/codex", None),
    ]


async def test_a_late_report_is_marked(hub: Hub) -> None:
    """R39: in the owner's views, never in what the reporter reads as the run."""
    owner = fresh_owner()
    reported = await report(hub, owner, late=True)
    assert reported.late
    assert "late" not in reported.run.wire()
    assert [record.late for record in await runs(hub, owner)] == [True]
    assert (await totals(hub, owner, "agent"))[f"{owner}/codex"].late == 1


READERS = [
    Caller(kind="operator", subject="operator"),
    Caller(kind="system", subject="system"),
    caller("maya/codex"),
    Caller(kind="device", subject="dev_1", owner="maya"),
    Caller(kind="run", subject="maya/codex"),
]


@pytest.mark.parametrize("by", READERS, ids=lambda by: by.kind)
async def test_nobody_but_a_person_reads_records(hub: Hub, by: Caller) -> None:
    for query in (ListRuns(), SumRuns(by="day"), ListRuns(agent_id="maya/codex")):
        with pytest.raises(Forbidden):
            await hub.ask(query, by)


async def test_another_person_reads_nothing(hub: Hub) -> None:
    owner, other = fresh_owner(), fresh_owner()
    reported = await report(hub, owner)
    assert await runs(hub, other) == []
    assert await runs(hub, other, task_id=reported.run.task_id) == []
    assert await totals(hub, other, "task") == {}
    for query in (ListRuns(agent_id=f"{owner}/codex"), SumRuns(by="day", agent_id=f"{owner}/codex")):
        with pytest.raises(NotFound):
            await hub.ask(query, other)


async def test_filters_narrow_the_list(hub: Hub) -> None:
    owner = fresh_owner()
    old = await report(hub, owner, task_id=f"task_{owner}", project="another-one")
    hub.clock.advance(seconds=60)
    noon = hub.clock.now
    new = await report(hub, owner, agent_id=f"{owner}/claude")
    for asked, expected in (
        ({"agent_id": f"{owner}/claude"}, new),
        ({"project": PROJECT}, new),
        ({"project": "another-one"}, old),
        ({"task_id": f"task_{owner}"}, old),
        ({"since": noon}, new),
        ({"until": noon}, old),
    ):
        assert [record.run_id for record in await runs(hub, owner, **asked)] == [expected.run.run_id]
    assert await runs(hub, owner, since=noon, until=noon) == []


async def test_pages_bring_every_run_once(hub: Hub) -> None:
    """Also those that were reported in the same moment; `next` is null exactly when nothing is left."""
    owner = fresh_owner()
    made = {(await report(hub, owner)).run.run_id for _ in range(6)}
    seen: list[str] = []
    pages, after = 0, None
    while pages == 0 or after is not None:
        page = await hub.ask(ListRuns(limit=2, **({"after": after} if after else {})), owner)
        seen += [record.run_id for record in page.runs]
        pages, after = pages + 1, page.next
    assert (pages, len(seen), set(seen)) == (3, 6, made)


async def test_a_cursor_of_another_owner_or_a_made_up_one_is_refused(hub: Hub) -> None:
    owner, other = fresh_owner(), fresh_owner()
    for _ in range(2):
        await report(hub, owner)
    foreign = (await hub.ask(ListRuns(limit=1), owner)).next
    for after in (foreign, "run_made_up"):
        with pytest.raises(BadCursor):
            await hub.ask(ListRuns(after=after), other)


async def test_a_sum_leaves_out_what_is_unknown(hub: Hub) -> None:
    """A number that no run knows is null, never 0."""
    owner = fresh_owner()
    await report(hub, owner, input_tokens=1000, turns=None, duration_ms=500, exit_code=0)
    await report(hub, owner, input_tokens=None, turns=None, duration_ms=700, exit_code=0)
    assert await totals(hub, owner, "agent") == {
        f"{owner}/codex": RunTotal(
            group=f"{owner}/codex",
            runs=2,
            input_tokens=1000,
            output_tokens=None,
            turns=None,
            duration_ms=1200,
            unknown=2,
            late=0,
        )
    }


async def test_sums_pass_the_bounds_of_one_report(hub: Hub) -> None:
    owner = fresh_owner()
    for _ in range(3):
        await report(hub, owner, input_tokens=2147483647)
    assert (await totals(hub, owner, "agent"))[f"{owner}/codex"].input_tokens == 3 * 2147483647


async def test_outcomes_go_by_the_exit_code(hub: Hub) -> None:
    owner = fresh_owner()
    for exit_code in (0, 0, 1, 137, None):
        await report(hub, owner, exit_code=exit_code)
    by_outcome = await totals(hub, owner, "outcome")
    assert {group: total.runs for group, total in by_outcome.items()} == {"failed": 2, "ok": 2, "unknown": 1}


async def test_days_are_days_in_utc_newest_first(hub: Hub) -> None:
    owner = fresh_owner()
    midnight = datetime.combine(hub.clock.now.date() + timedelta(days=3), datetime.min.time(), UTC)
    for moment in (midnight - timedelta(seconds=1), midnight, midnight + timedelta(hours=23, minutes=59)):
        hub.clock.now = moment
        await report(hub, owner)
    days = {group: total.runs for group, total in (await totals(hub, owner, "day")).items()}
    today, yesterday = midnight.date(), midnight.date() - timedelta(days=1)
    assert list(days.items()) == [(today.isoformat(), 2), (yesterday.isoformat(), 1)]


async def test_totals_by_task_come_newest_first_and_say_when_there_are_more(hub: Hub) -> None:
    owner = fresh_owner()
    tasks = []
    for _ in range(3):
        tasks.append((await report(hub, owner)).run.task_id)
        hub.clock.advance(seconds=1)
    page = await hub.ask(SumRuns(by="task", limit=2), owner)
    assert ([total.group for total in page.totals], page.more) == (tasks[:0:-1], True)
    assert (await hub.ask(SumRuns(by="task", limit=3), owner)).more is False


@pytest.mark.parametrize("by", ["day", "agent", "task", "outcome"])
async def test_totals_take_the_filters_of_the_list(hub: Hub, by: Any) -> None:
    owner = fresh_owner()
    await report(hub, owner, project="another-one", turns=1)
    await report(hub, owner, turns=20)
    (total,) = (await totals(hub, owner, by, project=PROJECT)).values()
    assert (total.runs, total.turns) == (1, 20)
