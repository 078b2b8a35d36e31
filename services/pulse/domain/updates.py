"""Whose pulse an update is about, and what its sender may say."""

from __future__ import annotations

from collections.abc import Set

from libs.contracts.caller import Caller
from libs.contracts.errors import Forbidden, InvalidInput
from libs.contracts.pulse import UpdatePulse
from services.pulse.domain.failures import check_class

OF_DEVICES = frozenset({"agent_id", "run_failure"})
"""What only a device may say."""
SAYABLE_BY_DEVICES = OF_DEVICES | {"project", "availability", "task_id", "idempotency_key"}


def whose_pulse(command: UpdatePulse, caller: Caller) -> str:
    """The agent that an update is about: the caller, or the linked agent that a device names.

    Refuses who has no pulse to update, and what the caller may not say of it.
    """
    if caller.kind == "device":
        _refuse(command, UpdatePulse.model_fields.keys() - SAYABLE_BY_DEVICES, "it is for the agent itself to say")
        if command.agent_id is None:
            raise InvalidInput("Name the linked agent that this is about.", field="agent_id")
        check_class(command.run_failure)
        return command.agent_id
    if not caller.acts_as_agent:
        raise Forbidden("Call this with an agent's or a device's key; only agents have a pulse.")
    _refuse(command, OF_DEVICES, "it is for runner devices")
    return caller.subject


def _refuse(command: UpdatePulse, fields: Set[str], why: str) -> None:
    said = min(command.model_fields_set & fields, default=None)
    if said is not None:
        raise InvalidInput(f"Leave out {said}: {why}.", field=said)


def is_sign_of_life(command: UpdatePulse, caller: Caller) -> bool:
    """Whether an update shows that the agent lives: its own call does, a device's only where it says so (R28)."""
    return caller.kind != "device" or command.availability not in (None, "offline")
