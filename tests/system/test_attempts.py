"""Attempts of interactive agents over HTTP: lapsed, taken again, cancelled (R3 to R9)."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.site import Refused, Site
from tests.system.pair import PROOF, Pair, both_eras, kinds

DEADLINE = 600


@pytest.fixture
def stopped_timers(site: Site, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Nobody marks a lapse until this is undone."""

    async def nothing(timer: object) -> None:
        return None

    monkeypatch.setattr(site.hub.services["tasks"].bus, "_on_time", nothing)
    return monkeypatch


async def lapse(pair: Pair) -> None:
    """Let the deadline of attempts pass and the timers of the service mark it."""
    pair.site.hub.clock.advance(seconds=DEADLINE + 1)
    await pair.site.hub.tick("tasks")


@both_eras
async def test_the_old_session_cannot_return_a_result_once_the_task_was_taken_again(pair: Pair) -> None:
    """R9: it is the same agent with the same key; the attempt tells its two sessions apart."""
    old = await pair.take()
    await lapse(pair)
    new = await pair.take(old["task_id"])
    before = await pair.whole(old["task_id"])
    for tool, said in (
        ("return_result", {"outcome": "done", "summary": "Late.", "evidence": [PROOF]}),
        ("checkpoint", {"summary": "Still at it."}),
    ):
        refusal = await pair.refused(pair.bob, tool, **old, **said)
        assert refusal.code == "stale_attempt"
        assert "lapsed" in refusal.error["message"]
    assert await pair.whole(old["task_id"]) == before
    assert (await pair.finish(new))["task"]["state"] == "returned"


async def test_a_lapse_reopens_the_task_once_with_its_last_checkpoint(pair: Pair) -> None:
    """R4: the next holder finds it in the packet."""
    named = await pair.take()
    await pair.call(pair.bob, "checkpoint", **named, summary="Half of the pages.", progress=50)
    await lapse(pair)
    await pair.site.hub.tick("tasks")
    told = await pair.wait(tool="wait_for_updates", kinds=["task_requested"])
    assert kinds(told) == ["task_requested", "task_requested"]
    assert (await pair.whole(named["task_id"]))["attempts_used"] == 1
    seen = (await pair.call(pair.bob, "check_inbox", task_id=named["task_id"]))["tasks"][0]
    assert [checkpoint["progress"] for checkpoint in seen["checkpoints"]] == [50]


async def test_a_heartbeat_before_anyone_marked_the_lapse_still_holds_the_task(
    pair: Pair, stopped_timers: pytest.MonkeyPatch
) -> None:
    """R4: time alone ends nothing."""
    named = await pair.take()
    pair.site.hub.clock.advance(seconds=10 * DEADLINE)
    made = await pair.call(pair.bob, "checkpoint", **named, summary="Back from lunch.")
    stopped_timers.undo()
    await pair.site.hub.tick("tasks")
    assert made["task"]["state"] == (await pair.whole(named["task_id"]))["state"] == "working"
    await pair.finish(named)


async def test_a_result_before_anyone_marked_the_lapse_is_taken(pair: Pair, stopped_timers: pytest.MonkeyPatch) -> None:
    """R4."""
    named = await pair.take()
    pair.site.hub.clock.advance(seconds=DEADLINE + 1)
    await pair.finish(named)
    stopped_timers.undo()
    await pair.site.hub.tick("tasks")
    assert (await pair.whole(named["task_id"]))["state"] == "returned"


async def test_each_checkpoint_moves_the_deadline(pair: Pair) -> None:
    """R3."""
    named = await pair.take()
    for _ in range(3):
        pair.site.hub.clock.advance(seconds=DEADLINE - 1)
        made = await pair.call(pair.bob, "checkpoint", **named, summary="More.")
        deadline = datetime.fromisoformat(made["task"]["attempt"]["deadline"])
        assert deadline == pair.site.hub.clock.now + timedelta(seconds=DEADLINE)


