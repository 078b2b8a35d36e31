"""Who calls: what the gateway verified about a token, sent along in every command's headers."""

from __future__ import annotations

from typing import Literal

from libs.contracts.base import Data
from libs.contracts.types import is_agent, owner_of

CredentialKind = Literal["client", "person", "operator", "system"]


class Caller(Data):
    """The verified caller. Services trust it: only gateways may write command streams."""

    kind: CredentialKind
    subject: str
    """The address of the agent or person; `operator` or `system` for those two."""
    credential_id: str = ""

    @property
    def person(self) -> str:
        """The handle of the person who answers for this caller."""
        return owner_of(self.subject)

    @property
    def acts_as_agent(self) -> bool:
        """Whether the caller speaks as an agent."""
        return is_agent(self.subject)

    @property
    def identity(self) -> str:
        """What idempotency keys belong to: the agent, person or operator, never the credential."""
        return f"{'agent' if self.acts_as_agent else self.kind}:{self.subject}"


SYSTEM = Caller(kind="system", subject="system")
OPERATOR = Caller(kind="operator", subject="operator")
