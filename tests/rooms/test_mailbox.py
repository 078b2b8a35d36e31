"""The rooms part of a mailbox: own projects only, and a resync for whoever came back (R26)."""

from __future__ import annotations

from libs.contracts.mailbox import MailboxPage, ReadRoomsMailbox
from libs.contracts.rooms import RemoveMember
from tests.harness import Hub
from tests.rooms.given import addition, fresh, post, project_of

SERVICES = ("rooms",)


async def wait(hub: Hub, agent: str, **asked: object) -> MailboxPage:
    query = ReadRoomsMailbox.model_validate({"recipient": agent, "tool": "wait_for_updates", **asked})
    return await hub.ask(query)


async def acknowledge(hub: Hub, agent: str, page: MailboxPage) -> MailboxPage:
    return await wait(hub, agent, after=page.position, rejoins=page.rejoins, acknowledged=True)


def bodies(page: MailboxPage) -> list[str]:
    return [entry.body["message"]["body"] for entry in page.entries]


async def leave(hub: Hub, project: str, agent: str) -> None:
    await hub.ask(RemoveMember(project=project, address=agent))


async def agent_in_two_projects(hub: Hub) -> tuple[str, str, str]:
    owner = fresh("olga")
    agent = f"{owner}/codex"
    return agent, await project_of(hub, owner, agent), await project_of(hub, owner, agent)


async def mention(hub: Hub, project: str, agent: str, text: str) -> None:
    await post(hub, project, agent.partition("/")[0], f"@{agent} {text}")


async def test_a_mention_sent_before_the_first_wait_is_delivered(hub: Hub) -> None:
    agent, project, other = await agent_in_two_projects(hub)
    await mention(hub, project, agent, "early")
    page = await wait(hub, agent)
    assert bodies(page) == [f"@{agent} early"]
    assert page.projects == sorted([project, other])
    assert (page.rejoins, page.resync, page.more) == (0, False, False)


async def test_entries_of_a_project_it_left_are_skipped(hub: Hub) -> None:
    agent, project, other = await agent_in_two_projects(hub)
    await mention(hub, project, agent, "left")
    await mention(hub, other, agent, "stayed")
    await leave(hub, project, agent)
    page = await wait(hub, agent)
    assert bodies(page) == [f"@{agent} stayed"]
    assert (page.projects, page.position, page.resync) == ([other], 2, False)


async def test_the_first_wait_after_it_was_added_again_says_resync(hub: Hub) -> None:
    agent, project, _ = await agent_in_two_projects(hub)
    before = await acknowledge(hub, agent, await wait(hub, agent))
    await leave(hub, project, agent)
    await mention_others(hub, project)
    await hub.ask(addition(project, agent))
    await mention(hub, project, agent, "welcome back")
    for page in (await wait(hub, agent), await wait(hub, agent, after=before.position, rejoins=before.rejoins)):
        assert bodies(page) == [f"@{agent} welcome back"]
        assert (page.resync, page.rejoins) == (True, 1)


async def mention_others(hub: Hub, project: str) -> None:
    owner = next(iter((await hub.ask(addition(project, fresh("pete")))).members)).address
    await post(hub, project, owner, "meanwhile")


async def test_resync_is_said_until_a_cursor_that_knows_it_comes_back(hub: Hub) -> None:
    agent, project, _ = await agent_in_two_projects(hub)
    await leave(hub, project, agent)
    await hub.ask(addition(project, agent))
    page = await wait(hub, agent)
    assert page.resync
    assert (await wait(hub, agent)).resync
    assert not (await acknowledge(hub, agent, page)).resync
    assert not (await wait(hub, agent)).resync


async def test_rejoins_count_over_all_projects(hub: Hub) -> None:
    agent, *projects = await agent_in_two_projects(hub)
    for project in projects:
        await leave(hub, project, agent)
        await hub.ask(addition(project, agent))
    page = await wait(hub, agent, after=0, rejoins=1)
    assert (page.rejoins, page.resync) == (2, True)
    assert not (await wait(hub, agent, after=0, rejoins=2)).resync


async def test_each_tool_remembers_for_itself_which_rejoins_it_knows(hub: Hub) -> None:
    agent, project, _ = await agent_in_two_projects(hub)
    await leave(hub, project, agent)
    await hub.ask(addition(project, agent))
    await acknowledge(hub, agent, await wait(hub, agent))
    assert (await wait(hub, agent, tool="wait_for_mention")).resync


async def test_a_cursor_with_a_filter_is_not_remembered(hub: Hub) -> None:
    agent, project, _ = await agent_in_two_projects(hub)
    await leave(hub, project, agent)
    await hub.ask(addition(project, agent))
    page = await wait(hub, agent, project=project)
    assert not (await wait(hub, agent, project=project, after=page.position, rejoins=page.rejoins)).resync
    assert (await wait(hub, agent)).resync


async def test_a_wait_may_ask_for_some_kinds(hub: Hub) -> None:
    agent, project, _ = await agent_in_two_projects(hub)
    await mention(hub, project, agent, "hello")
    assert (await wait(hub, agent, kinds=["memory_changed"])).entries == []
    assert len((await wait(hub, agent, kinds=["mention", "memory_changed"])).entries) == 1
