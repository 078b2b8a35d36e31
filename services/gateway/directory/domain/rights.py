"""Who may do what in the directory."""

from __future__ import annotations

from libs.contracts.caller import Caller
from libs.contracts.errors import Forbidden
from libs.contracts.types import owner_of


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
    """Whether the caller may manage an agent or person and what is theirs: the operator, the owner, the person."""
    return sees_everything(caller) or (caller.kind == "person" and caller.subject == owner_of(subject))


def check_governs(caller: Caller, subject: str) -> None:
    """Refuse whoever does not govern `subject`."""
    if not governs(caller, subject):
        raise Forbidden("Ask its owner or the operator; only they may do this.")
