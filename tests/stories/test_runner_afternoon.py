"""An afternoon of a runner on maya's laptop: what jonas hands to her codex is run there and comes back."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from prickle import PeopleApi

from tests.client.runner.repositories import git
from tests.harness import until
from tests.process_tree import children, command_line, environment
from tests.processes import DemoHub
from tests.stories.friends import PROJECT, Friend, friends
from tests.stories.laptop import DEVICE, Laptop

pytestmark = pytest.mark.timeout(240)
BRANCH = "images-avif"
IMAGES = {
    "title": "Serve images as AVIF",
    "objective": "The home page weighs 2.4 MB. Serve AVIF with a JPEG fallback.",
    "acceptance": ["It is committed", "The fallback is kept"],
    "evidence": [["commit"], []],
    "context": {"branch": BRANCH},
}
OVERLOADED = "API Error: 529 overloaded_error"
PROVIDER = {"class": "provider", "step": "claude_code_service"}


@pytest.fixture(scope="module")
def laptop(demo_hub: DemoHub, tmp_path_factory: pytest.TempPathFactory) -> Laptop:
    laptop = Laptop(demo_hub, tmp_path_factory.mktemp("laptop"))
    laptop.set_up(demo_hub.devices[DEVICE])
    return laptop


@pytest.fixture
async def jonas(demo_hub: DemoHub) -> AsyncIterator[Friend]:
    """Jonas's claude, with nothing left to read."""
    async with friends(demo_hub, "auto") as (_, jonas):
        yield jonas


async def hand_off(jonas: Friend) -> str:
    """A task for maya's codex; its id."""
    task_id: str = (await jonas.call("handoff", project=PROJECT, to="maya/codex", **IMAGES))["task"]["task_id"]
    return task_id


async def records(laptop: Laptop, task_id: str, number: int = 1) -> list[dict[str, Any]]:
    """What maya reads of so many runs of a task, once all are reported."""

    async def reported() -> list[dict[str, Any]]:
        found = await asyncio.to_thread(laptop.records, task_id)
        return found if len(found) >= number else []

    found: list[dict[str, Any]] = await until(reported, seconds=60)
    return found


async def failure(jonas: Friend) -> Any:
    """What the pulse of maya's codex says of its last run."""
    context = await jonas.call("get_project_context", project=PROJECT)
    (pulse,) = (pulse for pulse in context["pulse"] if pulse["agent_id"] == "maya/codex")
    return pulse.get("run_failure")


async def test_a_task_is_run_on_mayas_laptop_and_comes_back_accepted(
    laptop: Laptop, jonas: Friend, tmp_path: Path
) -> None:
    """R10, R38, R39; the run's token is known to its own process and to one private file, while it runs."""
    go = tmp_path / "go"
    task_id = await hand_off(jonas)
    with laptop.runner(STUB_UNTIL=go) as runner:
        await codex_begins(jonas)
        token = the_token_is_where_it_belongs(laptop, runner)
        go.touch()
        await codex_returns(laptop, jonas)
        await maya_reads_what_it_used(laptop, task_id)
    assert holding(token, laptop) == []
    accepted = await jonas.call("accept_result", task_id=task_id)
    assert accepted["task"]["state"] == "accepted"


async def codex_begins(jonas: Friend) -> None:
    told = await jonas.updates("task_updated", "checkpoint")
    assert told[-1]["checkpoint"]["progress"] == 10
    room = await jonas.call("read_room", project=PROJECT, limit=50)
    last = room["messages"][-1]
    assert (last["author"]["agent_id"], last["body"]) == ("maya/codex", "I take “Serve images as AVIF”.")


def the_token_is_where_it_belongs(laptop: Laptop, runner: subprocess.Popen[bytes]) -> str:
    (stub,) = children(runner.pid).values()
    variables = dict(line.partition("=")[::2] for line in environment(stub).split("\0"))
    token, config = variables["PRICKLE_TOKEN"], Path(variables["PRICKLE_MCP_CONFIG"])
    assert token.startswith("prk_run_")
    assert holding(token, laptop) == [config]
    assert config.stat().st_mode & 0o777 == 0o600
    pids = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    assert [pid for pid in pids if token in " ".join(command_line(pid))] == []
    assert [pid for pid in pids if token in environment(pid)] == [stub]
    return token


def holding(token: str, laptop: Laptop) -> list[Path]:
    """The files of the hub, which logs everything, and of the laptop that hold a token."""
    places = (laptop.demo.log.parent, laptop.folder)
    files = [path for place in places for path in place.rglob("*") if path.is_file()]
    assert {"tasks.db", "tasks.log", "gateway.log", "runner.log", "journal.sqlite"} <= {path.name for path in files}
    assert any("appendonly" in path.name for path in files)
    return [path for path in files if token.encode() in path.read_bytes()]


