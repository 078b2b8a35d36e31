"""Two replicas of tasks on one PostgreSQL database, over the real bus."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import asyncpg
import pytest

from libs.contracts.errors import Conflict, LimitExceeded
from libs.contracts.tasks import AcceptTask, AllowTask, CancelTask, RefuseTask, RejectResult, Task
from libs.runtime.valkey import EmbeddedValkey
from services.tasks.app import service
from tests.databases import Cluster
from tests.harness import Hub, running_hub, until
from tests.tasks.asking import answer, ask, decide, want
from tests.tasks.desk import Desk
from tests.tasks.given import facts
from tests.tasks.runners import Runner

REDIS_NUMBER = 15


@pytest.fixture(scope="module")
async def replicas(
    valkey: EmbeddedValkey, postgres: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Hub]:
    """A hub whose commands two replicas of tasks share."""
    redis_url, directory = f"redis://127.0.0.1:{valkey.port}/{REDIS_NUMBER}", tmp_path_factory.mktemp("hub")
    async with running_hub(redis_url, Path(directory), ("tasks",), database_url=await postgres.new_database()) as hub:
        hub.services["second"] = await service.start(hub.settings, hub.clock)
        yield hub


@pytest.fixture
def desk(replicas: Hub) -> Desk:
    return Desk(replicas)


async def tick(desk: Desk) -> None:
    """Run the timers of both replicas at once."""
    await asyncio.gather(desk.hub.tick("tasks"), desk.hub.tick("second"))


async def test_of_eight_claims_at_once_exactly_one_wins_a_hundred_times(desk: Desk) -> None:
    """R5: the others are told who holds it, and only the winner's token is good."""
    runners = [Runner(desk, slots=1000) for _ in range(8)]
    for number in range(100):
        task = await desk.hand_off()
        claims = [runner.claim(task, key=f"run-{number}") for runner in runners]
        answers = await asyncio.gather(*claims, return_exceptions=True)
        losers = [answer for answer in answers if isinstance(answer, Conflict)]
        assert len(losers) == 7, answers
        assert all(loser.data.details == {"holder": desk.claude} for loser in losers)
        tokens = await asyncio.gather(*(runner.token(f"run-{number}") for runner in runners))
        assert len([token for token in tokens if token.caller is not None]) == 1


async def test_of_two_claims_of_a_device_with_one_slot_one_wins(desk: Desk) -> None:
    """R12: the device's row is locked before the task's."""
    for _ in range(20):
        runner, tasks = Runner(desk), [await desk.hand_off() for _ in range(2)]
        await runner.announce()
        claims = [runner.claim(task, key=task.task_id) for task in tasks]
        answers = await asyncio.gather(*claims, return_exceptions=True)
        assert len([answer for answer in answers if isinstance(answer, LimitExceeded)]) == 1, answers


async def test_one_claim_replayed_at_once_is_one_attempt_with_one_good_token(desk: Desk) -> None:
    """R10."""
    for _ in range(20):
        runner, task = Runner(desk), await desk.hand_off()
        tokens = [f"{task.task_id}-{number}" for number in range(4)]
        claims = await asyncio.gather(*(runner.claim(task, token=token) for token in tokens))
        assert len({claimed.attempt_id for claimed in claims}) == 1
        good = await asyncio.gather(*(runner.token(token=token) for token in tokens))
        assert len([token for token in good if token.caller is not None]) == 1
        assert (await desk.whole(task.task_id)).attempts_used == 1


async def test_of_claims_of_a_message_at_once_one_wins(desk: Desk) -> None:
    """R14."""
    for number in range(20):
        claims = [Runner(desk).discuss(message_id=f"msg_{number}") for _ in range(4)]
        answers = await asyncio.gather(*claims, return_exceptions=True)
        assert len([answer for answer in answers if isinstance(answer, Conflict)]) == 3, answers


async def test_linking_and_handing_off_at_once_tell_the_device_of_every_task(desk: Desk) -> None:
    """R19: by the handoff or by the link, whichever comes second."""
    for _ in range(10):
        agent = Desk(desk.hub)
        runner = Runner(agent)
        handoffs = asyncio.gather(*(agent.hand_off() for _ in range(6)))
        tasks, _ = await asyncio.gather(handoffs, runner.announce())
        told = {entry.body["task"]["task_id"] for entry in await runner.entries()}
        assert told == {task.task_id for task in tasks}


async def test_lapses_are_marked_once_by_two_timers_while_signs_of_life_arrive(desk: Desk) -> None:
    """R4."""
    runners = [Runner(desk, slots=10) for _ in range(2)]
    for runner in runners:
        await runner.announce()
    held = [(runners[number % 2], f"run-{number}", await desk.hand_off()) for number in range(12)]
    for runner, key, task in held:
        await runner.claim(task, key=key)
    before = len(await desk.entries(desk.claude))
    desk.hub.clock.advance(601)
    signs = asyncio.gather(*(runner.token(key) for runner, key, _ in held[:6]))
    tokens, *_ = await asyncio.gather(signs, tick(desk), tick(desk))
    await tick(desk)
    for (_, _, task), token in zip(held, tokens, strict=False):
        assert (await desk.whole(task.task_id)).state == ("requested" if token.ended else "working")
    lapsed = [token for token in tokens if token.ended]
    assert len(await desk.entries(desk.claude)) - before == 6 + len(lapsed)


