"""Timeouts, page sizes and cursors as clients get them wrong, over HTTP."""

from __future__ import annotations

import asyncio

import orjson

from libs.contracts.policy import Policy
from libs.contracts.waits import Wait
from tests.system.pair import Pair, both_eras

pytestmark = both_eras

SETTINGS = {"max_wait_seconds": 1, "wait_seconds": 0, "progress_seconds": 0.1}
NOT_A_LIMIT = [0, -1, 20.5, True, "20", None, [20]]
NOT_A_TIMEOUT = [-1, 20.5, True, "20", None]
WAITS = ["wait_for_mention", "wait_for_updates"]
PAGES = ["check_inbox", "discover_team_agents"]


async def test_a_limit_that_is_none_is_refused_and_never_everything(pair: Pair) -> None:
    for limit in NOT_A_LIMIT:
        for tool in WAITS + PAGES:
            assert await pair.refusal(tool, limit=limit) == ("invalid_input", "limit"), limit
        assert await pair.refusal("read_room", project=pair.project, limit=limit) == ("invalid_input", "limit"), limit


async def test_a_timeout_that_is_none_is_refused_by_name(pair: Pair) -> None:
    for timeout in NOT_A_TIMEOUT:
        for tool in WAITS:
            assert await pair.refusal(tool, timeout_seconds=timeout) == ("invalid_input", "timeout_seconds"), timeout


async def test_twenty_point_zero_is_twenty(pair: Pair) -> None:
    await pair.mention_bob()
    await pair.mention_bob()
    assert len(await pair.heard(limit=1.0, timeout_seconds=0.0)) == 1


async def test_a_wait_of_ten_minutes_ends_at_the_longest_timeout_and_says_so(pair: Pair) -> None:
    """R25: many clients give up after a minute."""
    for answer in await asyncio.gather(*(pair.wait(tool=tool, timeout_seconds=600) for tool in WAITS)):
        assert (answer["timed_out"], answer["effective_timeout_seconds"]) == (True, 1)
        assert isinstance(answer["next_cursor"], str)


async def test_a_wait_reports_progress_to_a_client_that_asked_for_it(pair: Pair) -> None:
    """R25: it keeps a client from giving up."""
    params = {"name": "wait_for_mention", "arguments": {"timeout_seconds": 1}, "_meta": {"progressToken": "p1"}}
    answer = await pair.site.post(pair.bob, "tools/call", params, era=pair.era)
    lines = [orjson.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]
    told = [line["params"] for line in lines if line.get("method") == "notifications/progress"]
    assert {progress["progressToken"] for progress in told} == {"p1"}
    assert len(told) >= 2
    assert sorted(progress["progress"] for progress in told) == [progress["progress"] for progress in told]
    assert "result" in lines[-1]


async def test_a_wait_of_nothing_answers_at_once(pair: Pair) -> None:
    answer = await pair.wait(timeout_seconds=0)
    assert (answer["timed_out"], answer["effective_timeout_seconds"]) == (True, 0)


async def test_a_wait_that_names_no_timeout_is_told_the_one_it_got(pair: Pair) -> None:
    """R25: what the installation chose, which is what the schema says unless it chose another."""
    assert Wait.model_fields["timeout_seconds"].default == Policy().wait_seconds == 25
    for tool in WAITS:
        answer = await pair.call(pair.bob, tool)
        assert (answer["timed_out"], answer["effective_timeout_seconds"]) == (True, 0)


async def test_a_last_page_that_is_exactly_full_is_the_last(pair: Pair) -> None:
    for _ in range(2):
        await pair.mention_bob()
        await pair.hand_off()
    room = await pair.call(pair.bob, "read_room", project=pair.project, limit=4)
    inbox = await pair.call(pair.bob, "check_inbox", limit=2)
    team = await pair.call(pair.bob, "discover_team_agents", limit=2)
    assert (len(room["messages"]), len(inbox["tasks"]), len(team["agents"])) == (4, 2, 2)
    assert room["next_cursor"] is inbox["next_cursor"] is team["next_cursor"] is None


async def test_pages_follow_each_other_without_gap_or_repeat(pair: Pair) -> None:
    tasks = [await pair.hand_off() for _ in range(3)]
    first = await pair.call(pair.bob, "check_inbox", limit=2)
    second = await pair.call(pair.bob, "check_inbox", limit=2, cursor=first["next_cursor"])
    assert [task["task_id"] for task in first["tasks"] + second["tasks"]] == tasks[::-1]
    agents, cursor = [], {}
    while True:
        page = await pair.call(pair.bob, "discover_team_agents", limit=1, **cursor)
        agents += [agent["agent_id"] for agent in page["agents"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert agents == [pair.ann, pair.bob]


async def test_a_room_is_followed_from_its_end_and_from_any_message(pair: Pair) -> None:
    first, second = await pair.mention_bob(), await pair.mention_bob()
    page = await pair.call(pair.bob, "read_room", project=pair.project)
    third = await pair.mention_bob()
    followed = await pair.call(pair.bob, "read_room", project=pair.project, cursor=page["_meta"]["resume_cursor"])
    assert [message["id"] for message in followed["messages"]] == [third]
    after = await pair.call(pair.bob, "read_room", project=pair.project, cursor=first)
    assert [message["id"] for message in after["messages"]] == [second, third]
