"""Claiming tasks over the bus (R5, R10, R11, R12)."""

from __future__ import annotations

import asyncio

import pytest

from libs.contracts.errors import (
    Conflict,
    CrossOwnerOff,
    IdempotencyConflict,
    InvalidInput,
    LimitExceeded,
    NotFound,
    RoomNotLinked,
    StaleAttempt,
    Unavailable,
)
from libs.contracts.tasks import AcceptTask, AllowTask, CancelTask, Wake
from tests.tasks.desk import Desk
from tests.tasks.given import facts
from tests.tasks.runners import Runner

SERVICES = ("tasks",)


async def test_a_claim_makes_the_run_the_one_attempt_and_tells_the_requester(desk: Desk) -> None:
    task = await desk.hand_off()
    claimed = await Runner(desk).claim(task)
    assert (claimed.task_id, claimed.project, claimed.agent_id) == (task.task_id, "website", desk.claude)
    assert (claimed.expires_at - claimed.claimed_at).total_seconds() == 3600
    whole = await desk.whole(task.task_id)
    assert (whole.state, whole.attempts_used) == ("working", 1)
    assert whole.attempt is not None
    assert (whole.attempt.kind, whole.attempt.started_at) == ("run", claimed.claimed_at)
    assert await desk.kinds(desk.codex) == ["task_updated"]
    event, body = (await desk.announced(task.task_id))[-1]
    assert (event, body["kind"], body["agent_id"]) == ("attempt_started", "run", desk.claude)


async def test_the_same_key_replays_the_claim_with_a_fresh_token_and_the_former_is_dead(desk: Desk) -> None:
    """R10."""
    runner = Runner(desk)
    task = await desk.hand_off()
    first = await runner.claim(task, token="first")
    desk.hub.clock.advance(30)
    assert await runner.claim(task, token="second") == first
    assert (await runner.token(token="first")).caller is None
    run = (await runner.token(token="second")).caller
    assert run is not None
    assert run.run is not None
    assert run.run.attempt_id == first.attempt_id
    assert await desk.kinds(desk.codex) == ["task_updated"]


async def test_the_very_same_command_again_is_answered_as_before_and_keeps_its_token(desk: Desk) -> None:
    """R40."""
    runner = Runner(desk)
    claiming = runner.claiming(await desk.hand_off())
    once = {"key": "sent-twice", "argument_hash": "same"}
    first = await desk.hub.ask(claiming, runner.caller, **once)
    assert await desk.hub.ask(claiming, runner.caller, **once) == first
    assert (await runner.token()).ended is None


async def test_a_key_of_another_claim_is_refused(desk: Desk) -> None:
    runner = Runner(desk, slots=2)
    task, other = await desk.hand_off(), await desk.hand_off()
    await runner.claim(task)
    for again in ({"task": other}, {"task": task, "wake": Wake(message_id=task.message_id)}):
        with pytest.raises(IdempotencyConflict) as refused:
            await runner.claim(**again)
        assert refused.value.data.field == "idempotency_key"
    assert (await desk.whole(other.task_id)).state == "requested"


async def test_a_key_belongs_to_one_device(desk: Desk) -> None:
    mine, other = Runner(desk), Runner(desk)
    first, second = await mine.claim(key="same"), await other.claim(key="same")
    assert first.attempt_id != second.attempt_id


async def test_a_claim_whose_attempt_has_ended_is_replayed_with_what_happened_instead_of_a_credential(
    desk: Desk,
) -> None:
    """R10."""
    runner = Runner(desk)
    task = await desk.hand_off()
    await runner.claim(task)
    await desk.hub.ask(CancelTask(task_id=task.task_id, reason="Not needed."), desk.maya)
    with pytest.raises(StaleAttempt, match=f"{desk.maya} cancelled"):
        await runner.claim(task, token="fresh")
    assert (await runner.token(token="fresh")).caller is None


