"""Keys of agents and tokens of people: issued, listed without their tokens, revoked."""

from __future__ import annotations

from libs.contracts.base import Data, View, absent
from libs.contracts.directory import IssueKey, KeyKind, Keys, ListKeys, RevokeKey
from libs.contracts.types import AgentAddress, Slug, Time
from services.gateway.people.endpoint import endpoint
from services.gateway.people.tokens import fingerprint, new_token
from services.gateway.session import Session


class NewAgentKey(Data):
    """A key that is wanted for an agent."""

    agent_id: AgentAddress
    kind: KeyKind
    expires_at: Time | None = absent("When it ends by itself.")


class NewPersonToken(Data):
    """A token that is wanted for a person."""

    handle: Slug
    expires_at: Time | None = absent("When it ends by itself.")


class OfAgent(Data):
    """Whose keys are meant."""

    agent_id: AgentAddress


class OfPerson(Data):
    """Whose tokens are meant."""

    handle: Slug


class NewToken(View):
    """A new credential with its token, shown this once."""

    key_id: str
    kind: KeyKind
    subject: str
    expires_at: Time | None
    token: str


@endpoint("POST", "/agents/{owner}/{name}/keys", NewAgentKey, status=201)
async def issue_agent_key(wanted: NewAgentKey, session: Session) -> NewToken:
    """Issue a client key of an agent."""
    return await _issue(session, wanted.agent_id, wanted.kind, wanted.expires_at)


@endpoint("POST", "/people/{handle}/tokens", NewPersonToken, status=201)
async def issue_person_token(wanted: NewPersonToken, session: Session) -> NewToken:
    """Issue a token of a person."""
    return await _issue(session, wanted.handle, "person", wanted.expires_at)


async def _issue(session: Session, subject: str, kind: KeyKind, expires_at: Time | None) -> NewToken:
    token = new_token(kind)
    key = await session.ask(
        IssueKey(subject=subject, kind=kind, token_sha256=fingerprint(token), expires_at=expires_at)
    )
    return NewToken(**key.model_dump(), token=token)


@endpoint("GET", "/agents/{owner}/{name}/keys", OfAgent)
async def list_agent_keys(whose: OfAgent, session: Session) -> Keys:
    """The keys of an agent, ended ones too."""
    return await session.ask(ListKeys(subject=whose.agent_id))


@endpoint("GET", "/people/{handle}/tokens", OfPerson)
async def list_person_tokens(whose: OfPerson, session: Session) -> Keys:
    """The tokens of a person, ended ones too."""
    return await session.ask(ListKeys(subject=whose.handle))


@endpoint("DELETE", "/keys/{key_id}", RevokeKey, status=204)
async def revoke_key(command: RevokeKey, session: Session) -> None:
    """End a credential at once on every replica; again changes nothing (R46)."""
    await session.ask(command)
    await session.tokens_changed()
