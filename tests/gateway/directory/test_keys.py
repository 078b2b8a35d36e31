"""Keys: who issues, lists and ends them, and what their tokens prove."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from secrets import token_urlsafe

import pytest

from libs.contracts.caller import OPERATOR, SYSTEM, Caller
from libs.contracts.directory import (
    GetInstallation,
    IssuedKey,
    IssueKey,
    KeyKind,
    ListKeys,
    RecordUses,
    RemoveAgent,
    ResolveToken,
    RevokeKey,
)
from libs.contracts.errors import Forbidden, InvalidInput, NotFound
from tests.gateway.directory.directory import Directory, agent, person


def fingerprint(token: str) -> str:
    return sha256(token.encode()).hexdigest()


async def issue(
    directory: Directory,
    subject: str,
    caller: Caller = OPERATOR,
    *,
    kind: KeyKind = "client",
    hours: float | None = None,
) -> tuple[IssuedKey, str]:
    """A new key and the SHA-256 of its token."""
    digest = fingerprint(token_urlsafe(32))
    expires_at = None if hours is None else directory.now + timedelta(hours=hours)
    key = IssueKey(subject=subject, kind=kind, token_sha256=digest, expires_at=expires_at)
    return await directory.ask(key, caller), digest


async def resolved(directory: Directory, digest: str) -> Caller | None:
    return (await directory.ask(ResolveToken(token_sha256=digest), SYSTEM)).caller


async def test_a_token_proves_its_agent_person_or_operator(directory: Directory) -> None:
    for subject, kind in {"maya/codex": "client", "maya": "person", "operator": "operator"}.items():
        key, digest = await issue(directory, subject, kind=kind)  # type: ignore[arg-type]
        assert await resolved(directory, digest) == Caller(kind=kind, subject=subject, credential_id=key.key_id)  # type: ignore[arg-type]


async def test_an_unknown_token_proves_nothing(directory: Directory) -> None:
    assert await resolved(directory, fingerprint("prk_client_made-up")) is None


async def test_an_expired_token_proves_nothing(directory: Directory) -> None:
    """R4: the transaction's clock decides."""
    _, digest = await issue(directory, "maya/codex", person("maya"), hours=1)
    directory.advance(minutes=59)
    assert await resolved(directory, digest) is not None
    directory.advance(minutes=1)
    assert await resolved(directory, digest) is None


async def test_an_end_that_has_passed_is_refused(directory: Directory) -> None:
    with pytest.raises(InvalidInput) as refused:
        await issue(directory, "maya/codex", hours=0)
    assert refused.value.data.field == "expires_at"


async def test_a_kind_that_does_not_fit_its_subject_is_refused(directory: Directory) -> None:
    for subject, kind in (("maya/codex", "person"), ("maya", "client"), ("maya", "operator"), ("operator", "person")):
        with pytest.raises(InvalidInput) as refused:
            await issue(directory, subject, kind=kind)  # type: ignore[arg-type]
        assert refused.value.data.field == "kind"


async def test_a_revoked_token_proves_nothing_and_revoking_again_changes_nothing(directory: Directory) -> None:
    """R46: a revocation may be repeated."""
    key, digest = await issue(directory, "maya/codex", person("maya"))
    revoked = await directory.ask(RevokeKey(key_id=key.key_id), person("maya"))
    directory.advance(minutes=5)
    assert await directory.ask(RevokeKey(key_id=key.key_id), OPERATOR) == revoked
    assert revoked.revoked_at is not None
    assert await resolved(directory, digest) is None


async def test_the_keys_of_a_removed_agent_end_with_it(directory: Directory) -> None:
    _, digest = await issue(directory, "maya/codex")
    _, other = await issue(directory, "jonas/claude")
    await directory.ask(RemoveAgent(agent_id="maya/codex"), person("maya"))
    assert await resolved(directory, digest) is None
    assert await resolved(directory, other) is not None
    with pytest.raises(NotFound):
        await issue(directory, "maya/codex")


