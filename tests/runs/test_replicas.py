"""Two replicas of runs on one PostgreSQL database."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import TypeVar, get_args

import pytest

from libs.bus.envelope import Order
from libs.bus.execution import Executor
from libs.contracts.base import Command, View
from libs.contracts.caller import Caller
from libs.contracts.runs import GroupBy, ListRuns, ReportRun, SumRuns
from libs.storage import new_id
from services.runs.app import service
from tests.databases import Cluster
from tests.harness import caller
from tests.replicas import two_replicas
from tests.runs.given import DEVICE, fresh_owner, run_of

Answer = TypeVar("Answer", bound=View)


@pytest.fixture
async def replicas(postgres: Cluster) -> AsyncIterator[list[Executor]]:
    async with two_replicas(service, postgres) as both:
        yield both


async def ask(replica: Executor, command: Command[Answer], by: Caller) -> Answer:
    return (await replica.answer(Order(new_id("cmd"), command, by))).read(command)


async def code(replica: Executor, command: ReportRun) -> str:
    problem = (await replica.answer(Order(new_id("cmd"), command, DEVICE))).problem
    return problem.code if problem else "kept"


async def test_of_many_reports_at_once_one_stands(replicas: list[Executor]) -> None:
    """R38: another body for the run is refused; R39: another run for the attempt is."""
    for _ in range(10):
        owner = fresh_owner()
        command = run_of(owner)
        bodies = [command.model_copy(update={"turns": turns}) for turns in range(4)]
        codes = await asyncio.gather(*(code(replicas[turn % 2], body) for turn, body in enumerate(bodies)))
        assert Counter(codes) == {"kept": 1, "conflict": 3}
        attempts = [run_of(owner, attempt_id=f"att_{owner}") for _ in range(4)]
        codes = await asyncio.gather(*(code(replicas[turn % 2], one) for turn, one in enumerate(attempts)))
        assert Counter(codes) == {"kept": 1, "not_found": 3}


async def test_records_and_totals_are_read_as_on_sqlite(replicas: list[Executor]) -> None:
    owner = fresh_owner()
    for exit_code in (0, 1, None):
        await ask(replicas[0], run_of(owner, input_tokens=2147483647, exit_code=exit_code), DEVICE)
    page = await ask(replicas[1], ListRuns(limit=2), caller(owner))
    rest = await ask(replicas[1], ListRuns(after=page.next), caller(owner))
    assert (len(page.runs), len(rest.runs), rest.next) == (2, 1, None)
    for by, groups in zip(get_args(GroupBy), (1, 1, 3, 3), strict=True):
        found = (await ask(replicas[1], SumRuns(by=by), caller(owner))).totals
        assert len(found) == groups
        assert sum(total.input_tokens or 0 for total in found) == 3 * 2147483647
        assert sum(total.unknown for total in found) == 3
