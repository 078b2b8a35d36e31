"""Telling the hub how a run went: numbers and names of steps, nothing that a client wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prickle.errors import HubError
from prickle.runner.failures import Step, run_failure
from prickle.runner.journal import Offer, Run
from prickle.runner.machine import Machine

FINAL = ("unauthenticated",)
"""What means that the device itself is no longer let in."""


async def report(machine: Machine, run: Run) -> None:
    """Report a task's run (R38); a refusal is shown, and is the last word."""
    arguments = {
        "project": run.project,
        "run_id": run.run_id,
        "task_id": run.subject,
        "input_tokens": run.input_tokens,
        "output_tokens": run.output_tokens,
        "turns": run.turns,
        "duration_ms": run.duration_ms,
        "exit_code": run.exit_code,
    }
    await _tell(machine, "report_run", arguments, run)


async def tell_failure(machine: Machine, offer: Offer, step: Step, key: str) -> None:
    """Say in the agent's pulse why its run failed (R31)."""
    about = {"task_id": offer.subject} if offer.kind == "task" else {}
    arguments = {"project": offer.project, "agent_id": offer.agent_id, "run_failure": run_failure(step), **about}
    await _tell(machine, "update_pulse", arguments | {"idempotency_key": key}, offer)


async def _tell(machine: Machine, tool: str, arguments: Mapping[str, Any], about: Offer) -> None:
    try:
        await machine.hub.call_patiently(tool, dict(arguments))
    except HubError as error:
        if error.code in FINAL:
            raise
        machine.board.say(f"{tool} was refused: {error.message}", about if isinstance(about, Run) else None)
