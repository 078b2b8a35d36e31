"""`prickle inbox` and the word on what is in it: approve, deny, done, answer, review, cancel."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
import typer
from prickle.commands.inbox import duration

from libs.contracts.caller import OPERATOR
from libs.contracts.directory import UpdateAgent
from tests.client.prickle_command import Prickle
from tests.harness import until
from tests.site import Site

SERVICES = ("rooms", "tasks")
WISH = {"project": "garden", "title": "Dig", "objective": "Dig a hole.", "acceptance": ["A hole"]}


@pytest.fixture(scope="module")
async def garden(site: Site) -> Site:
    """Maya's and jonas's agents in one project; maya's takes tasks from her only."""
    await site.introduce("garden", "maya/codex", "jonas/claude")
    await site.gateway.app.gateway.ask(UpdateAgent(agent_id="maya/codex", takes_tasks_from="owner"), OPERATOR)
    return site


@pytest.fixture
def prickle(garden: Site) -> Prickle:
    """Commands of maya."""
    return Prickle(garden)


async def asked(site: Site, tool: str = "request_capability", **wish: Any) -> str:
    """A request of maya/codex."""
    wish = wish or {"capability": "network:pypi", "reason": "To dig"}
    request_id: str = (await site.call("maya/codex", tool, project="garden", **wish))["request"]["request_id"]
    return request_id


async def handed(site: Site, by: str = "jonas/claude", to: str = "maya/codex") -> str:
    """A task of one agent for another."""
    task_id: str = (await site.call(by, "handoff", to=to, **WISH))["task"]["task_id"]
    return task_id


async def returned(site: Site, **rest: Any) -> str:
    """A task of maya/codex with a result of jonas/claude."""
    task_id = await handed(site, "maya/codex", "jonas/claude")
    attempt = (await site.call("jonas/claude", "accept_task", task_id=task_id))["attempt"]["attempt_id"]
    about = {"task_id": task_id, "attempt_id": attempt, "outcome": "partial", "summary": "Half a hole."}
    await site.call("jonas/claude", "return_result", **about, **rest)
    return task_id


async def proposed(prickle: Prickle, key: str) -> str:
    """What jonas/claude proposes to remember."""
    await returned(prickle.site, memory_proposals=[{"key": key, "value": "Clay."}])

    async def found() -> str | None:
        proposals = await prickle.says("memory", "proposals", "garden")
        return next((one["proposal_id"] for one in proposals if one["key"] == key), None)

    proposal_id: str = await until(found)
    return proposal_id


async def test_an_inbox_without_anything_says_so(prickle: Prickle, garden: Site) -> None:
    await garden.introduce("shed", "lea/codex")
    assert await prickle.shows("inbox", by="lea") == "Nothing awaits you.\n"


async def test_the_inbox_lists_all_that_awaits_a_person_with_what_it_takes_to_decide(
    prickle: Prickle, garden: Site
) -> None:
    proposal_id = await proposed(prickle, "soil/kind")
    request_id, outside, reviewed = await asked(garden), await handed(garden), await returned(garden)
    titles, *lines = (await prickle.shows("inbox")).splitlines()
    assert titles.split() == ["since", "(UTC)", "what", "id", "project", "from", "about"]
    found = {line.split()[3]: " ".join([line.split()[2], *line.split()[4:]]) for line in lines}
    assert found[request_id] == "capability garden maya/codex network:pypi (To dig)"
    assert found[outside] == "task garden jonas/claude Dig (for maya/codex)"
    assert found[reviewed] == "review garden jonas/claude Dig: partial"
    assert found[proposal_id] == "memory garden jonas/claude soil/kind: Clay."
    assert set(await prickle.says("inbox")) == {"reviews", "tasks", "requests", "proposals"}


async def test_approve_takes_requests_proposals_and_tasks_alike(prickle: Prickle, garden: Site) -> None:
    request_id, task_id, proposal_id = await asked(garden), await handed(garden), await proposed(prickle, "well")
    for thing in (request_id, task_id, proposal_id):
        assert await prickle.shows("approve", thing) == "Approved.\n"
    inbox = await prickle.says("inbox")
    assert not {request_id, task_id, proposal_id} & ids(inbox)
    assert "well" in await prickle.shows("memory", "list", "garden")
    task = await prickle.says("tasks", "show", task_id)
    assert task["state"] == "requested"


