"""Keys of agents and devices, and tokens of people: issued, listed without their tokens, revoked."""

from __future__ import annotations

from typing import Literal

from libs.contracts.base import Data, View, absent
from libs.contracts.directory import IssueKey, KeyKind, Keys, ListKeys, RevokeKey
from libs.contracts.errors import NotFound
from libs.contracts.rooms import ListProjects
from libs.contracts.types import AgentAddress, Id, Slug, Time
from services.gateway.people.endpoint import endpoint
from services.gateway.session import Session
from services.gateway.tokens import fingerprint, new_token


class NewAgentKey(Data):
    """A key that is wanted for an agent."""

    agent_id: AgentAddress
    kind: Literal["client", "project", "oauth"]
    project: Slug | None = absent("The one project of a project key; for no other kind.")
    expires_at: Time | None = absent("When it ends by itself.")


class NewDeviceKey(Data):
    """A key that is wanted for a device."""

    device_id: Id
    kind: Literal["device", "tasks"]
    expires_at: Time | None = absent("When it ends by itself.")


class NewPersonToken(Data):
    """A token that is wanted for a person."""

    handle: Slug
    expires_at: Time | None = absent("When it ends by itself.")


class OfAgent(Data):
    """Whose keys are meant."""

    agent_id: AgentAddress


class OfDevice(Data):
    """Whose keys are meant."""

    device_id: Id


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
    """Issue a key of an agent: for all its projects, for one, or (by the operator) as an OAuth token."""
    await session.ask(ListKeys(subject=wanted.agent_id))
    if wanted.kind == "project" and wanted.project is not None:
        await _check_member(wanted.agent_id, wanted.project, session)
    return await _issue(session, wanted.agent_id, wanted.kind, wanted.expires_at, wanted.project)


async def _check_member(agent_id: str, project: str, session: Session) -> None:
    """Refuse a project that the agent is not in, as only rooms knows."""
    rooms = await session.ask(ListProjects(member=agent_id))
    if project not in [room.project.slug for room in rooms.projects]:
        raise NotFound("Name a project that the agent is a member of, or add it there first.", field="project")


@endpoint("POST", "/devices/{device_id}/keys", NewDeviceKey, status=201)
async def issue_device_key(wanted: NewDeviceKey, session: Session) -> NewToken:
    """Issue a key of a device: a full one, or the narrow tasks key."""
    return await _issue(session, wanted.device_id, wanted.kind, wanted.expires_at)


@endpoint("POST", "/people/{handle}/tokens", NewPersonToken, status=201)
async def issue_person_token(wanted: NewPersonToken, session: Session) -> NewToken:
    """Issue a token of a person."""
    return await _issue(session, wanted.handle, "person", wanted.expires_at)


async def _issue(
    session: Session, subject: str, kind: KeyKind, expires_at: Time | None, project: Slug | None = None
) -> NewToken:
    token = new_token(kind)
    digest = fingerprint(token)
    wanted = IssueKey(subject=subject, kind=kind, project=project, token_sha256=digest, expires_at=expires_at)
    key = await session.ask(wanted)
    return NewToken(**key.model_dump(), token=token)


@endpoint("GET", "/agents/{owner}/{name}/keys", OfAgent)
async def list_agent_keys(whose: OfAgent, session: Session) -> Keys:
    """The keys of an agent, ended ones too."""
    return await session.ask(ListKeys(subject=whose.agent_id))


@endpoint("GET", "/devices/{device_id}/keys", OfDevice)
async def list_device_keys(whose: OfDevice, session: Session) -> Keys:
    """The keys of a device, ended ones too."""
    return await session.ask(ListKeys(subject=whose.device_id))


@endpoint("GET", "/people/{handle}/tokens", OfPerson)
async def list_person_tokens(whose: OfPerson, session: Session) -> Keys:
    """The tokens of a person, ended ones too."""
    return await session.ask(ListKeys(subject=whose.handle))


@endpoint("DELETE", "/keys/{key_id}", RevokeKey, status=204)
async def revoke_key(command: RevokeKey, session: Session) -> None:
    """End a credential at once on every replica; again changes nothing (R46)."""
    await session.ask(command)
    await session.tokens_changed()
