"""An agent's client for tests: a real MCP client in a process of its own, which works as a run of a task does.

As Claude Code does, it takes the hub's URL and its credential from the file of `--mcp-config`, and ends with a JSON
object that says what it used. Variables of its environment make it behave otherwise:

`STUB_UNTIL`: a file for which it waits before it returns its result;
`STUB_FAILURE`: what it says when it breaks down after its first checkpoint.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from prickle import Hub, HubError

USED = {"input_tokens": 1200, "output_tokens": 340}
WHO = ("-c", "user.name=Codex", "-c", "user.email=codex@example.com")
POLL_SECONDS = 0.05
TERMINATED = 128 + signal.SIGTERM


class BrokeDown(Exception):
    """What the environment wants to go wrong."""


async def main() -> int:
    """Work, say what was used, and give the exit code; SIGTERM cuts the work short."""
    working = asyncio.current_task()
    assert working is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, working.cancel)
    async with Hub.connect(*access()) as hub:
        task = (await hub.call("check_inbox"))["tasks"][0]
        try:
            say(await work(hub, task), is_error=False)
        except BrokeDown as error:
            say(str(error), is_error=True)
            return 1
        except asyncio.CancelledError:
            say(await last_words(hub, task), is_error=True)
            return TERMINATED
    return 0


def access() -> tuple[str, str]:
    """The hub's URL and the run's token, from the configuration that the runner wrote."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mcp-config", type=Path, required=True)
    server = json.loads(parser.parse_args().mcp_config.read_text())["mcpServers"]["prickle"]
    return server["url"], server["headers"]["Authorization"].removeprefix("Bearer ")


async def work(hub: Hub, task: dict[str, Any]) -> str:
    """The task from its packet to its result; what there is to say of it."""
    await hub.call("post_message", project=task["project"], body=f"I take “{task['title']}”.", task_id=task["task_id"])
    await hub.call("checkpoint", task_id=task["task_id"], summary="The packet is read.", progress=10)
    if "STUB_FAILURE" in os.environ:
        raise BrokeDown(os.environ["STUB_FAILURE"])
    while is_held_up():  # noqa: ASYNC110 - a file tells nobody that it is there
        await asyncio.sleep(POLL_SECONDS)
    kinds = task["packet"]["evidence"]
    evidence = [{**proof(*wanted), "criterion": criterion} for criterion, wanted in enumerate(kinds)]
    result = {"outcome": "done", "summary": "It is done.", "evidence": evidence}
    returned = await hub.call("return_result", task_id=task["task_id"], **result)
    return f"The task is {returned['task']['state']}."


def is_held_up() -> bool:
    """Whether the result has to wait."""
    return "STUB_UNTIL" in os.environ and not Path(os.environ["STUB_UNTIL"]).exists()


def proof(kind: str = "note", *_: str) -> dict[str, str]:
    """Evidence of a kind: a commit is really made."""
    if kind != "commit":
        return {"kind": "note", "ref": "It is done."}
    git("commit", "--allow-empty", "-m", "Do it")
    return {"kind": "commit", "ref": git("rev-parse", "HEAD")}


def git(*arguments: str) -> str:
    """What a git command prints in the directory of the run."""
    return subprocess.run(["git", *WHO, *arguments], check=True, capture_output=True, text=True).stdout.strip()


async def last_words(hub: Hub, task: dict[str, Any]) -> str:
    """Leave a checkpoint when asked to stop; what the hub says to that."""
    try:
        await hub.call("checkpoint", task_id=task["task_id"], summary="Asked to stop.")
    except HubError as error:
        return f"{error.code}: {error.message}"
    return "A checkpoint is left."


def say(result: str, *, is_error: bool) -> None:
    """Print what Claude Code prints at its end with `--output-format json`."""
    print(json.dumps({"type": "result", "is_error": is_error, "num_turns": 4, "result": result, "usage": USED}))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
