"""Credentials: who a token speaks for. Tokens themselves never come here."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from libs.contracts.base import Command, Query, View, absent
from libs.contracts.caller import Caller
from libs.contracts.types import Slug, Time

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
KeyKind = Literal["client", "project", "oauth", "device", "tasks", "person", "operator"]


class Key(View):
    """A credential as it is listed: never its token."""

    key_id: str
    kind: KeyKind
    subject: str
    """An agent's or person's address, a device's id, or `operator`."""
    project: Slug | None = None
    """The one project of a project key."""
    created_at: Time
    expires_at: Time | None
    last_used_at: Time | None
    revoked_at: Time | None


class IssuedKey(View):
    """A new credential; its token is in the gateway's answer alone, once."""

    key_id: str
    kind: KeyKind
    subject: str
    expires_at: Time | None


class Keys(View):
    keys: list[Key]


class IssueKey(Command[IssuedKey], service="directory"):
    """Record a credential whose token the gateway made: only its SHA-256 travels here and is kept."""

    subject: str
    kind: KeyKind
    project: Slug | None = absent()
    """Required for a project key, and only there."""
    token_sha256: Sha256
    expires_at: Time | None = absent()


class ListKeys(Query[Keys], service="directory"):
    """The keys of an agent, person or device, for its owner and the operator."""

    subject: str


class RevokeKey(Command[Key], service="directory"):
    """End a credential; again changes nothing (R46)."""

    key_id: str


class Resolved(View):
    """Whose token it is; None when unknown, expired or revoked."""

    caller: Caller | None
    expires_at: Time | None = None


class ResolveToken(Query[Resolved], service="directory"):
    """Look a token up by its SHA-256 (the gateway itself)."""

    token_sha256: Sha256


class RecordedUses(View):
    """How many of the credentials are known."""

    recorded: int


class RecordUses(Command[RecordedUses], service="directory"):
    """Remember when credentials were last used (the gateway itself, in batches)."""

    kept = False

    uses: dict[str, Time]


class Installation(View):
    """What all gateways of an installation share (R20)."""

    epoch: str
    cursor_key: str


class GetInstallation(Command[Installation], service="directory"):
    """The installation's epoch and cursor signing key, made at the first call."""

    kept = False
