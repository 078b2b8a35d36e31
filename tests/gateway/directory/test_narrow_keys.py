"""Keys that are narrower than a client key: of a project, by OAuth, of a device."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from secrets import token_urlsafe
from typing import Any

import pytest

from libs.contracts.base import Command
from libs.contracts.caller import OPERATOR, SYSTEM, Caller
from libs.contracts.directory import (
    IssuedKey,
    IssueKey,
    ListKeys,
    RegisterDevice,
    RemoveAgent,
    RemoveDevice,
    ResolveToken,
    RevokeKey,
)
from libs.contracts.errors import Forbidden, InvalidInput, NotFound
from tests.gateway.directory.directory import Directory, agent, person

KINDS: dict[str, dict[str, Any]] = {
    "project": {"subject": "maya/codex", "project": "website-v2"},
    "oauth": {"subject": "maya/codex"},
    "device": {},
    "tasks": {},
}


async def device_of_maya(directory: Directory) -> str:
    """A new device's id."""
    return (await directory.ask(RegisterDevice(name="Laptop"), person("maya"))).device_id


async def issue(directory: Directory, kind: str, caller: Caller = OPERATOR, **said: Any) -> tuple[IssuedKey, str]:
    """A new key of maya's agent or device, and the SHA-256 of its token."""
    digest = sha256(token_urlsafe(32).encode()).hexdigest()
    subject = said.pop("subject", None) or await device_of_maya(directory)
    wanted = {"subject": subject, "kind": kind, "token_sha256": digest, **said}
    return await directory.ask(IssueKey.model_validate(wanted), caller), digest


async def resolved(directory: Directory, digest: str) -> Caller | None:
    return (await directory.ask(ResolveToken(token_sha256=digest), SYSTEM)).caller


async def test_a_project_key_proves_its_agent_in_one_project(directory: Directory) -> None:
    key, digest = await issue(directory, "project", person("maya"), **KINDS["project"])
    assert await resolved(directory, digest) == Caller(
        kind="project", subject="maya/codex", credential_id=key.key_id, project="website-v2"
    )
    (listed,) = (await directory.ask(ListKeys(subject="maya/codex"), person("maya"))).keys
    assert (listed.kind, listed.project) == ("project", "website-v2")


async def test_a_project_is_named_for_a_project_key_and_for_no_other(directory: Directory) -> None:
    for kind, said in KINDS.items():
        wrong = {**said, "project": None if kind == "project" else "website-v2"}
        with pytest.raises(InvalidInput) as refused:
            await issue(directory, kind, **wrong)
        assert refused.value.data.field == "project"


async def test_an_oauth_token_is_issued_by_the_operator_alone(directory: Directory) -> None:
    with pytest.raises(Forbidden) as refused:
        await issue(directory, "oauth", person("maya"), subject="maya/codex")
    assert refused.value.data.field == "kind"
    key, digest = await issue(directory, "oauth", OPERATOR, subject="maya/codex")
    assert await resolved(directory, digest) == Caller(kind="oauth", subject="maya/codex", credential_id=key.key_id)


@pytest.mark.parametrize("kind", ["device", "tasks"])
async def test_a_key_of_a_device_proves_the_device_and_its_owner(directory: Directory, kind: Any) -> None:
    for issuer in (person("maya"), OPERATOR):
        device_id = await device_of_maya(directory)
        key, digest = await issue(directory, kind, issuer, subject=device_id)
        assert await resolved(directory, digest) == Caller(
            kind=kind, subject=device_id, credential_id=key.key_id, owner="maya"
        )


async def test_the_keys_of_a_device_are_nobodys_business_but_its_owners(directory: Directory) -> None:
    device_id = await device_of_maya(directory)
    key, _ = await issue(directory, "device", subject=device_id)
    itself = Caller(kind="device", subject=device_id, owner="maya", credential_id=key.key_id)
    asked: list[Callable[[], Command[Any]]] = [
        lambda: IssueKey(subject=device_id, kind="tasks", token_sha256="0" * 64),
        lambda: ListKeys(subject=device_id),
        lambda: RevokeKey(key_id=key.key_id),
    ]
    for caller in (person("jonas"), person("rosa"), agent("maya/codex"), itself):
        for ask in asked:
            with pytest.raises(NotFound):
                await directory.ask(ask(), caller)
    assert len((await directory.ask(ListKeys(subject=device_id), person("maya"))).keys) == 1


async def test_kinds_fit_their_subjects(directory: Directory) -> None:
    device_id = await device_of_maya(directory)
    wrong = {"maya/codex": ("device", "tasks"), "maya": ("project", "oauth", "device"), device_id: ("client", "oauth")}
    for subject, kinds in {**wrong, "operator": ("device", "project")}.items():
        for kind in kinds:
            with pytest.raises(InvalidInput) as refused:
                await issue(directory, kind, subject=subject)
            assert refused.value.data.field == "kind"


async def test_a_device_that_does_not_exist_gets_no_key(directory: Directory) -> None:
    with pytest.raises(NotFound) as refused:
        await issue(directory, "device", subject="dev_unknown")
    assert refused.value.data.field == "device_id"


@pytest.mark.parametrize("kind", KINDS)
async def test_a_revoked_key_of_any_kind_proves_nothing(directory: Directory, kind: str) -> None:
    """R46: also when it is revoked again, and its owner may end what the operator issued."""
    key, digest = await issue(directory, kind, **KINDS[kind])
    assert await resolved(directory, digest) is not None
    for caller in (person("maya"), OPERATOR):
        await directory.ask(RevokeKey(key_id=key.key_id), caller)
        assert await resolved(directory, digest) is None


async def test_the_keys_of_a_removed_device_or_agent_prove_nothing(directory: Directory) -> None:
    for kind in ("device", "tasks"):
        key, digest = await issue(directory, kind)
        await directory.ask(RemoveDevice(device_id=key.subject), person("maya"))
        assert await resolved(directory, digest) is None
        with pytest.raises(NotFound):
            await issue(directory, kind, subject=key.subject)
    digests = [(await issue(directory, kind, **KINDS[kind]))[1] for kind in ("project", "oauth")]
    await directory.ask(RemoveAgent(agent_id="maya/codex"), person("maya"))
    assert [await resolved(directory, digest) for digest in digests] == [None, None]
