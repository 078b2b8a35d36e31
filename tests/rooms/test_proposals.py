"""What results propose for memory, and what people make of it (R17)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from libs.contracts.errors import Conflict, Forbidden, InvalidInput, NotFound, Problem
from libs.contracts.rooms import (
    DecidedProposal,
    DecideProposal,
    GetProject,
    ListProposals,
    MemoryEntry,
    MemoryHistory,
    Proposal,
    WriteMemory,
)
from libs.contracts.tasks import MemoryProposal, MemoryProposed
from tests.harness import Hub, until
from tests.rooms.given import announce, fresh, mailbox, project_of

SERVICES = ("rooms",)
CREW = ("maya", "maya/codex", "jonas", "jonas/claude")


def news(project: str, **facts: str) -> MemoryProposed:
    """An agent's result proposes facts, by key."""
    return MemoryProposed(
        project=project,
        task_id="task_1",
        result_id=fresh("res_"),
        agent_id="maya/codex",
        proposals=[MemoryProposal(key=key, value=value) for key, value in facts.items()],
    )


async def pending(hub: Hub, project: str, **asked: Any) -> list[Proposal]:
    return (await hub.ask(ListProposals(project=project, **asked), "jonas")).proposals


async def proposed(hub: Hub, project: str, **facts: str) -> list[Proposal]:
    """The project's pending proposals, once rooms has heard of these."""
    await announce(hub, news(project, **facts))
    return list(await until(lambda: pending(hub, project)))


async def decide(hub: Hub, proposal: Proposal, decision: str, by: str = "jonas", **said: Any) -> DecidedProposal:
    hub.clock.advance(seconds=1)
    ids = {"project": proposal.project, "proposal_id": proposal.proposal_id}
    return await hub.ask(DecideProposal.model_validate({**ids, "decision": decision, **said}), by)


async def memory(hub: Hub, project: str) -> list[MemoryEntry]:
    return (await hub.ask(GetProject(project=project), "maya/codex")).memory


