"""What a run's end means: the numbers that are reported, and the step that failed."""

from __future__ import annotations

from prickle.runner.adapters.adapter import Reading, count
from prickle.runner.failures import Step
from prickle.runner.journal import Kind
from prickle.runner.supervision import Ending

TIME_LIMITS: dict[Kind, Step] = {"task": "task_time_limit", "discussion": "reply_time_limit"}
NOT_STARTED = (126, 127)


def exit_code(code: int | None) -> int | None:
    """An exit code as reports carry it: 128 + n for signal n, None where that is none."""
    if code is None:
        return None
    code = 128 - code if code < 0 else code
    return code if 0 <= code <= 255 else None


def duration(seconds: float) -> int | None:
    """Milliseconds, None where a report cannot carry them."""
    return count(int(seconds * 1000))


def failed_step(kind: Kind, ending: Ending, reading: Reading) -> Step | None:
    """Why a run failed; None where it did not, or where somebody wanted its end."""
    if ending.why is not None:
        return TIME_LIMITS[kind] if ending.why == "time_limit" else None
    if reading.step is not None or not ending.code:
        return reading.step
    if ending.code < 0:
        return "cli_crashed"
    return "cli_did_not_start" if ending.code in NOT_STARTED else "see_runner_log"
