"""Who calls: what the gateway verified about a token, sent along in every command's headers."""

from __future__ import annotations

from typing import Literal

from libs.contracts.base import Data
from libs.contracts.types import Id, Slug, is_agent, owner_of

CredentialKind = Literal["client", "project", "oauth", "device", "tasks", "run", "person", "operator", "system"]


class Run(Data):
    """The one run that an execution credential is for: of a task, or of a discussion."""

    project: Slug
    attempt_id: Id | None = None
    task_id: Id | None = None
    discussion_id: Id | None = None
    message_id: Id | None = None
    """The message that a discussion is about."""


class Caller(Data):
    """The verified caller. Services trust it: only gateways may write command streams."""

    kind: CredentialKind
    subject: str
    """The address of the agent or person, a device's id; `operator` or `system` for those two."""
    credential_id: str = ""
    owner: Slug | None = None
    """The person a device belongs to."""
    project: Slug | None = None
    """The one project that a project key or a run is for."""
    run: Run | None = None
    """What an execution credential is for."""

    @property
    def person(self) -> str:
        """The handle of the person who answers for this caller."""
        return self.owner or owner_of(self.subject)

    @property
    def acts_as_agent(self) -> bool:
        """Whether the caller speaks as an agent."""
        return is_agent(self.subject)

    @property
    def is_device(self) -> bool:
        """Whether the caller is a runner device, by its own key or its narrow tasks key."""
        return self.kind in ("device", "tasks")

    @property
    def identity(self) -> str:
        """What idempotency keys belong to: the agent, person or device, never the credential."""
        if self.is_device:
            return f"device:{self.subject}"
        return f"{'agent' if self.acts_as_agent else self.kind}:{self.subject}"


SYSTEM = Caller(kind="system", subject="system")
OPERATOR = Caller(kind="operator", subject="operator")