async def test_what_a_result_proposes_is_no_memory_before_a_person_approves_it(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    style, stack = await proposed(hub, project, style="tabs", stack="python")
    assert (style.key, style.value, style.status, style.proposed_by) == ("style", "tabs", "pending", "maya/codex")
    assert (stack.task_id, stack.decided_by, stack.approved_value) == ("task_1", None, None)
    assert await memory(hub, project) == await mailbox(hub, "maya/codex", project) == []


async def test_an_approved_proposal_is_memory_on_the_word_of_who_approved_it(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    [proposal] = await proposed(hub, project, style="tabs")
    decided = await decide(hub, proposal, "approve")
    entry = decided.entry
    assert entry is not None
    assert (entry.value, entry.provenance, entry.updated_by) == ("tabs", "owner_approved", "jonas")
    assert (decided.proposal.status, decided.proposal.decided_by) == ("approved", "jonas")
    assert await memory(hub, project) == [entry]
    assert await pending(hub, project) == []
    for agent in ("maya/codex", "jonas/claude"):
        [told] = await mailbox(hub, agent, project)
        assert (told.kind, told.body) == ("memory_changed", {"entry": entry.wire()})


async def test_a_person_may_edit_what_they_approve(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    [proposal] = await proposed(hub, project, style="tabs")
    decided = await decide(hub, proposal, "approve", value="spaces, four of them")
    assert decided.entry is not None
    assert (decided.entry.value, decided.entry.provenance) == ("spaces, four of them", "owner_approved")
    assert (decided.proposal.value, decided.proposal.approved_value) == ("tabs", "spaces, four of them")


async def test_an_approval_that_rests_on_approved_entries_says_so(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    await hub.ask(WriteMemory(project=project, key="stack", value="python"), "maya")
    [proposal] = await proposed(hub, project, linter="ruff")
    with pytest.raises(NotFound) as refusal:
        await decide(hub, proposal, "approve", memory_keys=["stack", "linter"])
    assert refusal.value.data.field == "memory_keys[1]"
    decided = await decide(hub, proposal, "approve", memory_keys=["stack"])
    assert decided.entry is not None
    assert decided.entry.provenance == "from_approved_context"
    [version] = (await hub.ask(MemoryHistory(project=project, key="linter"), "maya")).versions
    assert (version.memory_keys, version.proposal_id) == (["stack"], proposal.proposal_id)


async def test_a_rejected_proposal_changes_nothing_and_keeps_the_reason(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    [proposal] = await proposed(hub, project, style="tabs")
    decided = await decide(hub, proposal, "reject", reason="We use spaces.")
    assert (decided.proposal.status, decided.proposal.reason, decided.entry) == ("rejected", "We use spaces.", None)
    assert await memory(hub, project) == await mailbox(hub, "maya/codex", project) == []
    assert await pending(hub, project, status="rejected") == [decided.proposal]


async def test_an_approval_replaces_what_stood_there_and_history_tells_both(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    written = (await hub.ask(WriteMemory(project=project, key="style", value="spaces"), "maya")).entry
    [proposal] = await proposed(hub, project, style="tabs")
    await decide(hub, proposal, "approve")
    now, before = (await hub.ask(MemoryHistory(project=project, key="style"), "maya/codex")).versions
    assert (now.value, now.provenance, now.ended_at) == ("tabs", "owner_approved", None)
    assert (before.value, before.updated_at, before.ended_by) == ("spaces", written.updated_at, "jonas")
    assert before.ended_at == now.updated_at


async def test_repeating_a_decision_is_harmless_and_another_one_is_refused(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    [proposal] = await proposed(hub, project, style="tabs")
    decided = await decide(hub, proposal, "approve")
    assert await decide(hub, proposal, "approve") == decided
    others: list[tuple[str, str, dict[str, str]]] = [
        ("approve", "maya", {}),
        ("reject", "jonas", {}),
        ("approve", "jonas", {"value": "spaces"}),
    ]
    for decision, by, said in others:
        with pytest.raises(Conflict) as refusal:
            await decide(hub, proposal, decision, by, **said)
        assert refusal.value.data.details == {"holder": "jonas"}
    assert await memory(hub, project) == [decided.entry]


async def test_of_many_that_decide_at_once_one_wins(hub: Hub) -> None:
    people = [fresh("person") for _ in range(8)]
    project = await project_of(hub, "jonas", *people)
    await announce(hub, news(project, style="tabs"))
    [proposal] = await until(lambda: pending(hub, project))
    asked = [decide(hub, proposal, "approve", by, value=f"by {by}") for by in people]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    [won] = [answer for answer in answers if isinstance(answer, DecidedProposal)]
    lost = [answer for answer in answers if isinstance(answer, Conflict)]
    assert len(lost) == 7
    assert all(refusal.data.details == {"holder": won.proposal.decided_by} for refusal in lost)
    assert won.entry is not None
    assert won.entry.value == f"by {won.proposal.decided_by}"
    history = await hub.ask(MemoryHistory(project=project, key="style"), "jonas")
    assert [version.value for version in history.versions] == [won.entry.value]


async def test_the_same_news_again_proposes_nothing_more(hub: Hub) -> None:
    """R42."""
    project = await project_of(hub, *CREW)
    said = news(project, style="tabs")
    await announce(hub, said)
    await announce(hub, said)
    await announce(hub, news("unknown", style="tabs"))
    await announce(hub, news(project, last="one"))
    await until(lambda: heard_last(hub, project))
    assert [proposal.key for proposal in await pending(hub, project)] == ["style", "last"]


async def heard_last(hub: Hub, project: str) -> bool:
    return "last" in [proposal.key for proposal in await pending(hub, project)]


async def test_proposals_are_listed_page_by_page_oldest_first(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    await proposed(hub, project, **{f"key-{number}": "x" for number in range(5)})
    seen: list[str] = []
    more, after = True, {}
    while more:
        page = await hub.ask(ListProposals(project=project, limit=2, **after), "maya")
        seen += [proposal.key for proposal in page.proposals]
        more, after = page.more, {"after": page.proposals[-1].proposal_id}
    assert seen == [f"key-{number}" for number in range(5)]


@pytest.mark.parametrize(
    ("who", "refusal"),
    [("maya/codex", Forbidden), ("operator", Forbidden), ("eve", NotFound), ("eve/codex", NotFound)],
)
async def test_only_persons_of_the_project_see_and_decide_proposals(hub: Hub, who: str, refusal: type[Problem]) -> None:
    project = await project_of(hub, *CREW)
    [proposal] = await proposed(hub, project, style="tabs")
    with pytest.raises(refusal):
        await hub.ask(ListProposals(project=project), who)
    with pytest.raises(refusal):
        await decide(hub, proposal, "approve", who)
    assert await memory(hub, project) == []


async def test_a_proposal_is_decided_in_its_own_project(hub: Hub) -> None:
    here, there = await project_of(hub, *CREW), await project_of(hub, *CREW)
    [proposal] = await proposed(hub, there, style="tabs")
    for unknown in (proposal.model_copy(update={"project": here}), proposal.model_copy(update={"proposal_id": "no"})):
        with pytest.raises(NotFound) as refusal:
            await decide(hub, unknown, "approve")
        assert refusal.value.data.field == "proposal_id"


@pytest.mark.parametrize("said", [{"value": "spaces"}, {"memory_keys": ["stack"]}])
async def test_a_rejection_says_nothing_to_remember(hub: Hub, said: dict[str, Any]) -> None:
    project = await project_of(hub, *CREW)
    [proposal] = await proposed(hub, project, style="tabs")
    with pytest.raises(InvalidInput) as refusal:
        await decide(hub, proposal, "reject", **said)
    assert refusal.value.data.field == next(iter(said))
    assert await pending(hub, project) == [proposal]
