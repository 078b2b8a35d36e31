"""What agents ask of their owners: capabilities and steps, and the owners' decisions."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from libs.contracts.caller import Caller
from libs.contracts.errors import BadCursor, Conflict, Forbidden, InvalidInput, NotFound
from libs.contracts.tasks import ApprovedCapabilities, ApprovedCapability, ListRequests, Request, Requests
from services.tasks.domain.inputs import size
from tests.tasks.asking import ask, decide, need, want
from tests.tasks.desk import Desk

SERVICES = ("tasks",)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


async def listed(desk: Desk, by: str, **asked: Any) -> Requests:
    return await desk.hub.ask(ListRequests(**asked), by)


async def capabilities(desk: Desk, by: str, *agents: str) -> list[ApprovedCapability]:
    query = ApprovedCapabilities(agent_ids=list(agents) or [desk.claude])
    return (await desk.hub.ask(query, by)).capabilities


async def test_an_agent_asks_its_owner_outside_of_any_task(desk: Desk) -> None:
    request = await want(desk, for_seconds=60)
    assert (request.kind, request.task_id, request.asked_by) == ("capability", None, desk.claude)
    assert (request.capability, request.reason, request.for_seconds) == ("network:pypi", "To install ruff.", 60)
    step = await need(desk)
    assert (step.kind, step.step, step.why, step.blocks) == ("step", "Plug the phone in.", "To test on it.", False)
    assert (await listed(desk, desk.jonas)).requests == [step, request]
    assert (await desk.inbox(desk.jonas)).requests == [step, request]


async def test_an_approval_ends_when_the_owner_says(desk: Desk) -> None:
    end = desk.hub.clock.now + HOUR
    approved = await decide(desk, await want(desk, for_seconds=60), "approve", expires_at=end, reason="Go on.")
    assert (approved.status, approved.decided_by, approved.answer) == ("approved", desk.jonas, "Go on.")
    assert approved.expires_at == end
    entry = (await desk.entries(desk.claude))[-1]
    assert (entry.kind, entry.body) == ("request_decided", {"request": approved.wire()})


async def test_an_approval_lasts_as_long_as_was_asked_for_or_a_day(desk: Desk) -> None:
    brief, plain = await want(desk, for_seconds=60), await want(desk)
    desk.hub.clock.advance(10)
    assert (await decide(desk, brief, "approve")).expires_at == desk.hub.clock.now + timedelta(minutes=1)
    assert (await decide(desk, plain, "approve")).expires_at == desk.hub.clock.now + DAY


async def test_an_approved_capability_shows_to_the_agents_owner_alone_until_it_ends(desk: Desk) -> None:
    await decide(desk, await want(desk), "approve")
    await want(desk, capability="network:npm")
    for side in (desk.jonas, desk.claude, f"{desk.jonas}/other"):
        [shown] = await capabilities(desk, side)
        assert (shown.agent_id, shown.project, shown.capability) == (desk.claude, "website", "network:pypi")
    assert await capabilities(desk, desk.codex) == await capabilities(desk, desk.rosa) == []
    assert await capabilities(desk, desk.jonas, f"{desk.jonas}/other") == []
    desk.hub.clock.advance(DAY.total_seconds())
    assert await capabilities(desk, desk.jonas) == []


async def test_each_checkpoint_brings_approved_capabilities_of_the_project_until_they_end(desk: Desk) -> None:
    attempt = await desk.take()
    approved = await decide(desk, await want(desk), "approve", expires_at=desk.hub.clock.now + timedelta(minutes=5))
    await decide(desk, await want(desk, project="elsewhere"), "approve")
    for _ in range(2):
        [directive] = (await desk.checkpoint(attempt)).directives
        assert (directive.kind, directive.at, directive.request) == ("capability", approved.expires_at, approved)
    desk.hub.clock.advance(300)
    assert (await desk.checkpoint(attempt)).directives == []


async def test_what_was_denied_or_done_for_a_task_comes_with_its_next_checkpoint(desk: Desk) -> None:
    attempt = await desk.take()
    denied = await decide(desk, await want(desk, attempt), "deny", reason="Too risky.")
    done = await decide(desk, await need(desk, attempt), "done")
    told = (await desk.checkpoint(attempt)).directives
    assert [(one.kind, one.request) for one in told] == [("capability", denied), ("step", done)]
    assert (denied.status, denied.answer, done.status) == ("denied", "Too risky.", "done")
    assert (await desk.checkpoint(attempt)).directives == []


async def test_a_step_that_blocks_lets_its_task_wait(desk: Desk) -> None:
    """R7."""
    attempt = await desk.take()
    step = await need(desk, attempt, blocks=True)
    assert (await desk.whole(attempt.task_id)).state == "waiting"
    assert [entry.body["task"]["state"] for entry in await desk.entries(desk.codex)] == ["working", "waiting"]
    await decide(desk, step, "done")
    assert (await desk.whole(attempt.task_id)).state == "working"
    assert [entry.body["task"]["state"] for entry in await desk.entries(desk.codex)][2:] == ["working"]


async def test_a_step_that_does_not_block_and_a_capability_stop_nothing(desk: Desk) -> None:
    """R7."""
    attempt = await desk.take()
    asked = [await need(desk, attempt), await want(desk, attempt)]
    assert (await desk.whole(attempt.task_id)).state == "working"
    assert {request.task_id for request in asked} == {attempt.task_id}
    await desk.let_lapse()
    assert (await desk.whole(attempt.task_id)).state == "requested"


async def test_a_step_that_blocks_names_its_task(desk: Desk) -> None:
    with pytest.raises(InvalidInput) as refused:
        await need(desk, blocks=True)
    assert refused.value.data.field == "task_id"


@pytest.mark.parametrize("said", [{"attempt_id": None}, {"attempt_id": "att_1"}, {"project": "elsewhere"}])
async def test_the_attempt_is_the_fence_where_a_task_is_named(desk: Desk, said: dict[str, Any]) -> None:
    attempt = await desk.take()
    for asks in (want, need):
        with pytest.raises((InvalidInput, NotFound)) as refused:
            await asks(desk, attempt, **said)
        assert refused.value.data.field in said
    assert (await listed(desk, desk.jonas)).requests == []


@pytest.mark.parametrize(
    ("kind", "decision", "said", "field"),
    [
        ("capability", "done", {}, "decision"),
        ("step", "approve", {}, "decision"),
        ("capability", "deny", {}, "reason"),
        ("step", "deny", {}, "reason"),
        ("capability", "deny", {"reason": "No.", "expires_at": DAY}, "expires_at"),
        ("step", "done", {"expires_at": DAY}, "expires_at"),
        ("capability", "approve", {"expires_at": -DAY}, "expires_at"),
        ("clarification", "approve", {}, "request_id"),
    ],
)
async def test_a_decision_that_does_not_suit_the_request_is_refused(
    desk: Desk, kind: str, decision: Any, said: dict[str, Any], field: str
) -> None:
    request = await {"capability": want, "step": need, "clarification": ask}[kind](desk)
    times = {name: desk.hub.clock.now + value for name, value in said.items() if isinstance(value, timedelta)}
    with pytest.raises(InvalidInput) as refused:
        await decide(desk, request, decision, **{**said, **times})
    assert refused.value.data.field == field
    assert "request_decided" not in await desk.kinds(desk.claude)


async def test_only_the_agents_owner_decides_and_strangers_do_not_find_it(desk: Desk) -> None:
    request = await want(desk, await desk.take())
    for other in (desk.claude, desk.codex, desk.maya, desk.rosa):
        with pytest.raises(Forbidden, match=desk.jonas):
            await decide(desk, request, "approve", by=other)
    for stranger in (desk.stranger, f"{desk.rosa}/bot", "operator"):
        with pytest.raises(NotFound) as refused:
            await decide(desk, request, "approve", by=stranger)
        assert refused.value.data.field == "request_id"
    own = await want(desk)
    with pytest.raises(NotFound):
        await decide(desk, own, "approve", by=desk.maya)


async def test_of_two_decisions_at_once_one_wins_and_may_be_repeated(desk: Desk) -> None:
    for _ in range(10):
        request = await want(desk)
        both = [decide(desk, request, "approve"), decide(desk, request, "deny", reason="No.")]
        results = await asyncio.gather(*both, return_exceptions=True)
        assert len([result for result in results if isinstance(result, Conflict)]) == 1
        [winner] = [result for result in results if isinstance(result, Request)]
        before = len(await desk.entries(desk.claude))
        repeated = "approve" if winner.status == "approved" else "deny"
        assert await decide(desk, request, repeated, reason=winner.answer) == winner
        assert len(await desk.entries(desk.claude)) == before


async def test_an_inbox_shows_the_newest_twenty_requests_and_a_list_shows_all_in_pages(desk: Desk) -> None:
    asked = []
    for _ in range(25):
        desk.hub.clock.advance(1)
        asked.append(await want(desk))
    asked.reverse()
    assert (await desk.inbox(desk.jonas)).requests == asked[:20]
    first = await listed(desk, desk.jonas, limit=15)
    second = await listed(desk, desk.jonas, limit=10, after=first.last)
    assert first.requests + second.requests == asked
    assert second.last is None
    with pytest.raises(BadCursor):
        await listed(desk, desk.jonas, after="req_unknown")


async def test_a_list_shows_what_awaits_the_caller_and_on_request_what_was_decided(desk: Desk) -> None:
    question, wish = await ask(desk), await want(desk)
    assert (await listed(desk, desk.codex)).requests == (await listed(desk, desk.maya)).requests == [question]
    assert (await listed(desk, desk.jonas)).requests == [wish]
    assert (await listed(desk, desk.claude)).requests == (await listed(desk, desk.rosa)).requests == []
    approved = await decide(desk, wish, "approve")
    assert (await listed(desk, desk.jonas)).requests == []
    assert (await listed(desk, desk.jonas, statuses=["approved", "denied"])).requests == [approved]
    assert (await listed(desk, desk.codex, project="elsewhere")).requests == []


async def test_a_project_key_is_shown_the_questions_of_its_project_alone(desk: Desk) -> None:
    elsewhere = await ask(desk, await desk.take(await desk.hand_off(project="elsewhere")))
    here = await ask(desk)
    key = Caller(kind="project", subject=desk.codex, project="website")
    assert (await desk.hub.ask(ListRequests(), key)).requests == [here]
    with pytest.raises(NotFound):
        await decide(desk, elsewhere, "approve", by=key)  # type: ignore[arg-type]


async def test_requests_and_reviews_leave_room_for_tasks(desk: Desk) -> None:
    for _ in range(6):
        await desk.finish(await desk.take(), summary="s" * 8000)
        await ask(desk, question="€" * 2000)
    page = await desk.inbox()
    assert size(page) <= 64 * 1024
    assert len(page.requests) == 2
    assert page.omitted == {"reviews": 3, "requests": 4}
    assert page.tasks
