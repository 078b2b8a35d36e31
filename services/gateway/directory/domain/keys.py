"""Keys: whom a token proves, and who gets which kind."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Literal, cast

from sqlmodel import Field

from libs.contracts import directory as views
from libs.contracts.caller import OPERATOR, Caller
from libs.contracts.errors import Forbidden, InvalidInput
from libs.contracts.types import SLUG_PATTERN, is_agent
from libs.storage import UtcDateTime
from services.gateway.directory.domain.rights import sees_everything
from services.gateway.directory.domain.table import DirectoryTable

SubjectKind = Literal["agent", "device", "person", "operator"]
KINDS: dict[SubjectKind, tuple[views.KeyKind, ...]] = {
    "agent": ("client", "project", "oauth"),
    "device": ("device", "tasks"),
    "person": ("person",),
    "operator": ("operator",),
}
"""The kinds of keys that may be issued to whom."""


class Key(DirectoryTable, table=True):
    """A credential: what a token proves. Of the token only the SHA-256 is here."""

    __tablename__ = "keys"

    key_id: str = Field(primary_key=True)
    kind: str
    subject: str = Field(index=True)
    owner: str
    """The person who answers for the subject; `operator` for the operator's own."""
    project: str | None = None
    """The one project of a project key."""
    token_sha256: str = Field(unique=True)
    created_at: datetime = Field(sa_type=UtcDateTime)
    expires_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    last_used_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    revoked_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    def caller(self) -> Caller:
        """Whom its token proves."""
        return Caller(
            kind=cast(views.KeyKind, self.kind),
            subject=self.subject,
            credential_id=self.key_id,
            owner=self.owner if self.kind in KINDS["device"] else None,
            project=self.project,
        )

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


def check_new_key(command: views.IssueKey, caller: Caller, now: datetime) -> None:
    """Refuse a kind that does not fit its subject or its issuer, a missing project, and an end that has passed."""
    if command.kind not in KINDS[subject_kind(command.subject)]:
        raise InvalidInput(
            "Issue client, project or oauth keys to agents, device or tasks keys to devices, person tokens to people, "
            "operator tokens to `operator`.",
            field="kind",
        )
    if command.kind == "oauth" and not sees_everything(caller):
        raise Forbidden("Ask the operator, who alone issues oauth keys.", field="kind")
    if (command.kind == "project") != (command.project is not None):
        raise InvalidInput("Name the one project of a project key, and of no other key.", field="project")
    if command.expires_at is not None and command.expires_at <= now:
        raise InvalidInput(
            "Choose a time in the future, or leave it out for a key that does not expire.", field="expires_at"
        )


def subject_kind(subject: str) -> SubjectKind:
    """Who a subject of keys is; what is no address is the id of a device."""
    if subject == OPERATOR.subject:
        return "operator"
    if is_agent(subject):
        return "agent"
    return "person" if re.fullmatch(SLUG_PATTERN, subject) else "device"