async def test_a_device_finds_tasks_of_its_own_agents_only_and_claims_in_its_own_projects_only(desk: Desk) -> None:
    """R12."""
    task = await desk.hand_off()
    with pytest.raises(NotFound) as hidden:
        await Runner(desk, agents=[f"{desk.jonas}/other"]).claim(task)
    assert hidden.value.data.field == "task_id"
    with pytest.raises(RoomNotLinked):
        await Runner(desk, projects=["elsewhere"]).claim(task)
    with pytest.raises(NotFound):
        await desk.hub.ask(Runner(desk).claiming(task, task_id="task_unknown"), Runner(desk).caller)
    assert (await desk.whole(task.task_id)).state == "requested"


async def test_a_claim_is_not_replayed_to_a_device_that_lost_the_agent(desk: Desk) -> None:
    """R12."""
    runner = Runner(desk)
    task = await desk.hand_off()
    await runner.claim(task)
    runner.agents = []
    with pytest.raises(NotFound):
        await runner.claim(task)
    assert (await runner.token()).ended is None


async def test_a_task_from_outside_needs_an_agent_that_takes_the_teams_tasks_or_its_owners_word(desk: Desk) -> None:
    """R12."""
    task, runner = await desk.hand_off(), Runner(desk, takes="owner")
    with pytest.raises(CrossOwnerOff, match="allow this task"):
        await runner.claim(task)
    await desk.hub.ask(AllowTask(task_id=task.task_id), desk.jonas)
    assert (await runner.claim(task)).task_id == task.task_id


async def test_a_task_that_awaits_its_owner_is_not_claimed_whatever_the_agent_takes(desk: Desk) -> None:
    """R2, R12."""
    task = await desk.hand_off(facts=facts(project_owner=desk.rosa, takes_tasks_from="owner"))
    with pytest.raises(CrossOwnerOff):
        await Runner(desk, takes="owner").claim(task)
    with pytest.raises(Conflict, match="awaiting_owner"):
        await Runner(desk, takes="team").claim(task)


async def test_a_task_of_the_owners_side_needs_nobodys_word(desk: Desk) -> None:
    runner = Runner(desk, takes="owner", slots=2)
    for number, by in enumerate((desk.jonas, f"{desk.jonas}/other")):
        assert await runner.claim(await desk.hand_off(by=by), key=f"run-{number}")


async def test_a_claim_beyond_the_slots_is_refused_and_the_running_attempt_untouched(desk: Desk) -> None:
    """R12."""
    runner = Runner(desk, slots=2)
    held = [await runner.claim(key=f"run-{number}") for number in range(2)]
    waiting = await desk.hand_off()
    with pytest.raises(LimitExceeded):
        await runner.claim(waiting, key="run-3")
    assert (await desk.whole(waiting.task_id)).state == "requested"
    assert [(await desk.whole(claimed.task_id)).state for claimed in held] == ["working", "working"]
    await desk.hub.ask(CancelTask(task_id=held[0].task_id, reason="Not needed."), desk.maya)
    assert await runner.claim(waiting, key="run-3")


async def test_an_interactive_attempt_takes_no_slot(desk: Desk) -> None:
    await desk.take()
    assert await Runner(desk).claim()


async def test_a_claim_of_a_held_task_names_the_holder_and_one_of_a_finished_task_its_state(desk: Desk) -> None:
    """R5."""
    attempt = await desk.take()
    task = await desk.whole(attempt.task_id)
    with pytest.raises(Conflict) as refused:
        await Runner(desk).claim(task)
    assert refused.value.data.details == {"holder": desk.claude}
    await desk.finish(attempt)
    with pytest.raises(Conflict, match="returned"):
        await Runner(desk).claim(task)


async def test_an_agent_does_not_accept_what_its_runner_claimed(desk: Desk) -> None:
    claimed = await Runner(desk).claim()
    with pytest.raises(Conflict) as refused:
        await desk.hub.ask(AcceptTask(task_id=claimed.task_id), desk.claude)
    assert refused.value.data.details == {"holder": desk.claude}


