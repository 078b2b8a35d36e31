"""Runners killed at the worst moments and started again: no run and no report is lost or doubled."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from prickle.runner.journal import Journal
from prickle.runner.pairing import Pairing
from prickle.runner.places import Places

from tests.client.runner.conftest import OUTPUTS, Notes
from tests.client.runner.desk import DEVICE_TOKEN, RUN_TOKEN, Desk, Lab
from tests.harness import until
from tests.process_tree import command_line, is_running

Stub = Callable[..., dict[str, Any]]


@asynccontextmanager
async def program(lab: Lab, settings: dict[str, Any]) -> AsyncIterator[asyncio.subprocess.Process]:
    """`prickle runner start` as a process of its own."""
    home = lab.folder / "home"
    Pairing(lab.url, DEVICE_TOKEN).store(home / "device.json")
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
    (home / "runner.toml").write_text(f'[agents."maya/codex"]\n{lines}')
    process = await asyncio.create_subprocess_exec(
        *(Path(sys.executable).with_name("prickle"), "runner", "start", "--plain"),
        env={**os.environ, "PRICKLE_CONFIG_DIR": str(home)},
        stdout=(lab.folder / "runner.log").open("ab"),
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def kill(process: asyncio.subprocess.Process) -> None:
    process.send_signal(signal.SIGKILL)
    await process.wait()


def ids(desk: Desk) -> tuple[set[str], list[str]]:
    return {claim["idempotency_key"] for claim in desk.claims}, [report["run_id"] for report in desk.reports]


async def test_a_run_whose_runner_is_killed_goes_on_and_is_reported_once(lab: Lab, stub: Stub, notes: Notes) -> None:
    lab.desk.request("task_1")
    settings = stub("--print", OUTPUTS / "codex" / "finished.jsonl", "--until", lab.folder / "go")
    async with program(lab, settings) as first:
        await until(notes, 60)
        await kill(first)
    assert is_running(notes()[0]["pid"])
    async with program(lab, settings):
        await asyncio.sleep(0)
        (lab.folder / "go").touch()
        await until(lambda: lab.desk.reports, 60)
    (report,) = lab.desk.reports
    assert (len(notes()), len(lab.desk.claims)) == (1, 1)
    assert (report["input_tokens"], report["exit_code"]) == (24763, None)


async def test_a_run_that_ends_while_no_runner_is_there_is_reported_by_the_next(
    lab: Lab, stub: Stub, notes: Notes
) -> None:
    lab.desk.request("task_1")
    settings = stub("--until", lab.folder / "go")
    async with program(lab, settings) as first:
        await until(notes, 60)
        await kill(first)
    (lab.folder / "go").touch()
    await until(lambda: not is_running(notes()[0]["pid"]))
    async with program(lab, settings):
        await until(lambda: lab.desk.reports, 60)
    (report,) = lab.desk.reports
    assert (report["duration_ms"], report["exit_code"]) == (None, None)
    assert (len(notes()), len(lab.desk.claims)) == (1, 1)


async def test_a_claim_whose_answer_never_came_is_made_again_with_its_key(lab: Lab, stub: Stub, notes: Notes) -> None:
    """R10: the replay is the same attempt; the one run has the fresh token."""
    lab.desk.refusals["claim_task"] = [
        {"error": {"code": "unavailable", "message": "Again.", "retry_after_seconds": 60}}
    ]
    lab.desk.request("task_1")
    async with program(lab, stub()) as first:
        await until(lambda: lab.desk.claims, 60)
        await kill(first)
    async with program(lab, stub()):
        await until(lambda: lab.desk.reports, 60)
    claimed, reported = ids(lab.desk)
    assert (list(claimed), len(notes())) == (reported, 1)


async def test_a_report_whose_answer_never_came_is_made_again_with_the_same_numbers(lab: Lab, stub: Stub) -> None:
    refusal = {"error": {"code": "unavailable", "message": "Again.", "retry_after_seconds": 60}}
    lab.desk.refusals["report_run"] = [refusal]
    lab.desk.request("task_1")
    async with program(lab, stub("--exit", "3")) as first:
        await until(lambda: lab.desk.reports, 60)
        await kill(first)
    async with program(lab, stub()):
        await until(lambda: len(lab.desk.reports) == 2, 60)
    assert lab.desk.reports[0] == lab.desk.reports[1]
    assert lab.desk.reports[0]["exit_code"] == 3


async def test_no_token_is_in_the_journal_the_log_or_the_arguments(lab: Lab, stub: Stub, notes: Notes) -> None:
    lab.desk.request("task_1")
    async with program(lab, stub("--until", lab.folder / "go")) as process:
        await until(notes, 60)
        arguments = [command_line(pid) for pid in (process.pid, notes()[0]["pid"])]
        (lab.folder / "go").touch()
        await until(lambda: lab.desk.reports, 60)
    state = [path for path in (lab.folder / "home" / "state").rglob("*") if path.is_file()]
    seen = b"".join([(lab.folder / "runner.log").read_bytes(), *(path.read_bytes() for path in state)])
    for token in (RUN_TOKEN, DEVICE_TOKEN):
        assert token.encode() not in seen
        assert token not in str(arguments)


async def test_a_terminated_runner_leaves_nothing_unfinished(lab: Lab, stub: Stub, notes: Notes) -> None:
    lab.desk.request("task_1")
    async with program(lab, stub("--until", "/nowhere")) as process:
        await until(notes, 60)
        process.terminate()
        assert await process.wait() == 0
    assert [report["exit_code"] for report in lab.desk.reports] == [143]
    journal = Journal(Places(lab.folder / "home", lab.folder / "home" / "state").journal)
    assert journal.unfinished() == []
    journal.close()
