"""`PrickleContainer`: the example of the README grown up, and what Docker tells about it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prickle import HubError
from prickle.testing import CannotStart, PrickleContainer

from tests.system.containers.hub import inspect

README = Path(__file__).parents[3] / "README.md"
TASK = {"title": "Count", "objective": "Count the pages.", "acceptance": ["They are counted"]}
RESULT = {"outcome": "done", "summary": "12.", "evidence": [{"kind": "note", "ref": "There are 12."}]}


@pytest.fixture(scope="module")
def hub(image: str) -> Iterator[PrickleContainer]:
    """A hub whose agents may hold one lease each."""
    with PrickleContainer(image).with_settings(leases_per_agent=1) as running:
        yield running


async def test_the_example_of_the_readme_passes(hub: PrickleContainer) -> None:
    [example] = re.findall(r"```python\n(import pytest\n.*?)```", README.read_text(), re.DOTALL)
    named: dict[str, Any] = {}
    exec(example, named)
    await named["test_jonas_hears_of_a_mention"](hub)


async def test_two_agents_do_the_main_job(hub: PrickleContainer) -> None:
    ben = hub.agent("ben/claude", takes_tasks_from="team")
    hub.project("shop", members=["ann/codex", ben.address])
    async with hub.agent("ann/codex").connect() as asker, ben.connect() as worker:
        mention = asyncio.ensure_future(anext(worker.mentions()))
        handed = await asker.call("handoff", project="shop", to=ben.address, **TASK)
        assert await mention == handed["message"]
        task_id = handed["task"]["task_id"]
        taken = await worker.call("accept_task", task_id=task_id)
        await worker.call("return_result", task_id=task_id, attempt_id=taken["attempt"]["attempt_id"], **RESULT)
        accepted = await asker.call("accept_result", task_id=task_id)
    assert accepted["task"]["state"] == "accepted"


async def test_a_setting_reaches_the_hub(hub: PrickleContainer) -> None:
    hub.project("shed", members=["ada/codex"])
    async with hub.agent("ada/codex").connect() as ada:
        await ada.call("memory_agents", action="claim", lease="claim:first")
        with pytest.raises(HubError) as refused:
            await ada.call("memory_agents", action="claim", lease="claim:second")
    assert refused.value.code == "limit_exceeded"


def test_docker_tells_no_token_and_lets_the_hub_change_nothing_of_its_image(hub: PrickleContainer) -> None:
    [told] = inspect(hub.get_container_id())
    assert hub.operator_token.startswith("prk_operator_")
    assert "prk_" not in json.dumps(told)
    assert told["HostConfig"]["ReadonlyRootfs"]
    assert told["HostConfig"]["CapDrop"] == ["ALL"]


def test_a_hub_that_ends_at_once_says_why(image: str) -> None:
    with (
        pytest.raises(CannotStart, match=r"^Mend what the hub said before it ended: .*PRICKLE_PORT"),
        PrickleContainer(image).with_settings(port="none"),
    ):
        pass
