"""The chart in `deploy/chart`, rendered as Helm would install it and as plain manifests."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"
CHART = DEPLOY / "chart"
UNAVAILABLE = 69
SMALLEST = "smallest"
EVERYTHING = "everything"
SERVICES = ("gateway", "rooms", "tasks", "pulse", "runs")

Thing = dict[str, Any]
"""A Kubernetes object."""


def run(command: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program of `deploy/` to its end; skips where there is no Helm to be had."""
    done = subprocess.run(
        [DEPLOY / command, *arguments], capture_output=True, text=True, timeout=110, check=False, **options
    )
    if done.returncode == UNAVAILABLE:
        pytest.skip(done.stderr.strip())
    return done


def values(name: str) -> str:
    """The file with the values of that name."""
    return str(CHART / "ci" / f"{name}-values.yaml")


@cache
def text(name: str, *sets: str, by: str = "manifests") -> str:
    """The chart with those values, and some set besides, as YAML; `by` Helm or the command for manifests."""
    command = ("helm", "template", "prickle", str(CHART)) if by == "helm" else ("manifests", "prickle")
    done = run(*command, "-f", values(name), *(word for one in sets for word in ("--set-json", one)))
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def things(name: str, *sets: str, by: str = "manifests") -> tuple[Thing, ...]:
    """The same, as objects."""
    return tuple(thing for thing in yaml.safe_load_all(text(name, *sets, by=by)) if thing)


def of_kind(kind: str, name: str = EVERYTHING, *sets: str) -> dict[str, Thing]:
    """The objects of one kind by their name."""
    return {thing["metadata"]["name"]: thing for thing in things(name, *sets) if thing["kind"] == kind}


def refusal(name: str, *sets: str) -> str:
    """Why the chart is not rendered with those values."""
    done = run("manifests", "prickle", "-f", values(name), *(word for one in sets for word in ("--set-json", one)))
    assert done.returncode != 0
    return done.stderr


def pods(name: str = EVERYTHING) -> dict[str, Thing]:
    """The pod template of each component."""
    templates = [thing["spec"]["template"] for thing in things(name) if thing["kind"] in ("Deployment", "Job")]
    return {template["metadata"]["labels"]["app.kubernetes.io/component"]: template for template in templates}


def containers(name: str = EVERYTHING) -> dict[str, Thing]:
    """The one container of each component."""
    found = {}
    for component, template in pods(name).items():
        assert "initContainers" not in template["spec"]
        (found[component],) = template["spec"]["containers"]
    return found


def environment(component: str, name: str = EVERYTHING) -> dict[str, str]:
    """What a component's process finds in its environment."""
    return {variable["name"]: variable["value"] for variable in containers(name)[component].get("env", [])}


def selects(selector: Thing, labels: dict[str, str]) -> bool:
    """Whether a label selector picks something with these labels."""
    assert set(selector) <= {"matchLabels", "matchExpressions"}
    chosen = all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())
    for rule in selector.get("matchExpressions", []):
        assert rule["operator"] == "In"
        chosen = chosen and labels.get(rule["key"]) in rule["values"]
    return chosen
