"""A working day: messages, tasks, runs, pulse and board, round after round, while something happens to the hub."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from uuid import uuid4

from prickle import PeopleApi

from tests.harness import until
from tests.runtime.running import PROJECT
from tests.system.crash.load import Agent, Progress
from tests.system.crash.test_claims import USED
from tests.system.crash.test_messages import Answered, check_mentions, speak
from tests.system.crash.test_tasks import check_updates, check_whole, work

TASKS_AT_ONCE = 2
_NAMES = count(1)


@dataclass
class WorkingDay:
    """What a crew does, the first asking the last to do things, and what came of it."""

    crew: list[Agent]
    progress: Progress = field(default_factory=Progress)
    answered: Answered = field(default_factory=dict)
    runs: dict[str, str] = field(default_factory=dict)
    """The run of each task."""
    rest_seconds: float = 0.0
    """Between two rounds."""
    over: bool = False
    working: asyncio.Task[None] = field(init=False)

    async def goes_on(self, answers: int) -> None:
        """Return when so many more calls are answered; raises what ended the work before."""
        goal = self.progress.answered + answers
        await until(lambda: self.progress.answered >= goal or self.working.done(), seconds=60)
        if self.working.done():
            self.working.result()

    async def work(self) -> None:
        """Round after round, until the day is over."""
        while not self.over:
            number = next(_NAMES)
            await asyncio.gather(
                *(speak(agent, self.crew, number, self.progress, self.answered) for agent in self.crew),
                *(self.run(f"{number}.{line}") for line in range(TASKS_AT_ONCE)),
                *(self.show(agent, number) for agent in self.crew),
            )
            await asyncio.sleep(self.rest_seconds)

    async def run(self, name: str) -> None:
        """One task from handoff to report."""
        doer, run_id = self.crew[-1], str(uuid4())
        task = await work(self.crew[0], doer, name, self.progress)
        said = {"project": PROJECT, "task_id": task["task_id"], "run_id": run_id}
        await doer.insist("report_run", **said, **USED)
        self.runs[task["task_id"]] = run_id
        self.progress.answered += 1

    async def show(self, agent: Agent, number: int) -> None:
        """What the others see of an agent: its pulse, and a lease that it holds."""
        doing, lease = f"Round {number}", f"claim:{agent.address.replace('/', '-')}-{number}"
        await agent.insist("update_pulse", project=PROJECT, doing=doing, idempotency_key=doing)
        claimed = await agent.insist("memory_agents", action="claim", lease=lease)
        assert claimed["lease"]["holder"] == agent.address
        pulse = (await agent.insist("get_project_context", project=PROJECT))["pulse"]
        assert {"agent_id": agent.address, "doing": doing}.items() <= next(
            one for one in pulse if one["agent_id"] == agent.address
        ).items()
        self.progress.answered += 3

    async def check(self, before: set[str], follows: list[asyncio.Task[None]], updates: Agent) -> None:
        """Everything that was answered is there once, and everybody was told of it once and in order."""
        room = [message for message in await self.crew[0].messages() if message["id"] not in before]
        requests = [message for message in room if message["task_id"]]
        assert sorted(message["task_id"] for message in requests) == sorted(self.runs)
        told = self.answered | {message["id"]: [self.crew[-1].address] for message in requests}
        assert sorted(message["id"] for message in room) == sorted(told)
        for agent, follow in zip(self.crew, follows[:-1], strict=True):
            expected = [message["id"] for message in room if agent.address in told[message["id"]]]
            await check_mentions(agent, follow, expected)
        await check_updates(updates, follows[-1], [*self.runs])
        for task_id in self.runs:
            await check_whole(self.crew[0], task_id)


@asynccontextmanager
async def working_day(crew: list[Agent], rest_seconds: float = 0.0) -> AsyncIterator[WorkingDay]:
    """Let a crew work as long as the block lasts; then nothing that was answered is lost or doubled."""
    day, updates = WorkingDay(crew, rest_seconds=rest_seconds), type(crew[0])(crew[0].address, crew[0].hub)
    waits = [(agent, "wait_for_mention", "mentions") for agent in crew] + [(updates, "wait_for_updates", "updates")]
    for agent, tool, items in waits:
        await catch_up(agent, tool, items)
    before = {message["id"] for message in await crew[0].messages()}
    follows = [asyncio.create_task(agent.follow(tool, items)) for agent, tool, items in waits]
    day.working = asyncio.create_task(day.work())
    try:
        yield day
        day.over = True
        await day.working
        await day.check(before, follows, updates)
    finally:
        for task in (day.working, *follows):
            task.cancel()


async def catch_up(agent: Agent, tool: str, items: str) -> None:
    """Forget whatever is in the mailbox so far."""
    while agent.cursor == {} or agent.delivered:
        agent.delivered.clear()
        await agent.wait_once(tool, items, timeout_seconds=0)


async def check_runs(day: WorkingDay, owner: PeopleApi) -> None:
    """Each run was recorded once."""
    for task_id, run_id in day.runs.items():
        records = (await owner.list_runs(task_id=task_id))["runs"]
        assert [record["run_id"] for record in records] == [run_id]
