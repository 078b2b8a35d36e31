"""What a runner cannot do."""

from __future__ import annotations

from prickle.runner.failures import Step


class RunnerError(Exception):
    """One sentence that says what to do next; no token and nothing that a client printed is in it."""


class NotPrepared(RunnerError):
    """A run could not be started; `step` is what the agent's pulse says of it."""

    def __init__(self, step: Step, message: str) -> None:
        super().__init__(message)
        self.step = step
