"""Teams, people, agents and keys, and who may do what with them."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any, cast

from sqlalchemy import MetaData
from sqlmodel import Field, SQLModel

from libs.contracts import directory as views
from libs.contracts.caller import Caller
from libs.contracts.errors import Forbidden, InvalidInput
from libs.contracts.types import RESERVED_SLUGS, TakesTasksFrom, is_agent, owner_of
from libs.storage import JsonValue, UtcDateTime

LONGEST_SLUG = 39
THE_INSTALLATION = "this"


class DirectoryTable(SQLModel):
    """What the directory keeps."""

    metadata = MetaData()


class Team(DirectoryTable, table=True):
    """A team; its slug never changes."""

    __tablename__ = "teams"

    slug: str = Field(primary_key=True)
    created_at: datetime = Field(sa_type=UtcDateTime)

    def view(self) -> views.Team:
        """The team as it is shown."""
        return views.Team(slug=self.slug, created_at=self.created_at)


class Person(DirectoryTable, table=True):
    """A person, in exactly one team (R1); the handle never changes."""

    __tablename__ = "people"

    handle: str = Field(primary_key=True)
    team: str = Field(foreign_key="teams.slug", index=True)
    display_name: str
    created_at: datetime = Field(sa_type=UtcDateTime)

    def view(self) -> views.Person:
        """The person as the team sees it."""
        return views.Person(
            handle=self.handle, team=self.team, display_name=self.display_name, created_at=self.created_at
        )


class Agent(DirectoryTable, table=True):
    """An agent of a person. A removed one stays, so that its address is never given out again."""

    __tablename__ = "agents"

    agent_id: str = Field(primary_key=True)
    owner: str = Field(foreign_key="people.handle", index=True)
    display_name: str
    capabilities: list[str] = Field(sa_type=JsonValue)
    takes_tasks_from: str
    created_at: datetime = Field(sa_type=UtcDateTime)
    removed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    def change(self, command: views.UpdateAgent) -> None:
        """Take over what the owner set; what was left out stays."""
        changes: dict[str, Any] = command.model_dump(exclude={"agent_id"}, exclude_none=True)
        for name, value in changes.items():
            setattr(self, name, value)

    def remove(self, now: datetime) -> None:
        """End the agent for good."""
        self.removed_at = now

    def view(self, team: str) -> views.Agent:
        """The agent as its team sees it; the team is its owner's."""
        return views.Agent(
            agent_id=self.agent_id,
            owner=self.owner,
            team=team,
            display_name=self.display_name,
            capabilities=self.capabilities,
            takes_tasks_from=cast(TakesTasksFrom, self.takes_tasks_from),
            created_at=self.created_at,
        )


class Key(DirectoryTable, table=True):
    """A credential: what a token proves. Of the token only the SHA-256 is here."""

    __tablename__ = "keys"

    key_id: str = Field(primary_key=True)
    kind: str
    subject: str = Field(index=True)
    token_sha256: str = Field(unique=True)
    created_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    last_used_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    def caller(self) -> Caller:
        """Whom its token proves."""
        return Caller(kind=cast(views.KeyKind, self.kind), subject=self.subject, credential_id=self.key_id)

    def revoke(self, now: datetime) -> None:
        """End it; the first time stands (R46)."""
        self.revoked_at = self.revoked_at or now

    def used(self, at: datetime) -> None:
        """Remember a use; a late report of an earlier one changes nothing."""
        self.last_used_at = max(self.last_used_at or at, at)

    def view(self) -> views.Key:
        """The key as it is listed: without anything of its token."""
        return views.Key.model_validate(self.model_dump(exclude={"token_sha256"}))

    def issued(self) -> views.IssuedKey:
        """The key as it is answered to who issued it."""
        return views.IssuedKey.model_validate(self.model_dump(include={"key_id", "kind", "subject", "expires_at"}))


class Installation(DirectoryTable, table=True):
    """What all gateways share: one row (R20)."""

    __tablename__ = "installation"

    name: str = Field(default=THE_INSTALLATION, primary_key=True)
    epoch: str = Field(default_factory=lambda: secrets.token_hex(8))
    cursor_key: str = Field(default_factory=lambda: secrets.token_urlsafe(32))

    def view(self) -> views.Installation:
        """The installation for its gateways."""
        return views.Installation(epoch=self.epoch, cursor_key=self.cursor_key)


def sees_everything(caller: Caller) -> bool:
    """Whether the caller is above the teams: the operator or the gateway itself."""
    return caller.kind in ("operator", "system")


def check_operator(caller: Caller) -> None:
    """Refuse everybody but the operator."""
    if not sees_everything(caller):
        raise Forbidden("Ask the operator of this installation to do this.")


def check_gateway(caller: Caller) -> None:
    """Refuse everybody but the gateway itself."""
    if caller.kind != "system":
        raise Forbidden("Leave this to the gateway; it is no call for people or agents.")


def governs(caller: Caller, subject: str) -> bool:
    """Whether the caller may manage an agent or person and its keys: the operator, the owner or the person itself."""
    return sees_everything(caller) or (caller.kind == "person" and caller.subject == owner_of(subject))


def check_governs(caller: Caller, subject: str) -> None:
    """Refuse whoever does not govern `subject`."""
    if not governs(caller, subject):
        raise Forbidden("Ask its owner or the operator; only they may do this.")


def check_slug(slug: str, field: str) -> None:
    """Refuse the names that mean something else in addresses."""
    if slug in RESERVED_SLUGS:
        raise InvalidInput("Choose another name; `all` and `operator` are reserved.", field=field)


def check_agent_name(agent_id: str) -> None:
    """Refuse a name behind the slash that is longer than a slug."""
    if len(agent_id.partition("/")[2]) > LONGEST_SLUG:
        raise InvalidInput(f"Shorten the agent's name to {LONGEST_SLUG} characters.", field="agent_id")


def check_new_key(command: views.IssueKey, now: datetime) -> None:
    """Refuse a kind that does not fit its subject, and an end that has passed."""
    if command.kind != _kind_for(command.subject):
        raise InvalidInput(
            "Issue client keys to agents, person tokens to people, operator tokens to `operator`.", field="kind"
        )
    if command.expires_at is not None and command.expires_at <= now:
        raise InvalidInput(
            "Choose a time in the future, or leave it out for a key that does not expire.", field="expires_at"
        )


def _kind_for(subject: str) -> views.KeyKind:
    if subject == "operator":
        return "operator"
    return "client" if is_agent(subject) else "person"
