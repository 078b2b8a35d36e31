"""Each example of the reference pages that concerns our tools, run as it is written there."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator
from prickle import Hub

from tests.processes import DemoHub
from tests.stories.friends import PROJECT, both_eras
from tests.stories.laptop import DEVICE

TASK = {"title": "Count", "objective": "Count the pages.", "acceptance": ["They are counted"]}


@asynccontextmanager
async def a_task_of_jonas(demo: DemoHub, to: str) -> AsyncIterator[str]:
    """The id of a task for an agent of maya's; cancelled afterwards."""
    async with Hub.connect(demo.url, demo.agents["jonas/claude"]) as jonas:
        handed = await jonas.call("handoff", project=PROJECT, to=to, **TASK)
        task_id: str = handed["task"]["task_id"]
        yield task_id
        await jonas.call("cancel_task", task_id=task_id, reason="It was an example.")


@pytest.fixture(scope="module")
async def requested(demo_hub: DemoHub) -> AsyncIterator[str]:
    """A task that waits for a runner."""
    async with a_task_of_jonas(demo_hub, "maya/codex") as task_id:
        yield task_id


@pytest.fixture(scope="module")
async def taken(demo_hub: DemoHub) -> AsyncIterator[str]:
    """A task that is worked on."""
    async with a_task_of_jonas(demo_hub, "maya/claude") as task_id:
        async with Hub.connect(demo_hub.url, demo_hub.agents["maya/claude"]) as claude:
            await claude.call("accept_task", task_id=task_id)
        yield task_id


async def answer(demo: DemoHub, token: str, tool: str, mode: str, **real: str) -> dict[str, Any]:
    """The answer to a tool's example, with real ids in the place of its own; checked against its output schema."""
    page = json.loads((files("libs.contracts") / "reference" / f"{tool}.json").read_text())
    async with Hub.connect(demo.url, token, mode=mode) as hub:
        answer = await hub.call(tool, **page["example_input"] | real)
    Draft202012Validator(page["output_schema"]).validate(answer)
    return answer


@both_eras
@pytest.mark.parametrize("tool", ["get_project_context", "read_room"])
async def test_an_example_of_the_reference_is_answered_as_its_schema_says(
    demo_hub: DemoHub, tool: str, mode: str
) -> None:
    assert await answer(demo_hub, demo_hub.agents["maya/codex"], tool, mode)


@both_eras
async def test_the_example_of_a_claim_is_one_attempt_each_time_with_a_fresh_credential(
    demo_hub: DemoHub, requested: str, mode: str
) -> None:
    """R10; the device's two keys are one caller."""
    keys = (demo_hub.devices[DEVICE], demo_hub.tasks_keys[DEVICE])
    first, second = [await answer(demo_hub, key, "claim_task", mode, task_id=requested) for key in keys]
    assert first["attempt"] == second["attempt"]
    assert first["execution_credential"]["token"] != second["execution_credential"]["token"]


@both_eras
async def test_the_example_of_a_report_is_one_record_whoever_of_those_who_may_sends_it(
    demo_hub: DemoHub, taken: str, mode: str
) -> None:
    """R38: a device, by either key, and the agent itself."""
    keys = (demo_hub.devices[DEVICE], demo_hub.tasks_keys[DEVICE], demo_hub.agents["maya/claude"])
    records = [await answer(demo_hub, key, "report_run", mode, task_id=taken) for key in keys]
    assert records[0]["run"]["task_id"] == taken
    assert records[0]["run"]["turns"] is None
    assert records == [records[0]] * 3
