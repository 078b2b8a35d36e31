"""A hub that is killed as a whole under load and started again on its directory (R44)."""

import asyncio
from contextlib import ExitStack
from pathlib import Path

import pytest

from libs.runtime.valkey import free_port
from tests.harness import until
from tests.process_tree import is_running
from tests.runtime.running import Up, running
from tests.system.crash.load import Progress, agents
from tests.system.crash.test_messages import Answered, check_mentions, speak

pytestmark = pytest.mark.timeout(240)

KILLED_AFTER = [4, 13]


async def test_a_hub_killed_with_all_its_processes_goes_on_where_it_was(tmp_path: Path) -> None:
    port = ["--port", str(free_port())]
    with ExitStack() as lives:
        up = lives.enter_context(running(tmp_path, "--demo", *port))
        async with agents(up) as crew:
            follows = [asyncio.create_task(agent.follow("wait_for_mention", "mentions")) for agent in crew]
            answered: Answered = {}
            progress = Progress()
            for number, answers in enumerate(KILLED_AFTER):
                speaking = [asyncio.create_task(speak(agent, crew, number, progress, answered)) for agent in crew]
                goal = progress.answered + answers
                await until(lambda goal=goal: progress.answered >= goal, seconds=60)
                await kill_whole(up)
                up = await asyncio.to_thread(lives.enter_context, running(tmp_path, "--demo", *port))
                await asyncio.gather(*speaking)
            room = [message["id"] for message in await crew[0].messages()]
            assert sorted(room) == sorted(answered)
            for agent, follow in zip(crew, follows, strict=True):
                await check_mentions(agent, follow, [name for name in room if agent.address in answered[name]])


async def kill_whole(up: Up) -> None:
    """Kill the parent and see its children go with it."""
    up.process.kill()
    up.process.wait()
    await until(lambda: not any(map(is_running, up.pids.values())))
    up.ready_file.unlink()