async def test_a_timer_that_dies_while_it_holds_its_lock_leaves_the_lapse_to_the_others(desk: Desk) -> None:
    """R4: they pass over what is locked, and take it up once the lock has died with its process."""
    runner, task = Runner(desk), await desk.hand_off()
    await runner.claim(task)
    desk.hub.clock.advance(601)
    dying = await asyncpg.connect(desk.hub.settings.database_url.replace("+asyncpg", ""))
    await dying.execute("BEGIN")
    await dying.fetchval("SELECT 1 FROM tasks.tasks WHERE task_id = $1 FOR UPDATE", task.task_id)
    await tick(desk)
    assert (await desk.whole(task.task_id)).state == "working"
    dying.terminate()
    await until(lambda: lapsed(desk, task))
    await tick(desk)
    assert await desk.kinds(desk.claude) == ["task_requested"] * 2


async def lapsed(desk: Desk, task: Task) -> bool:
    """Whether a tick of both timers has marked the lapse."""
    await tick(desk)
    return (await desk.whole(task.task_id)).state == "requested"


async def test_of_two_decisions_at_once_one_wins(desk: Desk) -> None:
    """R2."""
    known = facts(project_owner=desk.rosa, takes_tasks_from="owner")
    for _ in range(20):
        task = await desk.hand_off(facts=known)
        allow, refuse = AllowTask(task_id=task.task_id), RefuseTask(task_id=task.task_id)
        decisions = [desk.hub.ask(command, desk.jonas) for command in (allow, refuse)]
        answers = await asyncio.gather(*decisions, return_exceptions=True)
        assert len([answer for answer in answers if isinstance(answer, Conflict)]) == 1, answers


async def test_a_due_task_is_taken_or_expires_but_not_both(desk: Desk) -> None:
    """R13."""
    for _ in range(10):
        task = await desk.hand_off(due_at=desk.hub.clock.now + timedelta(seconds=1))
        desk.hub.clock.advance(1)
        take = desk.hub.ask(AcceptTask(task_id=task.task_id), desk.claude)
        answers = await asyncio.gather(take, tick(desk), return_exceptions=True)
        state = (await desk.whole(task.task_id)).state
        assert state == ("expired" if isinstance(answers[0], Conflict) else "working")


async def test_everything_at_once_deadlocks_nowhere(desk: Desk) -> None:
    """Devices, tasks and assignees are locked in one order: links, claims, rejects, handoffs and lapses all go on."""
    runner = Runner(desk, slots=100)
    returned = [(await desk.returned()).task for _ in range(5)]
    requested = [await desk.hand_off() for _ in range(5)]
    await asyncio.gather(
        runner.announce(),
        *(runner.claim(task, key=task.task_id) for task in requested),
        *(desk.hub.ask(RejectResult(task_id=task.task_id, reason="Once more."), desk.codex) for task in returned),
        *(desk.hand_off() for _ in range(5)),
        tick(desk),
        runner.wait(),
    )
    cancels = [desk.hub.ask(CancelTask(task_id=task.task_id, reason="No."), desk.maya) for task in requested]
    runner.agents = []
    await asyncio.gather(runner.announce(removed=True), *cancels, tick(desk))
    assert {(await desk.whole(task.task_id)).state for task in requested} == {"cancelled"}
    assert {(await desk.whole(task.task_id)).state for task in returned} == {"requested"}


async def test_of_two_decisions_at_once_one_wins_and_is_told_once(desk: Desk) -> None:
    """An approval and a denial of one request, on two replicas."""
    for _ in range(20):
        request = await want(desk)
        before = len(await desk.entries(desk.claude))
        both = [decide(desk, request, "approve"), decide(desk, request, "deny", reason="No.")]
        answers = await asyncio.gather(*both, return_exceptions=True)
        assert len([answer for answer in answers if isinstance(answer, Conflict)]) == 1, answers
        assert len(await desk.entries(desk.claude)) == before + 1


async def test_an_answer_and_a_result_at_once_leave_a_returned_task(desk: Desk) -> None:
    """R7: the result closes the question, or comes after its answer; the task never goes on."""
    for _ in range(20):
        attempt = await desk.take()
        request = await ask(desk, attempt)
        answered, returned = await asyncio.gather(answer(desk, request), desk.finish(attempt), return_exceptions=True)
        assert not isinstance(returned, BaseException), returned
        [shown] = (await desk.whole(attempt.task_id)).requests or ()
        assert shown.status == ("closed" if isinstance(answered, Conflict) else "answered")
        assert (await desk.whole(attempt.task_id)).state == "returned"


async def test_the_last_of_several_answers_at_once_lets_the_task_go_on(desk: Desk) -> None:
    """R7."""
    for _ in range(20):
        attempt = await desk.take()
        asked = [await ask(desk, attempt) for _ in range(3)]
        await asyncio.gather(*(answer(desk, request) for request in asked))
        assert (await desk.whole(attempt.task_id)).state == "working"
