"""People who are removed for good: what goes with them, and that nothing of theirs comes back."""

from __future__ import annotations

from hashlib import sha256

import pytest

from libs.contracts.caller import OPERATOR, SYSTEM, Caller
from libs.contracts.directory import (
    CreateAgent,
    CreatePerson,
    DescribeAddresses,
    DeviceChanged,
    IssueKey,
    KeyKind,
    ListAgents,
    ListDevices,
    ListPeople,
    PersonRemoved,
    RegisterDevice,
    RemoveAgent,
    RemovePerson,
    ResolveToken,
)
from libs.contracts.errors import Conflict, Forbidden, NotFound
from tests.gateway.directory.directory import Directory, agent, person

MAYA = person("maya")


async def token_of(directory: Directory, subject: str, kind: KeyKind) -> str:
    """A new key; the SHA-256 of its token."""
    digest = sha256(subject.encode()).hexdigest()
    await directory.ask(IssueKey(subject=subject, kind=kind, token_sha256=digest), OPERATOR)
    return digest


async def proves(directory: Directory, digest: str) -> Caller | None:
    return (await directory.ask(ResolveToken(token_sha256=digest), SYSTEM)).caller


async def test_agents_devices_and_keys_go_with_a_person(directory: Directory) -> None:
    laptop = await directory.ask(RegisterDevice(name="Laptop", agents=["maya/codex"], projects=["garden"]), MAYA)
    mine = {"maya": "person", "maya/codex": "client", laptop.device_id: "device"}
    digests = [await token_of(directory, subject, kind) for subject, kind in mine.items()]  # type: ignore[arg-type]
    other = await token_of(directory, "jonas/claude", "client")
    assert all([await proves(directory, digest) for digest in digests])
    removed = await directory.ask(RemovePerson(handle="maya"))
    assert (removed.handle, removed.team) == ("maya", "ants")
    assert [await proves(directory, digest) for digest in digests] == [None, None, None]
    assert await proves(directory, other) is not None
    assert [one.handle for one in (await directory.ask(ListPeople())).people] == ["jonas", "rosa"]
    assert [one.agent_id for one in (await directory.ask(ListAgents())).agents] == ["jonas/claude", "rosa/bot"]
    assert (await directory.ask(ListDevices())).devices == []
    described = await directory.ask(DescribeAddresses(addresses=["maya", "maya/codex"]))
    assert (described.people, described.agents) == ([], [])


async def test_the_services_hear_of_the_person_with_the_agents_and_of_each_device(directory: Directory) -> None:
    await directory.ask(CreateAgent(agent_id="maya/aider", display_name="Aider"), MAYA)
    await directory.ask(CreateAgent(agent_id="maya/gone", display_name="Gone"), MAYA)
    await directory.ask(RemoveAgent(agent_id="maya/gone"), MAYA)
    laptop = await directory.ask(RegisterDevice(name="Laptop", agents=["maya/codex"]), MAYA)
    await directory.ask(RemovePerson(handle="maya"))
    person_gone, device_gone = directory.announced[-2:]
    assert person_gone == PersonRemoved(handle="maya", agents=["maya/aider", "maya/codex"])
    assert isinstance(device_gone, DeviceChanged)
    assert (device_gone.device_id, device_gone.removed) == (laptop.device_id, True)


async def test_no_address_of_a_removed_person_is_given_out_again(directory: Directory) -> None:
    """R1: nor can anything new be made in their name."""
    await directory.ask(RemovePerson(handle="maya"))
    with pytest.raises(Conflict):
        await directory.ask(CreatePerson(handle="maya", team="bees", display_name="Another Maya"))
    for command in (
        RemovePerson(handle="maya"),
        CreateAgent(agent_id="maya/codex", display_name="Codex"),
        CreateAgent(agent_id="maya/new", display_name="New"),
        RegisterDevice(name="Desk", owner="maya"),
        IssueKey(subject="maya", kind="person", token_sha256="0" * 64),
    ):
        with pytest.raises(NotFound):
            await directory.ask(command, OPERATOR)


async def test_only_the_operator_removes_people(directory: Directory) -> None:
    for caller in (MAYA, person("jonas"), agent("maya/codex")):
        with pytest.raises(Forbidden):
            await directory.ask(RemovePerson(handle="maya"), caller)
    assert directory.announced == []