async def test_only_the_owner_and_the_operator_manage_an_agents_keys(directory: Directory) -> None:
    for allowed in (person("maya"), OPERATOR, SYSTEM):
        await issue(directory, "maya/codex", allowed)
        assert await directory.ask(ListKeys(subject="maya/codex"), allowed)
    for refused in (person("jonas"), agent("jonas/claude"), agent("maya/codex")):
        with pytest.raises(Forbidden):
            await issue(directory, "maya/codex", refused)
        with pytest.raises(Forbidden):
            await directory.ask(ListKeys(subject="maya/codex"), refused)


async def test_an_agent_of_another_team_is_not_found_by_whoever_asks_for_its_keys(directory: Directory) -> None:
    for stranger in (person("rosa"), agent("rosa/bot")):
        for subject in ("maya/codex", "maya", "maya/unknown", "unknown"):
            with pytest.raises(NotFound):
                await directory.ask(ListKeys(subject=subject), stranger)


async def test_a_person_manages_their_own_tokens_and_nobody_elses(directory: Directory) -> None:
    await issue(directory, "maya", person("maya"), kind="person")
    assert len((await directory.ask(ListKeys(subject="maya"), person("maya"))).keys) == 1
    with pytest.raises(Forbidden):
        await issue(directory, "maya", person("jonas"), kind="person")


async def test_only_the_operator_manages_operator_tokens(directory: Directory) -> None:
    key, _ = await issue(directory, "operator", kind="operator")
    with pytest.raises(Forbidden):
        await issue(directory, "operator", person("maya"), kind="operator")
    with pytest.raises(Forbidden):
        await directory.ask(ListKeys(subject="operator"), person("maya"))
    with pytest.raises(NotFound):
        await directory.ask(RevokeKey(key_id=key.key_id), person("maya"))


async def test_a_key_one_may_not_revoke_is_not_found_like_one_that_does_not_exist(directory: Directory) -> None:
    key, digest = await issue(directory, "maya/codex")
    said = []
    for key_id, caller in ((key.key_id, person("jonas")), (key.key_id, agent("maya/codex")), ("key_x", OPERATOR)):
        with pytest.raises(NotFound) as refused:
            await directory.ask(RevokeKey(key_id=key_id), caller)
        said.append(refused.value.data)
    assert said[0] == said[1] == said[2]
    assert await resolved(directory, digest) is not None


async def test_the_database_holds_the_sha256_and_lists_hold_neither(directory: Directory) -> None:
    token = f"prk_client_{token_urlsafe(32)}"
    await directory.ask(IssueKey(subject="maya/codex", kind="client", token_sha256=fingerprint(token)))
    stored = await directory.everything_stored()
    assert fingerprint(token) in stored
    assert token not in stored
    listed = (await directory.ask(ListKeys(subject="maya/codex"))).model_dump_json()
    assert fingerprint(token) not in listed


async def test_uses_are_recorded_in_batches_and_never_go_back(directory: Directory) -> None:
    key, _ = await issue(directory, "maya/codex")
    late, early = directory.now + timedelta(minutes=2), directory.now + timedelta(minutes=1)
    assert (await directory.ask(RecordUses(uses={key.key_id: late, "key_gone": late}), SYSTEM)).recorded == 1
    await directory.ask(RecordUses(uses={key.key_id: early}), SYSTEM)
    (listed,) = (await directory.ask(ListKeys(subject="maya/codex"))).keys
    assert listed.last_used_at == late


async def test_what_only_the_gateway_may_ask_is_refused_to_everybody_else(directory: Directory) -> None:
    asked = (ResolveToken(token_sha256="0" * 64), RecordUses(uses={}), GetInstallation())
    for command in asked:
        for caller in (OPERATOR, person("maya"), agent("maya/codex")):
            with pytest.raises(Forbidden):
                await directory.ask(command, caller)


async def test_every_gateway_gets_the_same_epoch_and_cursor_key(directory: Directory) -> None:
    """R20: all gateways share the signing key."""
    first = await directory.ask(GetInstallation(), SYSTEM)
    assert await directory.ask(GetInstallation(), SYSTEM) == first
    assert first.epoch
    assert len(first.cursor_key) >= 43