async def codex_returns(laptop: Laptop, jonas: Friend) -> None:
    """The commit that the result names is on the branch that the task named."""
    result = (await jonas.updates("result_returned"))[-1]["result"]
    assert [item["kind"] for item in result["evidence"]] == ["commit", "note"]
    assert git(laptop.repository, "rev-parse", BRANCH) == result["evidence"][0]["ref"]


async def maya_reads_what_it_used(laptop: Laptop, task_id: str) -> None:
    """R39: she, and nobody else."""
    (record,) = await records(laptop, task_id)
    numbers = {name: record[name] for name in ("input_tokens", "output_tokens", "turns", "exit_code")}
    assert numbers == {"input_tokens": 1200, "output_tokens": 340, "turns": 4, "exit_code": 0}
    assert (record["agent_id"], record["late"], record["duration_ms"] > 0) == ("maya/codex", False, True)
    seen = {who: await runs_shown(laptop.demo, token, task_id) for who, token in readers(laptop.demo).items()}
    assert seen["maya"] == (200, [record["run_id"]])
    assert seen["jonas"] == (200, [])
    assert seen["operator"][0] == seen["maya/codex"][0] == 403


def readers(demo: DemoHub) -> dict[str, str]:
    return {**demo.persons, "operator": demo.operator, "maya/codex": demo.agents["maya/codex"]}


async def runs_shown(demo: DemoHub, token: str, task_id: str) -> tuple[int, list[str]]:
    """How the HTTP API answers somebody who asks for the runs of a task."""
    url = demo.url.removesuffix("/mcp") + "/api/v1/runs"
    async with httpx.AsyncClient(headers={"authorization": f"Bearer {token}"}) as http:
        response = await http.get(url, params={"task_id": task_id})
    return response.status_code, [run["run_id"] for run in response.json().get("runs", [])]


async def test_a_task_that_jonas_cancels_is_ended_on_mayas_laptop(laptop: Laptop, jonas: Friend) -> None:
    """R8: the runner hears of it through its wait, the agent at its next call; nobody calls that a failure."""
    task_id = await hand_off(jonas)
    with laptop.runner(STUB_UNTIL="/nowhere"):
        await jonas.updates("task_updated", "checkpoint")
        await jonas.call("cancel_task", task_id=task_id, reason="We use a CDN now.")
        (record,) = await records(laptop, task_id)
    assert record["exit_code"] == 143
    printed = (laptop.configuration / "state" / "runs" / record["run_id"] / "stdout.log").read_text()
    assert "stale_attempt" in printed
    assert "jonas/claude" in printed
    assert await failure(jonas) is None


async def test_a_run_that_breaks_down_shows_in_the_pulse_until_the_next_one_starts_well(
    laptop: Laptop, jonas: Friend, tmp_path: Path
) -> None:
    """R31, R39: its task is open again, and the next run has it."""
    task_id = await hand_off(jonas)
    with laptop.runner(STUB_FAILURE=OVERLOADED):
        await until(lambda: failure(jonas), seconds=60)
        (first,) = await records(laptop, task_id)
    assert await failure(jonas) == PROVIDER
    assert OVERLOADED not in laptop.log.read_text()
    go = tmp_path / "go"
    with laptop.runner(STUB_UNTIL=go):
        await until(lambda: is_well(jonas), seconds=60)
        go.touch()
        await jonas.updates("result_returned")
        last, _ = await records(laptop, task_id, 2)
    assert (first["exit_code"], last["exit_code"]) == (1, 0)
    assert (await jonas.call("accept_result", task_id=task_id))["task"]["state"] == "accepted"


async def is_well(jonas: Friend) -> bool:
    return await failure(jonas) is None


async def test_a_runner_that_is_let_in_no_more_ends_and_reports_its_run_when_it_is_let_in_again(
    laptop: Laptop, jonas: Friend
) -> None:
    """R39, R46: it does not knock again and again, and nobody else has heard of an end before."""
    async with PeopleApi.connect(laptop.demo.url, laptop.demo.persons["maya"]) as maya:
        (device,) = await maya.list_devices()
        key = await maya.issue_device_key(device["device_id"])
        laptop.pair(key["token"])
        task_id = await hand_off(jonas)
        with laptop.runner(STUB_UNTIL="/nowhere") as runner:
            await jonas.updates("task_updated", "checkpoint")
            await maya.revoke_key(key["key_id"])
            assert await asyncio.to_thread(runner.wait, 60) == 1
    assert laptop.log.read_text().endswith("Send a valid token as a bearer token.\n")
    assert laptop.records(task_id) == []
    assert (await jonas.call("check_inbox", task_id=task_id))["tasks"][0]["state"] == "working"
    laptop.pair(laptop.demo.devices[DEVICE])
    with laptop.runner():
        await jonas.updates("result_returned")
        last, first = await records(laptop, task_id, 2)
    assert (first["exit_code"], last["exit_code"]) == (143, 0)
