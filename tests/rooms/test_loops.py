"""The loop guard: agents that answer each other without end wake each other no more (R27)."""

from __future__ import annotations

from libs.contracts.policy import Policy
from libs.contracts.rooms import NotNotified, PostedMessage, PostMessage
from tests.harness import Hub
from tests.rooms.given import mailbox, messages_in, post, project_of

SERVICES = ("rooms",)
CREW = ("maya", "maya/codex", "jonas", "jonas/claude")
PAIR = ("maya/codex", "jonas/claude")
MOST = Policy().loop_messages


async def reply(hub: Hub, project: str, turn: int, to: str | None, **said: object) -> PostedMessage:
    """One agent answers the other, in turns."""
    author, other = PAIR[turn % 2], PAIR[(turn + 1) % 2]
    wanted = {"project": project, "body": f"@{other} and you?", **({"in_reply_to": to} if to else {}), **said}
    return await hub.ask(PostMessage.model_validate(wanted), author)


async def chain(hub: Hub, project: str, length: int, to: str | None = None, apart: float = 1) -> list[PostedMessage]:
    """So many replies, each to the one before."""
    posted: list[PostedMessage] = []
    for turn in range(length):
        hub.clock.advance(seconds=apart)
        posted.append(await reply(hub, project, turn, posted[-1].message.id if posted else to))
    return posted


async def test_twenty_agent_messages_in_a_row_are_told_and_the_next_is_only_stored(hub: Hub) -> None:
    """R27: and the answer says so."""
    project = await project_of(hub, *CREW)
    told = await chain(hub, project, MOST)
    assert all(len(one.notified) == 1 and one.notice is None for one in told)
    before = [await mailbox(hub, agent, project) for agent in PAIR]
    silent = await reply(hub, project, 0, told[-1].message.id, mentions=["jonas/claude", "eve", "Jonas"])
    assert silent.notified == silent.message.mentions == []
    assert silent.not_notified == [
        NotNotified(address="jonas/claude", reason="loop"),
        NotNotified(address="eve", reason="not_a_member"),
        NotNotified(address="Jonas", reason="loop"),
    ]
    assert silent.notice is not None
    assert "20 agent messages" in silent.notice
    assert [await mailbox(hub, agent, project) for agent in PAIR] == before
    assert (await messages_in(hub, project, "maya"))[-1] == silent.message
    assert (await reply(hub, project, 1, silent.message.id)).notified == []


async def test_a_person_in_between_ends_the_row(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    last = (await chain(hub, project, MOST + 1))[-1]
    assert last.notified == []
    person = await post(hub, project, "maya", "@jonas/claude go on", in_reply_to=last.message.id)
    assert all(one.notified for one in await chain(hub, project, MOST, person.id))


async def test_a_persons_message_is_told_however_long_the_agents_went_on(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    last = (await chain(hub, project, MOST + 1))[-1]
    said = PostMessage(project=project, body="@jonas/claude stop", in_reply_to=last.message.id)
    posted = await hub.ask(said, "maya")
    assert (posted.notified, posted.notice) == (["jonas/claude"], None)


async def test_only_the_messages_of_the_last_hour_count(hub: Hub) -> None:
    """A slow exchange goes on for ever; what was fast an hour ago may go on."""
    project = await project_of(hub, *CREW)
    slow = await chain(hub, project, 3 * MOST, apart=3600 / MOST)
    assert all(one.notified for one in slow)
    fast = await chain(hub, project, MOST + 1)
    assert fast[-1].notified == []
    hub.clock.advance(seconds=3600)
    assert (await reply(hub, project, 1, fast[-1].message.id)).notified == ["maya/codex"]


async def test_the_hour_slides_with_the_messages(hub: Hub) -> None:
    """Twenty-one within any hour are too many, not only within the hour that the first one began."""
    project = await project_of(hub, *CREW)
    first = await chain(hub, project, 1)
    hub.clock.advance(seconds=3000)
    more = await chain(hub, project, MOST - 1, first[0].message.id)
    hub.clock.advance(seconds=700)
    further = await chain(hub, project, 2, more[-1].message.id)
    assert [bool(one.notified) for one in further] == [True, False]


async def test_what_answers_nothing_or_another_branch_is_in_no_loop(hub: Hub) -> None:
    project = await project_of(hub, *CREW)
    told = await chain(hub, project, MOST)
    assert (await reply(hub, project, 0, None)).notified == ["jonas/claude"]
    for _ in range(2):
        assert (await reply(hub, project, 0, told[-2].message.id)).notified == ["jonas/claude"]
    assert (await reply(hub, project, 0, told[-1].message.id)).notified == []
