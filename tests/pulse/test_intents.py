"""What agents are about to change, and who is told (R29, R30)."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from libs.contracts.errors import InvalidInput
from libs.contracts.pulse import UpdatePulse
from tests.harness import Hub
from tests.pulse.given import DEVICE, fresh_agent, pulse_of
from tests.pulse.room import Room

SERVICES = ("pulse",)


@pytest.fixture
def room(hub: Hub) -> Room:
    return Room(hub)


async def test_an_intent_shows_until_it_expires(room: Room) -> None:
    """R29; an intent of 60 s at 61 s is not shown."""
    agent = fresh_agent()
    await room.announce(agent, "src/app.py", seconds=60, areas=["billing"])
    shown = (await pulse_of(room.hub, agent, room.project)).wire()["intent"]
    assert (shown["kind"], shown["paths"], shown["areas"]) == ("change", ["src/app.py"], ["billing"])
    room.hub.clock.advance(59)
    assert (await pulse_of(room.hub, agent, room.project)).intent is not None
    room.hub.clock.advance(2)
    assert "intent" not in (await pulse_of(room.hub, agent, room.project)).wire()


async def test_an_intent_stays_when_it_is_left_out_and_goes_with_null(room: Room) -> None:
    agent = fresh_agent()
    await room.announce(agent, "src/app.py")
    await room.say(agent, doing="at it")
    assert (await pulse_of(room.hub, agent, room.project)).intent is not None
    await room.say(agent, intent=None)
    assert (await pulse_of(room.hub, agent, room.project)).intent is None


async def test_the_writer_learns_of_an_overlap_in_the_answer_and_the_other_from_its_mailbox(room: Room) -> None:
    """R30."""
    first, second = fresh_agent(), fresh_agent()
    assert await room.announce(first, "src/", "docs/a.md") == []
    overlaps = await room.announce(second, "src/app.py", "lib/b.py")
    assert [(overlap.agent_id, overlap.paths, overlap.areas) for overlap in overlaps] == [(first, ["src/"], [])]
    assert overlaps[0].intent.paths == ["src/", "docs/a.md"]
    (entry,) = await room.told(first)
    assert (entry.kind, entry.project) == ("pulse_overlap", room.project)
    assert entry.body["overlap"]["agent_id"] == second
    assert entry.body["overlap"]["paths"] == ["src/app.py"]
    assert entry.body["overlap"]["intent"]["paths"] == ["src/app.py", "lib/b.py"]
    assert await room.told(second) == []


async def test_an_equal_area_is_an_overlap(room: Room) -> None:
    first, second = fresh_agent(), fresh_agent()
    await room.announce(first, areas=["billing"])
    (overlap,) = await room.announce(second, areas=["api", "billing"])
    assert (overlap.paths, overlap.areas) == ([], ["billing"])


async def test_a_pair_of_intents_is_told_once(room: Room) -> None:
    """R30: saying the same again, or anything else, tells nobody; the answer still shows the overlap."""
    first, second = fresh_agent(), fresh_agent()
    await room.announce(first, "src/app.py")
    await room.announce(second, "src/app.py")
    assert len(await room.announce(second, "src/app.py")) == 1
    assert len(await room.say(second, doing="at it")) == 1
    assert len(await room.announce(first, "src/app.py")) == 1
    assert [len(await room.told(agent)) for agent in (first, second)] == [1, 0]
    await room.announce(second, "src/app.py", "src/b.py")
    await room.announce(first, "src")
    assert [len(await room.told(agent)) for agent in (first, second)] == [2, 1]


async def test_an_intent_that_lapsed_and_is_said_again_is_a_new_one(room: Room) -> None:
    first, second = fresh_agent(), fresh_agent()
    await room.announce(first, "a.py", seconds=6000)
    await room.announce(second, "a.py", seconds=60)
    room.hub.clock.advance(61)
    await room.announce(second, "a.py", seconds=60)
    assert len(await room.told(first)) == 2


async def test_intents_that_expired_or_were_taken_back_overlap_with_nothing(room: Room) -> None:
    first, second, third = fresh_agent(), fresh_agent(), fresh_agent()
    await room.announce(first, "a.py", seconds=60)
    await room.announce(second, "a.py", seconds=600)
    await room.say(second, intent=None)
    room.hub.clock.advance(60)
    assert await room.announce(third, "a.py") == []
    assert await room.say(first) == []


async def test_intents_overlap_within_one_project_alone_and_never_with_ones_own(room: Room) -> None:
    agent, other = fresh_agent(), fresh_agent()
    await room.announce(agent, "a.py")
    assert await room.announce(agent, "a.py", "b.py") == []
    assert await Room(room.hub).announce(other, "a.py") == []


@pytest.mark.parametrize("path", ["/etc/passwd", "../other", "a\\b"])
async def test_a_path_out_of_the_repository_is_refused_and_nothing_is_written(room: Room, path: str) -> None:
    agent = fresh_agent()
    with pytest.raises(InvalidInput) as refused:
        await room.announce(agent, "ok.py", path, doing="x")
    assert refused.value.data.field == "intent.paths[1]"
    assert (await pulse_of(room.hub, agent, room.project)).doing == ""


@pytest.mark.parametrize(
    "intent",
    [
        {"paths": ["a"] * 21},
        {"paths": [""]},
        {"paths": ["a" * 301]},
        {"areas": ["a"] * 11},
        {"areas": ["a" * 41]},
        {"kind": "ponder"},
        {"expires_in_seconds": 0},
        {"expires_in_seconds": 86401},
    ],
)
def test_an_intent_keeps_its_limits(intent: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        UpdatePulse.model_validate({"project": "p", "intent": {"kind": "change", **intent}})


async def test_a_device_announces_nothing(room: Room) -> None:
    command = UpdatePulse.model_validate(
        {"project": room.project, "agent_id": fresh_agent(), "intent": {"kind": "change", "paths": ["a"]}}
    )
    with pytest.raises(InvalidInput) as refused:
        await room.hub.ask(command, DEVICE)
    assert refused.value.data.field == "intent"
