"""What a run's end means for its report and for its agent's pulse."""

from __future__ import annotations

from typing import get_args

import pytest
from prickle.runner.adapters.adapter import Reading
from prickle.runner.failures import CLASSES, NEVER_GIVEN, run_failure
from prickle.runner.outcome import duration, exit_code, failed_step
from prickle.runner.supervision import Ending

from libs.contracts.pulse import FailureStep, RunFailure


@pytest.mark.parametrize(
    ("code", "reported"), [(0, 0), (3, 3), (255, 255), (-9, 137), (-15, 143), (256, None), (-200, None), (None, None)]
)
def test_a_signal_is_128_more_and_what_is_out_of_range_is_unknown(code: int | None, reported: int | None) -> None:
    assert exit_code(code) == reported


def test_a_duration_is_in_milliseconds_or_unknown() -> None:
    assert (duration(91.0004), duration(30 * 86400.0), duration(-1.0)) == (91000, None, None)


@pytest.mark.parametrize(
    ("ending", "step"),
    [
        (Ending(0, None), None),
        (Ending(None, None), None),
        (Ending(1, None), "see_runner_log"),
        (Ending(-11, None), "cli_crashed"),
        (Ending(127, None), "cli_did_not_start"),
        (Ending(-15, "time_limit"), "task_time_limit"),
        (Ending(-15, "cancelled"), None),
        (Ending(-15, "superseded"), None),
        (Ending(-15, "stopped"), None),
    ],
)
def test_an_end_that_nobody_wanted_is_a_failure(ending: Ending, step: str | None) -> None:
    assert failed_step("task", ending, Reading()) == step


def test_what_the_client_says_goes_before_its_exit_code_but_not_before_the_time_limit() -> None:
    said = Reading(step="codex_usage_limit")
    assert failed_step("task", Ending(1, None), said) == "codex_usage_limit"
    assert failed_step("discussion", Ending(-15, "time_limit"), said) == "reply_time_limit"


def test_every_step_of_the_hub_has_its_class_here_too() -> None:
    """R31: the 27 steps, each with the class that the hub accepts."""
    assert set(CLASSES) == set(get_args(FailureStep))
    assert set(CLASSES) > NEVER_GIVEN
    for step in CLASSES:
        assert RunFailure.model_validate(run_failure(step)).step == step
