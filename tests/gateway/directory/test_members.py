"""Teams, people and agents: who creates, sees, changes and removes them."""

from __future__ import annotations

import pytest

from libs.contracts.caller import OPERATOR
from libs.contracts.directory import (
    AgentChanged,
    AgentRemoved,
    CreateAgent,
    CreatePerson,
    CreateTeam,
    DescribeAddresses,
    ListAgents,
    ListPeople,
    ListTeams,
    RemoveAgent,
    UpdateAgent,
)
from libs.contracts.errors import Conflict, Forbidden, InvalidInput, NotFound
from tests.gateway.directory.directory import Directory, agent, person


@pytest.mark.parametrize("slug", ["all", "operator"])
async def test_reserved_slugs_are_refused_for_teams_and_people(directory: Directory, slug: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await directory.ask(CreateTeam(slug=slug))
    assert refused.value.data.field == "slug"
    with pytest.raises(InvalidInput) as refused:
        await directory.ask(CreatePerson(handle=slug, team="ants", display_name="Somebody"))
    assert refused.value.data.field == "handle"


async def test_only_the_operator_creates_teams_and_people(directory: Directory) -> None:
    for command in (CreateTeam(slug="wasps"), CreatePerson(handle="lea", team="ants", display_name="Lea"), ListTeams()):
        for caller in (person("maya"), agent("maya/codex")):
            with pytest.raises(Forbidden):
                await directory.ask(command, caller)
    assert [team.slug for team in (await directory.ask(ListTeams())).teams] == ["ants", "bees"]


async def test_a_person_needs_an_existing_team(directory: Directory) -> None:
    """R1: a person is in exactly one team."""
    with pytest.raises(NotFound) as refused:
        await directory.ask(CreatePerson(handle="lea", team="wasps", display_name="Lea"))
    assert refused.value.data.field == "team"


async def test_a_handle_is_not_given_out_twice_not_even_in_another_team(directory: Directory) -> None:
    with pytest.raises(Conflict):
        await directory.ask(CreatePerson(handle="maya", team="bees", display_name="Another Maya"))
    with pytest.raises(Conflict):
        await directory.ask(CreateTeam(slug="ants"))


async def test_the_address_of_a_removed_agent_is_never_given_out_again(directory: Directory) -> None:
    await directory.ask(RemoveAgent(agent_id="maya/codex"), person("maya"))
    for caller in (person("maya"), OPERATOR):
        with pytest.raises(Conflict):
            await directory.ask(CreateAgent(agent_id="maya/codex", display_name="Again"), caller)
    assert directory.announced == [AgentRemoved(agent_id="maya/codex")]


async def test_a_person_creates_agents_of_their_own_only(directory: Directory) -> None:
    """A teammate is refused, a stranger does not learn that the owner exists."""
    created = await directory.ask(
        CreateAgent(agent_id="maya/gemini", display_name="Gemini", capabilities=["css"]), person("maya")
    )
    assert (created.owner, created.team, created.takes_tasks_from) == ("maya", "ants", "owner")
    with pytest.raises(Forbidden):
        await directory.ask(CreateAgent(agent_id="maya/spy", display_name="Spy"), person("jonas"))
    with pytest.raises(NotFound):
        await directory.ask(CreateAgent(agent_id="maya/spy", display_name="Spy"), person("rosa"))


async def test_an_agent_creates_changes_and_removes_no_agents(directory: Directory) -> None:
    for command in (
        CreateAgent(agent_id="maya/child", display_name="Child"),
        UpdateAgent(agent_id="maya/codex", display_name="Boss"),
        RemoveAgent(agent_id="maya/codex"),
    ):
        with pytest.raises(Forbidden):
            await directory.ask(command, agent("maya/codex"))


async def test_an_agents_name_is_no_longer_than_a_slug(directory: Directory) -> None:
    with pytest.raises(InvalidInput) as refused:
        await directory.ask(CreateAgent(agent_id=f"maya/{'x' * 40}", display_name="Long"), person("maya"))
    assert refused.value.data.field == "agent_id"


async def test_a_change_keeps_what_it_leaves_out(directory: Directory) -> None:
    await directory.ask(UpdateAgent(agent_id="maya/codex", capabilities=["python"]), person("maya"))
    changed = await directory.ask(UpdateAgent(agent_id="maya/codex", takes_tasks_from="team"), person("maya"))
    assert (changed.capabilities, changed.takes_tasks_from) == (["python"], "team")
    assert changed.display_name == "maya/codex"


async def test_a_new_name_is_announced_with_its_version_and_nothing_else_is(directory: Directory) -> None:
    """R42."""
    for said in ({"display_name": "Codex"}, {"display_name": "Codex", "capabilities": ["css"]}, {"display_name": "C"}):
        await directory.ask(UpdateAgent.model_validate({"agent_id": "maya/codex", **said}), person("maya"))
    assert directory.announced == [
        AgentChanged(agent_id="maya/codex", display_name="Codex", version=2),
        AgentChanged(agent_id="maya/codex", display_name="C", version=3),
    ]


async def test_a_teammates_change_is_forbidden_and_a_strangers_is_not_found(directory: Directory) -> None:
    for command in (UpdateAgent(agent_id="maya/codex", display_name="Mine"), RemoveAgent(agent_id="maya/codex")):
        with pytest.raises(Forbidden):
            await directory.ask(command, person("jonas"))
        with pytest.raises(NotFound):
            await directory.ask(command, person("rosa"))


async def test_a_removed_agent_is_gone_for_everybody(directory: Directory) -> None:
    await directory.ask(RemoveAgent(agent_id="maya/codex"))
    with pytest.raises(NotFound):
        await directory.ask(RemoveAgent(agent_id="maya/codex"), person("maya"))
    assert "maya/codex" not in [found.agent_id for found in (await directory.ask(ListAgents())).agents]


async def test_lists_show_the_callers_team_and_everything_to_the_operator(directory: Directory) -> None:
    for caller in (person("maya"), agent("jonas/claude")):
        people = await directory.ask(ListPeople(), caller)
        agents = await directory.ask(ListAgents(), caller)
        assert [found.handle for found in people.people] == ["jonas", "maya"]
        assert [(found.agent_id, found.team) for found in agents.agents] == [
            ("jonas/claude", "ants"),
            ("maya/codex", "ants"),
        ]
    assert len((await directory.ask(ListPeople())).people) == 3
    assert len((await directory.ask(ListAgents())).agents) == 3


async def test_addresses_are_described_without_those_removed_unknown_or_unseen(directory: Directory) -> None:
    await directory.ask(RemoveAgent(agent_id="jonas/claude"))
    addresses = ["maya", "maya/codex", "jonas/claude", "rosa", "rosa/bot", "nobody", "nobody/here"]
    described = await directory.ask(DescribeAddresses(addresses=addresses), agent("maya/codex"))
    assert [found.handle for found in described.people] == ["maya"]
    assert [found.agent_id for found in described.agents] == ["maya/codex"]
