"""Programs behind their gate: begun only when let go, ended with all their children, known by pid and start time."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from prickle.runner.processes import Identity, Orphan, Program, start
from prickle.runner.supervision import Ending, Order, supervise

from tests.harness import until
from tests.process_tree import is_running

STUB = Path(__file__).parent / "stub_client.py"


class Bench:
    """A folder in which programs are started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "prompt").write_text("do it")
        (folder / "notes").mkdir()

    async def start(self, *arguments: str, let_go: bool = True) -> Program:
        program = await start(
            [sys.executable, str(STUB), "--notes", str(self.folder / "notes"), *arguments],
            directory=self.folder,
            environment={"PATH": os.environ["PATH"]},
            stdin=self.folder / "prompt",
            stdout=self.folder / "stdout.log",
            stderr=self.folder / "stderr.log",
        )
        if let_go:
            program.let_go()
        return program

    def notes(self) -> list[dict[str, Any]]:
        return [json.loads(path.read_text()) for path in (self.folder / "notes").glob("[0-9]*.json")]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def watch(
    program: Program | Orphan, order: Order | None = None, limit: float = 60.0, grace: float = 20.0
) -> Ending:
    return await supervise(program, order or Order(), limit=limit, grace=grace)


async def test_a_program_has_the_pid_it_was_started_with_and_its_prompt(bench: Bench) -> None:
    program = await bench.start("--exit", "3")
    assert await watch(program) == Ending(3, None)
    (note,) = bench.notes()
    assert (note["pid"], note["prompt"]) == (program.identity.pid, "do it")
    assert (bench.folder / "stdout.log").stat().st_mode & 0o077 == 0


async def test_a_program_whose_runner_dies_before_letting_it_go_never_begins(bench: Bench) -> None:
    program = await bench.start(let_go=False)
    assert program.identity.alive
    os.close(program._gate)
    assert await watch(program) == Ending(127, None)
    assert bench.notes() == []


async def test_a_program_past_its_time_limit_is_asked_to_end(bench: Bench) -> None:
    program = await bench.start("--until", "/nowhere")
    await until(bench.notes)
    assert await watch(program, limit=0.0) == Ending(-signal.SIGTERM, "time_limit")


async def test_a_program_that_does_not_end_when_asked_is_made_to(bench: Bench) -> None:
    program = await bench.start("--stubborn", "--until", "/nowhere")
    await until(bench.notes)
    order = Order()
    order.give("cancelled")
    order.give("stopped")
    assert await watch(program, order, grace=0.1) == Ending(-signal.SIGKILL, "cancelled")


async def test_what_a_program_leaves_running_ends_with_it(bench: Bench) -> None:
    assert await watch(await bench.start("--child")) == Ending(0, None)
    (note,) = bench.notes()
    await until(lambda: not is_running(note["child"]))


async def test_an_orphan_is_waited_for_and_ended_like_any_other(bench: Bench) -> None:
    program = await bench.start("--until", str(bench.folder / "go"))
    waiting = asyncio.create_task(watch(Orphan(program.identity)))
    await until(bench.notes)
    (bench.folder / "go").touch()
    assert await waiting == Ending(None, None)
    assert await program.wait() == 0


async def test_a_pid_that_is_anothers_by_now_is_left_alone(bench: Bench) -> None:
    program = await bench.start("--until", str(bench.folder / "go"))
    stranger = replace(program.identity, started="long ago")
    assert await watch(Orphan(stranger)) == Ending(None, None)
    assert program.identity.alive
    assert not Identity(2**22 + 1, "0").alive
    (bench.folder / "go").touch()
    assert await program.wait() == 0