async def test_a_task_fails_when_its_attempts_are_used_up_and_both_are_told(pair: Pair) -> None:
    """R4."""
    named = await pair.take()
    for _ in range(2):
        await lapse(pair)
        await pair.take(named["task_id"])
    await lapse(pair)
    assert (await pair.whole(named["task_id"]))["state"] == "failed"
    for agent in (pair.ann, pair.bob):
        told = (await pair.wait(agent, tool="wait_for_updates", kinds=["task_updated"]))["updates"][-1]
        assert told["task"]["state"] == "failed"
    assert await pair.refusal("accept_task", task_id=named["task_id"]) == ("conflict", None)


@both_eras
async def test_who_works_on_a_cancelled_task_is_told_at_its_next_call(pair: Pair) -> None:
    """R8."""
    named = await pair.take()
    await pair.call(pair.ann, "cancel_task", task_id=named["task_id"], reason="No longer needed.")
    refusal = await pair.refused(pair.bob, "checkpoint", **named, summary="Still at it.")
    assert refusal.code == "stale_attempt"
    assert pair.ann in refusal.error["message"]
    told = (await pair.wait(tool="wait_for_updates", kinds=["cancel_requested"]))["updates"]
    assert [update["task"]["note"] for update in told] == ["No longer needed."]


async def test_of_many_sessions_that_take_a_task_at_once_one_wins(pair: Pair) -> None:
    """R5: the others are told who holds it."""
    task_id = await pair.hand_off()
    calls = [pair.call(pair.bob, "accept_task", task_id=task_id, idempotency_key=f"k{n}") for n in range(8)]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    won = [answer for answer in answers if isinstance(answer, dict)]
    lost = [answer.error for answer in answers if isinstance(answer, Refused)]
    assert (len(won), len(lost)) == (1, 7)
    assert all((error["code"], error["details"]) == ("conflict", {"holder": pair.bob}) for error in lost)


async def test_the_winner_that_repeats_its_call_gets_the_same_attempt(pair: Pair) -> None:
    """R5."""
    task_id = await pair.hand_off()
    assert await pair.take(task_id, idempotency_key="k") == await pair.take(task_id, idempotency_key="k")


def sees_attempt(shown: Any) -> bool:
    """Whether an attempt's id is anywhere in what is shown."""
    if isinstance(shown, dict):
        return "attempt_id" in shown or any(sees_attempt(inner) for inner in shown.values())
    return isinstance(shown, list) and any(sees_attempt(inner) for inner in shown)


async def test_nobody_but_the_holder_ever_sees_the_attempts_id(pair: Pair) -> None:
    """R3: it is what proves that the task is one's own."""
    named = await pair.take()
    await pair.call(pair.bob, "checkpoint", **named, summary="Half of it.")
    seen = [await pair.whole(named["task_id"]), await pair.call(pair.ann, "check_inbox")]
    result = (await pair.finish(named))["result"]
    assert result["attempt_id"] == named["attempt_id"]
    seen += [await pair.whole(named["task_id"]), await pair.call(pair.ann, "check_inbox")]
    seen.append(await pair.wait(pair.ann, tool="wait_for_updates"))
    seen.append(await pair.call(pair.ann, "accept_result", task_id=named["task_id"]))
    assert not any(sees_attempt(shown) for shown in seen)
    refusal = await pair.refusal("checkpoint", by=pair.ann, **named, summary="Mine now.")
    assert refusal == ("not_found", "attempt_id")


async def test_the_agent_that_did_the_work_never_reviews_it(pair: Pair) -> None:
    """R16: of two reviews at once one wins, and repeating the winning one is harmless."""
    named = await pair.take()
    await pair.finish(named)
    task = {"task_id": named["task_id"]}
    assert await pair.refusal("accept_result", **task) == ("forbidden", None)
    assert await pair.refusal("reject_result", **task, reason="No.") == ("forbidden", None)
    accepted = await pair.call(pair.ann, "accept_result", **task)
    assert await pair.call(pair.ann, "accept_result", **task) == accepted
    assert await pair.refusal("reject_result", by=pair.ann, **task, reason="Too late.") == ("conflict", None)
