"""Projects and who is in them (R1)."""

from __future__ import annotations

import pytest

from libs.contracts.directory import AgentChanged, AgentRemoved, PersonRemoved
from libs.contracts.errors import Conflict, Forbidden, InvalidInput, NotFound, Problem
from libs.contracts.rooms import GetProject, ListProjects, RemoveMember
from tests.harness import Hub, until
from tests.rooms.given import addition, addresses, announce, creation, fresh, project_of

SERVICES = ("rooms",)


async def test_a_project_begins_with_its_owner_as_the_only_member(hub: Hub) -> None:
    room = await hub.ask(creation(fresh(), "maya"), "operator")
    assert room.owner == "maya"
    assert [(member.kind, member.address, member.display_name) for member in room.members] == [
        ("person", "maya", "Maya")
    ]
    assert await hub.ask(GetProject(project=room.project.slug), "maya") == room


async def test_creating_a_project_again_with_the_same_data_changes_nothing(hub: Hub) -> None:
    slug = fresh()
    first = await hub.ask(creation(slug, "maya"))
    hub.clock.advance(seconds=1)
    await hub.ask(addition(slug, "jonas"))
    again = await hub.ask(creation(slug, "maya"))
    assert again.project == first.project
    assert addresses(again) == ["maya", "jonas"]


@pytest.mark.parametrize("change", [{"owner": "jonas"}, {"team": "other"}, {"name": "App"}, {"description": ""}])
async def test_a_slug_is_given_out_once(hub: Hub, change: dict[str, str]) -> None:
    slug = await project_of(hub, "maya")
    with pytest.raises(Conflict):
        await hub.ask(creation(slug, **{"owner": "maya"} | change))


