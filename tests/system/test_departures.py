"""Clients that go away: their waits end, and nothing they did or missed is lost or doubled."""

from __future__ import annotations

from tests.harness import until
from tests.system.pair import PROOF, Pair, both_eras, ids
from tests.system.sockets import calling

pytestmark = both_eras


async def test_a_client_that_leaves_ends_its_wait(pair: Pair) -> None:
    """R25."""
    async with calling(pair, pair.bob, "wait_for_mention", timeout_seconds=50) as line:
        await line.read_until(b": waiting\n\n")
        await until(lambda: pair.site.gateway.app.gateway.waits.open_waits())
    await until(lambda: not pair.site.gateway.app.gateway.waits.open_waits())


async def test_an_answer_that_was_written_to_nobody_is_given_again(pair: Pair) -> None:
    """R20, R22: the socket closes as the answer is written."""
    cursor = (await pair.wait())["next_cursor"]
    async with calling(pair, pair.bob, "wait_for_mention", cursor=cursor, timeout_seconds=50) as line:
        await line.read_until(b": waiting\n\n")
        mention = await pair.mention_bob()
        line.drop()
    assert await pair.heard(cursor=cursor) == [mention]
    assert await pair.heard() == [mention]


async def test_an_answer_that_was_read_in_part_is_given_again(pair: Pair) -> None:
    """R20: the client reads the headers and the first line, then its machine sleeps."""
    cursor = (await pair.wait())["next_cursor"]
    mention = await pair.mention_bob()
    async with calling(pair, pair.bob, "wait_for_mention", cursor=cursor) as line:
        await line.read_until(b"event: message")
        line.drop()
    assert await pair.heard(cursor=cursor) == [mention]


async def test_many_broken_waits_lose_and_double_nothing_for_a_client_that_keeps_its_cursor(pair: Pair) -> None:
    """R20: exactly once, whatever breaks."""
    cursor, heard, sent = (await pair.wait())["next_cursor"], [], []
    for _ in range(10):
        async with calling(pair, pair.bob, "wait_for_mention", cursor=cursor, timeout_seconds=50) as line:
            await line.read_until(b": waiting\n\n")
            sent.append(await pair.mention_bob())
            line.drop()
        answer = await pair.wait(cursor=cursor)
        heard += ids(answer)
        cursor = answer["next_cursor"]
    assert heard == sent


async def test_a_post_whose_answer_was_lost_is_one_message_after_the_retry(pair: Pair) -> None:
    """R40."""
    said = {"project": pair.project, "body": f"@{pair.bob} once", "idempotency_key": "once"}
    async with calling(pair, pair.ann, "post_message", **said) as line:
        await until(pair.messages)
        line.drop()
    repeated = await pair.call(pair.ann, "post_message", **said)
    again = await pair.call(pair.ann, "post_message", **said)
    assert again == repeated
    assert await pair.messages() == [repeated["message"]["id"]]
    assert await pair.heard() == [repeated["message"]["id"]]


async def test_a_result_whose_answer_was_lost_is_answered_again_under_its_key(pair: Pair) -> None:
    """R9, R40: the stored answer is looked up before the attempt is found to have ended."""
    named = await pair.take()
    said = {**named, "outcome": "done", "summary": "Counted.", "evidence": [PROOF], "idempotency_key": "result"}
    async with calling(pair, pair.bob, "return_result", **said) as line:
        await line.read_until(b"\r\n\r\n")
        line.drop()
    repeated = await pair.call(pair.bob, "return_result", **said)
    results = (await pair.whole(named["task_id"]))["results"]
    assert [result["result_id"] for result in results] == [repeated["result"]["result_id"]]


async def test_a_handoff_whose_answer_was_lost_is_one_task_and_one_request(pair: Pair) -> None:
    """R40."""
    said = {"project": pair.project, "to": pair.bob, "title": "Count", "objective": "Count.", "acceptance": ["Done"]}
    async with calling(pair, pair.ann, "handoff", **said, idempotency_key="handoff") as line:
        await until(lambda: tasks(pair))
        line.drop()
    repeated = await pair.call(pair.ann, "handoff", **said, idempotency_key="handoff")
    assert await tasks(pair) == [repeated["task"]["task_id"]]
    assert await pair.heard() == [repeated["message"]["id"]]


async def tasks(pair: Pair) -> list[str]:
    """The ids of the tasks in bob's inbox."""
    return [task["task_id"] for task in (await pair.call(pair.bob, "check_inbox"))["tasks"]]