async def test_deny_takes_requests_proposals_and_tasks_alike_with_the_reason(prickle: Prickle, garden: Site) -> None:
    request_id, task_id, proposal_id = await asked(garden), await handed(garden), await proposed(prickle, "moat")
    for thing in (request_id, task_id, proposal_id):
        await prickle.shows("deny", thing, "Not today")
    assert not {request_id, task_id, proposal_id} & ids(await prickle.says("inbox"))
    task = await prickle.says("tasks", "show", task_id)
    assert (task["state"], task["note"]) == ("declined", "Not today")
    assert "moat" not in await prickle.shows("memory", "list", "garden")


def ids(inbox: dict[str, Any]) -> set[str]:
    """The ids of all that is in an inbox but reviews."""
    of = {"tasks": "task_id", "requests": "request_id", "proposals": "proposal_id"}
    return {thing[name] for things, name in of.items() for thing in inbox[things]}


async def test_an_approval_lasts_as_long_as_is_said(prickle: Prickle, garden: Site) -> None:
    until_then = "2126-01-01T00:00:00Z"
    decided = await prickle.says("approve", await asked(garden), "--until", until_then)
    assert decided["expires_at"] == until_then
    decided = await prickle.says("approve", await asked(garden), "--for", "8h")
    left = datetime.fromisoformat(decided["expires_at"]) - garden.hub.clock()
    assert abs(left - timedelta(hours=8)) < timedelta(hours=1)


async def test_the_same_decision_again_is_harmless_and_another_one_is_refused(prickle: Prickle, garden: Site) -> None:
    request_id = await asked(garden)
    for _ in range(2):
        assert (await prickle.says("approve", request_id))["status"] == "approved"
    assert "already" in await prickle.refuses("deny", request_id, "Too late")


async def test_a_step_is_done_by_the_owner(prickle: Prickle, garden: Site) -> None:
    request_id = await asked(garden, "request_step", step="Sign in")
    done = await prickle.says("done", request_id, "--note", "As codex")
    assert (done["status"], done["answer"]) == ("done", "As codex")
    assert "done" in await prickle.refuses("approve", await asked(garden, "request_step", step="Open the gate"))


async def test_a_question_about_a_task_is_answered(prickle: Prickle, garden: Site) -> None:
    """R7."""
    task_id = await handed(garden, "maya/codex", "jonas/claude")
    attempt = (await garden.call("jonas/claude", "accept_task", task_id=task_id))["attempt"]["attempt_id"]
    question = {"task_id": task_id, "attempt_id": attempt, "question": "How deep?"}
    request = (await garden.call("jonas/claude", "request_clarification", **question))["request"]
    assert await prickle.shows("answer", request["request_id"], "A metre.") == "Answered; the agent goes on.\n"
    assert (await prickle.says("tasks", "show", task_id))["state"] == "working"


async def test_results_are_accepted_and_rejected_and_tasks_cancelled(prickle: Prickle, garden: Site) -> None:
    accepted, rejected = await returned(garden), await returned(garden)
    assert (await prickle.says("review", "accept", accepted, "--note", "Fine"))["task"]["state"] == "accepted"
    again = await prickle.says("review", "reject", rejected, "Only half")
    assert (again["task"]["state"], again["result"]["review"]["note"]) == ("requested", "Only half")
    assert (await prickle.says("cancel", rejected, "It rains"))["state"] == "cancelled"
    assert rejected not in str(await prickle.says("inbox"))


async def test_what_awaits_somebody_else_or_nobody_is_refused_in_one_sentence(prickle: Prickle, garden: Site) -> None:
    request_id = await asked(garden)
    for arguments in (["approve", "req_unknown"], ["deny", "req_unknown", "No"], ["done", "req_unknown"]):
        assert "prickle inbox" in await prickle.refuses(*arguments)
    await prickle.refuses("approve", request_id, by="jonas")
    assert request_id in ids(await prickle.says("inbox"))


async def test_wrong_usage_is_exit_code_2(prickle: Prickle, garden: Site) -> None:
    task_id = await handed(garden)
    for arguments in (
        ["approve"],
        ["deny", task_id],
        ["approve", task_id, "--for", "soon"],
        ["approve", task_id, "--for", "8h"],
        ["approve", task_id, "--for", "8h", "--until", "2126-01-01T00:00:00Z"],
    ):
        assert (await prickle.run(*arguments)).exit_code == 2
    assert task_id in ids(await prickle.says("inbox"))


def test_durations_are_a_number_with_its_unit() -> None:
    assert [duration(text) for text in ("45s", "30m", "8h", "2d")] == [
        timedelta(seconds=45),
        timedelta(minutes=30),
        timedelta(hours=8),
        timedelta(days=2),
    ]
    for wrong in ("", "8", "h", "0h", "-1h", "1.5h", "8 h", "1w"):
        with pytest.raises(typer.BadParameter):
            duration(wrong)
