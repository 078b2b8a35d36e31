"""`deploy/roll`: the stages of an upgrade with kubectl alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.deploy.chart import SMALLEST, run, values

KUBECTL = """#!/bin/sh
for word; do case $word in */*.yaml) word=${word##*/};; esac; printf '%s ' "$word"; done >> "$CALLS"
echo >> "$CALLS"
case "$*" in *"$FAILING"*) exit 1;; esac
"""
APPLY = "apply -f"
MIGRATED = "wait -f migration.yaml --for condition=Complete"
ROLLED = "rollout status deployment"

Roll = Callable[..., tuple[int, list[str]]]
"""Its exit code and the calls of kubectl."""


@pytest.fixture
def roll(tmp_path: Path) -> Roll:
    """Rolls with a kubectl that writes down its calls and fails at those with a given word."""
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(KUBECTL)
    kubectl.chmod(0o755)
    calls = tmp_path / "calls"

    def roll(failing: str = "nothing of it") -> tuple[int, list[str]]:
        path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
        surroundings = {**os.environ, "PATH": path, "CALLS": str(calls), "FAILING": failing}
        done = run("roll", "prickle", "-f", values(SMALLEST), env=surroundings)
        return done.returncode, calls.read_text().splitlines()

    return roll


def test_services_roll_before_the_gateway_and_the_migration_ends_before_both(roll: Roll) -> None:
    code, calls = roll()
    assert code == 0
    expected = [
        (APPLY, "base.yaml"),
        (APPLY, "migration.yaml"),
        (MIGRATED, ""),
        (APPLY, "services.yaml"),
        (ROLLED, "(rooms,tasks,pulse,runs)"),
        (APPLY, "gateway.yaml"),
        (ROLLED, "(gateway)"),
    ]
    assert len(calls) == len(expected)
    for call, (start, part) in zip(calls, expected, strict=True):
        assert call.startswith(start)
        assert part in call


def test_a_migration_that_fails_leaves_services_and_gateway_as_they_are(roll: Roll) -> None:
    code, calls = roll("wait -f")
    assert code != 0
    assert not [call for call in calls if "services" in call or "gateway" in call]


def test_services_that_do_not_come_up_leave_the_gateway_as_it_is(roll: Roll) -> None:
    code, calls = roll("rooms,tasks")
    assert code != 0
    assert not [call for call in calls if call.startswith(APPLY) and "gateway" in call]
