"""Each example of the reference pages that concerns our tools, run as it is written there."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from jsonschema_rs import Draft202012Validator
from prickle import Hub

from tests.processes import DemoHub
from tests.stories.friends import both_eras


@both_eras
@pytest.mark.parametrize("tool", ["get_project_context", "read_room"])
async def test_an_example_of_the_reference_is_answered_as_its_schema_says(
    demo_hub: DemoHub, tool: str, mode: str
) -> None:
    page = json.loads((files("libs.contracts") / "reference" / f"{tool}.json").read_text())
    async with Hub.connect(demo_hub.url, demo_hub.agents["maya/codex"], mode=mode) as hub:
        answer = await hub.call(tool, **page["example_input"])
    Draft202012Validator(page["output_schema"]).validate(answer)
