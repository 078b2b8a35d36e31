"""What each action of the board takes, checked before anything is written (R32)."""

from __future__ import annotations

from libs.contracts.caller import Caller
from libs.contracts.errors import Forbidden, InvalidInput
from libs.contracts.pulse import BoardFacts, MemoryAgents

PARK_FIELDS = ("park_reason", "park_needs", "park_clear_by", "park_resume", "park_expires")
SELECTORS = ("lease", "repository_id", "path", "worktree")
FIELDS: dict[str, frozenset[str]] = {
    "list": frozenset({"project", "task"}),
    "update": frozenset({"name", "task", "status", "project", "expect", "children", *PARK_FIELDS}),
    "claim": frozenset({"status", "expect", *SELECTORS}),
    "release": frozenset(SELECTORS),
}
ALL = [field for field in MemoryAgents.model_fields if field not in ("action", "facts")]
MAX_LABEL = 40


def check_action(command: MemoryAgents, caller: Caller) -> BoardFacts:
    """Refuse who has no place on the board, and fields of another action; what is known of the caller's team."""
    if command.facts is None or not caller.acts_as_agent:
        raise Forbidden("Call this with an agent's key; only agents are on the board.")
    for field in ALL:
        if getattr(command, field) is not None and field not in FIELDS[command.action]:
            raise InvalidInput(f"Leave out {field}: it is not for {command.action}.", field=field)
    return command.facts


def park_fields(command: MemoryAgents) -> list[str]:
    """The park fields that a command carries."""
    return [field for field in PARK_FIELDS if getattr(command, field) is not None]


def check_children(labels: list[str] | None) -> None:
    """Refuse labels that are empty, too long or twice the same."""
    for index, label in enumerate(labels or []):
        field = f"children[{index}]"
        if not label.strip() or len(label) > MAX_LABEL:
            raise InvalidInput(f"Give each label 1 to {MAX_LABEL} characters.", field=field)
        if label in (labels or [])[:index]:
            raise InvalidInput("Give each label once.", field=field)