@pytest.mark.parametrize("slug", ["all", "operator"])
async def test_reserved_slugs_are_refused(hub: Hub, slug: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        await hub.ask(creation(slug, "maya"))
    assert refusal.value.data.field == "slug"


@pytest.mark.parametrize("who", ["maya", "maya/codex"])
async def test_only_the_operator_creates_projects(hub: Hub, who: str) -> None:
    with pytest.raises(Forbidden):
        await hub.ask(creation(fresh(), "maya"), who)


async def test_members_are_of_the_projects_team(hub: Hub) -> None:
    slug = await project_of(hub, "maya")
    with pytest.raises(InvalidInput) as refusal:
        await hub.ask(addition(slug, "eve", team="other"))
    assert refusal.value.data.field == "team"


async def test_an_agent_joins_only_where_its_owner_is(hub: Hub) -> None:
    """R1."""
    slug = await project_of(hub, "maya")
    with pytest.raises(Conflict):
        await hub.ask(addition(slug, "jonas/claude"))
    await hub.ask(addition(slug, "jonas"))
    assert "jonas/claude" in addresses(await hub.ask(addition(slug, "jonas/claude")))


async def test_adding_a_member_again_changes_nothing(hub: Hub) -> None:
    slug = await project_of(hub, "maya", "jonas")
    before = await hub.ask(GetProject(project=slug))
    hub.clock.advance(seconds=5)
    assert await hub.ask(addition(slug, "jonas", display_name="Somebody else")) == before


async def test_removing_a_person_removes_its_agents(hub: Hub) -> None:
    """R1."""
    slug = await project_of(hub, "maya", "maya/codex", "jonas", "jonas/claude", "jonas/codex")
    room = await hub.ask(RemoveMember(project=slug, address="jonas"), "maya")
    assert addresses(room) == ["maya", "maya/codex"]
    assert await hub.ask(RemoveMember(project=slug, address="jonas"), "maya") == room


async def test_removing_an_agent_leaves_its_owner(hub: Hub) -> None:
    slug = await project_of(hub, "maya", "jonas", "jonas/claude")
    assert addresses(await hub.ask(RemoveMember(project=slug, address="jonas/claude"))) == ["maya", "jonas"]


async def test_the_projects_owner_stays(hub: Hub) -> None:
    slug = await project_of(hub, "maya")
    with pytest.raises(Conflict):
        await hub.ask(RemoveMember(project=slug, address="maya"))


async def test_somebody_who_never_was_a_member_cannot_be_removed(hub: Hub) -> None:
    slug = await project_of(hub, "maya")
    with pytest.raises(NotFound) as refusal:
        await hub.ask(RemoveMember(project=slug, address="jonas"))
    assert refusal.value.data.field == "address"


async def test_only_the_owner_and_the_operator_say_who_is_in_a_project(hub: Hub) -> None:
    slug = await project_of(hub, "maya", "maya/codex", "jonas")
    for who in ("jonas", "maya/codex"):
        with pytest.raises(Forbidden):
            await hub.ask(addition(slug, "jonas/claude"), who)
        with pytest.raises(Forbidden):
            await hub.ask(RemoveMember(project=slug, address="jonas"), who)
    assert "jonas/claude" in addresses(await hub.ask(addition(slug, "jonas/claude"), "maya"))
    assert "jonas" not in addresses(await hub.ask(RemoveMember(project=slug, address="jonas"), "operator"))


async def refusal_of(hub: Hub, project: str, who: str) -> Problem:
    with pytest.raises(NotFound) as refusal:
        await hub.ask(GetProject(project=project), who)
    return refusal.value


async def test_outsiders_cannot_tell_a_project_from_one_that_does_not_exist(hub: Hub) -> None:
    slug = await project_of(hub, "maya", "jonas")
    await hub.ask(RemoveMember(project=slug, address="jonas"))
    missing = await refusal_of(hub, fresh(), "jonas")
    for who in ("jonas", "jonas/claude", "maya/codex"):
        assert (await refusal_of(hub, slug, who)).data == missing.data
        with pytest.raises(NotFound):
            await hub.ask(addition(slug, "eve"), who)


async def test_everyone_lists_their_own_projects(hub: Hub) -> None:
    owner, other = fresh("olga"), fresh("pete")
    slugs = sorted([await project_of(hub, owner, f"{owner}/codex", other), await project_of(hub, owner)])
    room = await hub.ask(ListProjects(), f"{owner}/codex")
    assert [addresses(one) for one in room.projects] == [[owner, f"{owner}/codex", other]]
    assert [one.project.slug for one in (await hub.ask(ListProjects(), owner)).projects] == slugs
    assert await hub.ask(ListProjects(member=f"{owner}/codex"), owner) == room
    assert await hub.ask(ListProjects(member=f"{owner}/codex"), "system") == room
    with pytest.raises(Forbidden):
        await hub.ask(ListProjects(member=owner), other)


async def test_the_operator_lists_all_projects(hub: Hub) -> None:
    slugs = {await project_of(hub, "maya"), await project_of(hub, "jonas")}
    assert slugs <= {one.project.slug for one in (await hub.ask(ListProjects(), "operator")).projects}


async def test_an_agent_that_was_removed_for_good_is_in_no_project(hub: Hub) -> None:
    owner = fresh("olga")
    agent = f"{owner}/codex"
    for _ in range(2):
        await project_of(hub, owner, agent)
    await announce(hub, AgentRemoved(agent_id=agent))

    async def gone() -> bool:
        return not (await hub.ask(ListProjects(member=agent))).projects

    await until(gone)
    assert len((await hub.ask(ListProjects(member=owner))).projects) == 2


async def shown_name(hub: Hub, project: str, address: str) -> str:
    members = (await hub.ask(GetProject(project=project))).members
    return next(member.display_name for member in members if member.address == address)


async def test_a_renamed_agent_is_shown_by_its_newest_name_in_all_projects(hub: Hub) -> None:
    """R42: news that is older than what was heard changes nothing."""
    owner = fresh("olga")
    agent, other = f"{owner}/codex", f"{owner}/claude"
    projects = [await project_of(hub, owner, agent, other) for _ in range(2)]
    for name, version in (("Second", 3), ("First", 2), ("Second", 3)):
        await announce(hub, AgentChanged(agent_id=agent, display_name=name, version=version))
    await announce(hub, AgentChanged(agent_id=other, display_name="Last", version=2))

    async def heard() -> bool:
        return await shown_name(hub, projects[0], other) == "Last"

    await until(heard)
    assert [await shown_name(hub, project, agent) for project in projects] == ["Second", "Second"]


async def removed(hub: Hub, handle: str, *agents: str) -> None:
    """Let rooms hear that a person is no more, twice, and wait until they are in no project."""
    for _ in range(2):
        await announce(hub, PersonRemoved(handle=handle, agents=list(agents)))

    async def gone() -> bool:
        return not (await hub.ask(ListProjects(member=handle))).projects

    await until(gone)


async def test_a_person_who_was_removed_for_good_is_in_no_project_and_nor_are_their_agents(hub: Hub) -> None:
    """R1."""
    olga, pete = fresh("olga"), fresh("pete")
    slug = await project_of(hub, olga, pete, f"{pete}/codex")
    other = await project_of(hub, pete, f"{pete}/codex", olga)
    await removed(hub, pete, f"{pete}/codex")
    for project in (slug, other):
        room = await hub.ask(GetProject(project=project), olga)
        assert (addresses(room), room.owner) == ([olga], olga)


async def test_a_removed_owners_project_goes_to_the_person_who_is_in_it_longest(hub: Hub) -> None:
    olga, pete, rosa = fresh("olga"), fresh("pete"), fresh("rosa")
    slug = await project_of(hub, olga, pete, f"{pete}/codex", rosa)
    await removed(hub, olga)
    assert (await hub.ask(GetProject(project=slug), rosa)).owner == pete
    assert rosa not in addresses(await hub.ask(RemoveMember(project=slug, address=rosa), pete))


async def test_a_project_without_people_goes_to_the_first_who_is_added(hub: Hub) -> None:
    """Until then it is the operator's to manage."""
    olga, pete = fresh("olga"), fresh("pete")
    slug = await project_of(hub, olga, f"{olga}/codex")
    await removed(hub, olga, f"{olga}/codex")
    assert (await hub.ask(GetProject(project=slug), "operator")).members == []
    await hub.ask(addition(slug, pete), "operator")
    await hub.ask(addition(slug, fresh("rosa")), pete)
    assert (await hub.ask(GetProject(project=slug), pete)).owner == pete
