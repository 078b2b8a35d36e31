"""A hub that is backed up while agents work, restored, and started again."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from prickle import Hub

from tests.process_tree import wait_for
from tests.runtime.backup.small_hub import prickle
from tests.runtime.running import PROJECT, Up, running

MAYA, JONAS = "maya/codex", "jonas/claude"
HANDOFF = {"title": "Count", "objective": "Count the images.", "acceptance": ["A number"], "evidence": [["note"]]}
DONE = {"outcome": "partial", "summary": "Counted."}


def test_a_backup_beside_working_agents_is_a_whole_hub_elsewhere(tmp_path: Path) -> None:
    """Every task is in its room and no room knows of a task that is not there; the keys are good."""
    with running(tmp_path, "--demo", data="first") as up:
        told = up.told
        with working(up) as accepted:
            wait_for(lambda: len(accepted) > 2)
            answered = list(accepted)
            made = prickle("backup", tmp_path / "kept", "--data-dir", up.data)
            assert made.exit_code == 0, made.stderr
        assert up.end(signal.SIGINT) == 0
    assert requests(tmp_path / "kept") <= tasks(tmp_path / "kept").keys()
    assert prickle("restore", tmp_path / "kept", "--data-dir", tmp_path / "second").exit_code == 0
    with running(tmp_path, data="second") as again:
        wait_for(lambda: requests(again.data) == tasks(again.data).keys())
        states = tasks(again.data)
        assert {states[task] for task in answered} == {"accepted"}
        assert asyncio.run(inbox(again.told["url"], told["agents"][JONAS]))["requests"] == []
        assert again.end(signal.SIGINT) == 0


@contextmanager
def working(up: Up) -> Iterator[list[str]]:
    """Two agents that go on handing off, returning and accepting; gives the tasks that are accepted."""
    accepted: list[str] = []
    stopping = threading.Event()
    worker = threading.Thread(target=lambda: asyncio.run(work(up.told, accepted, stopping)))
    worker.start()
    try:
        yield accepted
    finally:
        stopping.set()
        worker.join()


async def work(told: dict[str, Any], accepted: list[str], stopping: threading.Event) -> None:
    """One task after the other, each to its end."""
    agents = told["agents"]
    async with Hub.connect(told["url"], agents[MAYA]) as maya, Hub.connect(told["url"], agents[JONAS]) as jonas:
        while not stopping.is_set():
            handed = await maya.call("handoff", project=PROJECT, to=JONAS, **HANDOFF)
            task_id = handed["task"]["task_id"]
            attempt = (await jonas.call("accept_task", task_id=task_id))["attempt"]["attempt_id"]
            await jonas.call("return_result", task_id=task_id, attempt_id=attempt, **DONE)
            await maya.call("accept_result", task_id=task_id)
            accepted.append(task_id)


async def inbox(url: str, token: str) -> dict[str, Any]:
    """What an agent has to do, asked for with a key that it was given before the backup."""
    async with Hub.connect(url, token) as hub:
        return await hub.call("check_inbox")


def tasks(data: Path) -> dict[str, str]:
    """The states of all tasks in a data directory."""
    return dict(rows(data / "tasks.db", "SELECT task_id, state FROM tasks"))


def requests(data: Path) -> set[str]:
    """The tasks that its rooms know of."""
    return {task_id for (task_id,) in rows(data / "rooms.db", "SELECT task_id FROM message WHERE task_id IS NOT NULL")}


def rows(path: Path, query: str) -> list[Any]:
    """What a query gives."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_a_client_from_after_the_backup_is_told_to_resync_and_misses_nothing_afterwards(tmp_path: Path) -> None:
    """R20: the numbers that its cursor names are given out again."""
    with running(tmp_path, "--demo") as up:
        mention(up, "before")
        assert heard(up)[0] == ["before"]
        assert prickle("backup", tmp_path / "kept", "--data-dir", up.data).exit_code == 0
        for number in range(3):
            mention(up, f"lost {number}")
        bodies, page = heard(up)
        assert len(bodies) == 4
        refused = prickle("restore", tmp_path / "kept", "--data-dir", up.data, "--replace")
        assert (refused.exit_code, "is used by a running hub" in refused.stderr) == (1, True)
        assert up.end(signal.SIGINT) == 0
    assert prickle("restore", tmp_path / "kept", "--data-dir", up.data, "--replace").exit_code == 0
    with running(tmp_path, "--demo") as again:
        bodies, told = heard(again, cursor=page["next_cursor"])
        assert (bodies, told["resync"], told["timed_out"]) == (["before"], True, False)
        mention(again, "after")
        bodies, last = heard(again, cursor=told["next_cursor"])
        assert bodies == ["after"]
        assert "resync" not in last
        assert again.messages() == ["@jonas/claude before", "@jonas/claude after"]
        assert again.end(signal.SIGINT) == 0


def mention(up: Up, word: str) -> None:
    """Maya's agent mentions that of Jonas."""
    up.call(MAYA, "post_message", project=PROJECT, body=f"@{JONAS} {word}")


def heard(up: Up, **cursor: str) -> tuple[list[str], dict[str, Any]]:
    """What a wait of Jonas's agent brings at once, and the whole answer."""
    answer = up.call(JONAS, "wait_for_mention", timeout_seconds=0, **cursor)
    return [message["body"].removeprefix(f"@{JONAS} ") for message in answer["mentions"]], answer
