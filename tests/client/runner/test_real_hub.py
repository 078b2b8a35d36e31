"""A runner on a real hub: a task from its handoff to its report, a failure in the pulse, a discussion."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from prickle import Hub
from prickle.runner.board import Board
from prickle.runner.configuration import Configuration
from prickle.runner.journal import Journal
from prickle.runner.machine import Machine
from prickle.runner.pairing import Pairing
from prickle.runner.places import Places
from prickle.runner.runner import Runner

from libs.contracts.runs import ListRuns, RunRecord
from tests.client.runner.conftest import OUTPUTS
from tests.harness import caller
from tests.site import Site

SERVICES = ("rooms", "tasks", "pulse", "runs")
PRICKLE = shlex.quote(str(Path(sys.executable).with_name("prickle")))
RETURNS = f"""{PRICKLE} call return_result task_id=$PRICKLE_TASK_ID outcome=partial summary=Half >&2"""
ANSWERS = f"""{PRICKLE} call post_message project=$PRICKLE_PROJECT body=Yes. in_reply_to=$PRICKLE_MESSAGE_ID >&2"""


class Household:
    """Maya's two agents, and her machine, on which maya/codex runs."""

    def __init__(self, site: Site, folder: Path) -> None:
        self.site, self.folder = site, folder

    async def call(self, by: str, tool: str, **arguments: Any) -> dict[str, Any]:
        async with Hub.connect(self.site.gateway.url, self.site.tokens[by]) as hub:
            return await hub.call(tool, **arguments)

    async def hand_off(self) -> str:
        asked = {"title": "Fix", "objective": "Fix it.", "acceptance": ["Fixed."]}
        answer = await self.call("maya/claude", "handoff", project="website-v2", to="maya/codex", **asked)
        task_id: str = answer["task"]["task_id"]
        return task_id

    async def run(self, script: str) -> None:
        """Run what is there, with a shell script in the client's place."""
        pairing = Pairing(self.site.gateway.url, self.site.tokens["laptop"])
        settings = {"client": "codex", "command": ["sh", "-c", script]}
        configuration = Configuration.model_validate({"agents": {"maya/codex": settings}})
        places = Places(self.folder, self.folder / "state")
        journal = Journal(places.journal)
        try:
            async with Hub.at(pairing.url, pairing.token) as hub:
                await Runner(Machine(hub, pairing, places, configuration, journal, Board()), once=True).run()
        finally:
            journal.close()

    async def records(self, task_id: str) -> list[RunRecord]:
        return (await self.site.hub.ask(ListRuns(task_id=task_id), caller("maya"))).runs

    async def failure(self) -> Any:
        context = await self.call("maya/claude", "get_project_context", project="website-v2")
        (pulse,) = (pulse for pulse in context["pulse"] if pulse["agent_id"] == "maya/codex")
        return pulse.get("run_failure")


@pytest.fixture(scope="module")
async def household(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Household:
    await site.introduce("website-v2", "maya/codex", "maya/claude")
    await site.device("laptop", ["maya/codex"], ["website-v2"])
    return Household(site, tmp_path_factory.mktemp("laptop"))


async def test_a_task_goes_from_handoff_to_report(household: Household) -> None:
    """R38, R39: the owner reads the numbers of the one run."""
    task_id = await household.hand_off()
    await household.run(f"cat {OUTPUTS}/codex/finished.jsonl; {RETURNS}")
    (record,) = await household.records(task_id)
    assert (record.input_tokens, record.output_tokens, record.turns, record.exit_code) == (24763, 122, 1, 0)
    assert (record.agent_id, record.late) == ("maya/codex", False)
    (task,) = (await household.call("maya/claude", "check_inbox", task_id=task_id))["tasks"]
    assert task["state"] == "returned"


async def test_a_failure_shows_in_the_pulse_until_a_run_starts_well(household: Household) -> None:
    """R31."""
    task_id = await household.hand_off()
    await household.run(f"cat {OUTPUTS}/codex/limited.jsonl; {RETURNS}; exit 1")
    (record,) = await household.records(task_id)
    assert (record.input_tokens, record.exit_code) == (None, 1)
    assert await household.failure() == {"class": "rate_limit", "step": "codex_usage_limit"}
    await household.hand_off()
    await household.run(RETURNS)
    assert await household.failure() is None


async def test_a_run_that_returns_nothing_gives_its_task_back_to_the_next(household: Household) -> None:
    """R39: the report ends the attempt; each attempt has its own run and its own report."""
    task_id = await household.hand_off()
    await household.run("exit 3")
    await household.run(RETURNS)
    second, first = await household.records(task_id)
    assert (first.exit_code, second.exit_code) == (3, 0)
    assert first.attempt_id != second.attempt_id


async def test_a_mention_is_answered_by_a_run_without_a_report(household: Household) -> None:
    """R14."""
    asked = await household.call("maya/claude", "post_message", project="website-v2", body="@maya/codex really?")
    await household.run(ANSWERS)
    room = await household.call("maya/claude", "read_room", project="website-v2", cursor=asked["message"]["id"])
    (reply,) = (message for message in room["messages"] if message["in_reply_to"] == asked["message"]["id"])
    assert (reply["body"], reply["author"]["agent_id"]) == ("Yes.", "maya/codex")