@pytest.mark.parametrize("side", ["the owner", "another agent of the owner"])
async def test_the_task_request_of_the_owners_side_is_the_cause_by_itself(desk: Desk, side: str) -> None:
    """R11."""
    by = desk.jonas if side == "the owner" else f"{desk.jonas}/other"
    runner = Runner(desk, slots=2)
    task, second = await desk.hand_off(by=by), await desk.hand_off(by=by)
    await runner.claim(task)
    await runner.claim(second, key="run-2", wake=Wake(message_id=second.message_id))
    for each in (task, second):
        assert (await desk.whole(each.task_id, by=desk.jonas)).cause == each.message_id


async def test_a_task_from_outside_has_the_cause_that_its_claim_names_or_none(desk: Desk) -> None:
    """R11."""
    runner = Runner(desk, slots=2)
    task, second = await desk.hand_off(), await desk.hand_off()
    await runner.claim(task)
    await runner.claim(second, key="run-2", wake=Wake(message_id=second.message_id))
    assert (await desk.whole(task.task_id)).cause is None
    assert (await desk.whole(second.task_id)).cause == second.message_id


@pytest.mark.parametrize("side", ["jonas", "codex"])
async def test_a_mention_is_never_a_runs_cause(desk: Desk, side: str) -> None:
    """R11: nor is any other message."""
    task, other = await desk.hand_off(by=getattr(desk, side)), await desk.hand_off()
    for message_id in ("msg_mention", other.message_id):
        with pytest.raises(InvalidInput) as refused:
            await Runner(desk).claim(task, wake=Wake(message_id=message_id))
        assert refused.value.data.field == "wake.message_id"
    assert (await desk.whole(task.task_id, by=desk.jonas)).state == "requested"


async def test_a_refused_claim_leaves_no_key_behind(desk: Desk) -> None:
    """A refusal writes nothing: the same key claims once the reason is gone."""
    runner = Runner(desk, slots=0)
    task = await desk.hand_off()
    with pytest.raises(LimitExceeded):
        await runner.claim(task)
    runner.slots = 1
    assert await runner.claim(task)


async def test_a_claim_without_the_gateways_facts_is_a_crash_and_holds_nothing(desk: Desk) -> None:
    task = await desk.hand_off()
    with pytest.raises(Unavailable):
        await Runner(desk).claim(task, device=None)
    assert (await desk.whole(task.task_id)).state == "requested"


async def test_of_eight_claims_at_once_exactly_one_wins_a_hundred_times(desk: Desk) -> None:
    """R5: eight devices and one task; the others are told who holds it."""
    runners = [Runner(desk, slots=1000) for _ in range(8)]
    for number in range(100):
        task = await desk.hand_off()
        claims = [runner.claim(task, key=f"run-{number}") for runner in runners]
        answers = await asyncio.gather(*claims, return_exceptions=True)
        losers = [answer for answer in answers if isinstance(answer, Conflict)]
        assert len(losers) == 7
        assert all(loser.data.details == {"holder": desk.claude} for loser in losers)
        tokens = [await runner.token(f"run-{number}") for runner in runners]
        assert len([token for token in tokens if token.caller is not None]) == 1


async def test_claims_of_one_device_with_one_slot_at_once_give_one_run(desk: Desk) -> None:
    """R12."""
    for _ in range(10):
        runner = Runner(desk)
        tasks = [await desk.hand_off() for _ in range(4)]
        claims = [runner.claim(task, key=task.task_id) for task in tasks]
        answers = await asyncio.gather(*claims, return_exceptions=True)
        assert len([answer for answer in answers if isinstance(answer, LimitExceeded)]) == 3


async def test_accepting_and_claiming_at_once_gives_one_holder(desk: Desk) -> None:
    """R3, R5."""
    for number in range(10):
        task = await desk.hand_off()
        claim = Runner(desk).claim(task, key=f"run-{number}")
        take = desk.hub.ask(AcceptTask(task_id=task.task_id), desk.claude)
        answers = await asyncio.gather(claim, take, return_exceptions=True)
        assert len([answer for answer in answers if isinstance(answer, Conflict)]) == 1
