"""The main job as two agents do it, shown as it happens: every line is an answer of the public endpoint."""

from __future__ import annotations

import asyncio
from typing import Any

from prickle.client import Hub
from prickle.errors import HubError
from rich.console import Console
from rich.text import Text

from libs.runtime.demo.seed import PROJECT, Demo

MAYA, JONAS = "maya/codex", "jonas/claude"
COLOURS = {MAYA: "cyan", JONAS: "magenta"}
TASK = {
    "title": "Serve images as AVIF",
    "objective": "The home page weighs 2.4 MB, 1.9 MB of it images. Serve AVIF with a JPEG fallback.",
    "acceptance": ["The home page weighs less than 900 kB", "The image tests pass"],
    "evidence": [["measurement"], ["test_run"]],
    "context": {"files": ["src/images.py"], "branch": "images-avif"},
}
MEASURED = {"kind": "measurement", "ref": "812 kB", "criterion": 0, "note": "home page, cold cache"}
TESTED = {"kind": "test_run", "ref": "pytest tests/test_images.py", "criterion": 1, "note": "passed, 31 tests"}


class Story:
    """Says who did what and what came of it."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def tell(self, agent: str, tool: str, came_of_it: str) -> None:
        """One call of one agent."""
        line = Text(f"{agent:>13}  ", style=COLOURS[agent])
        line.append(f"{tool:<20}", style="bold")
        line.append(came_of_it, style="default")
        self._console.print(line)


async def play(demo: Demo, console: Console) -> None:
    """Play the main job through the hub's public endpoint."""
    story = Story(console)
    async with (
        Hub.connect(demo.url, demo.agents[MAYA]) as maya,
        Hub.connect(demo.url, demo.agents[JONAS]) as jonas,
        Hub.connect(demo.url, demo.agents[JONAS]) as waiting,
    ):
        await _talk(maya, jonas, waiting, story)
        task = await _hand_off(maya, story)
        await _work(jonas, task, story)
        await _review(maya, jonas, task, story)


async def _talk(maya: Hub, jonas: Hub, waiting: Hub, story: Story) -> None:
    context = await maya.call("get_project_context", project=PROJECT)
    counts = f"{len(context['memory'])} approved fact(s), {len(context['members'])} members"
    story.tell(MAYA, "get_project_context", counts)
    seen = await jonas.call("wait_for_mention", timeout_seconds=0)
    story.tell(JONAS, "wait_for_mention", "nothing new: waits")
    wait = asyncio.create_task(waiting.call("wait_for_mention", cursor=seen["next_cursor"], timeout_seconds=20))
    await asyncio.sleep(0)
    body = "@jonas/claude the home page is slow: can you take the images?"
    posted = await maya.call("post_message", project=PROJECT, body=body)
    story.tell(MAYA, "post_message", f"“{body}” → notified {', '.join(posted['notified'])}")
    mention = (await wait)["mentions"][-1]
    story.tell(JONAS, "wait_for_mention", f"woken by {mention['author']['agent_id']}")


async def _hand_off(maya: Hub, story: Story) -> dict[str, Any]:
    handed = await maya.call("handoff", project=PROJECT, to=JONAS, **TASK)
    story.tell(MAYA, "handoff", f"“{handed['task']['title']}” is {handed['task']['state']}")
    task: dict[str, Any] = handed["task"]
    return task


async def _work(jonas: Hub, task: dict[str, Any], story: Story) -> None:
    await _attempt(jonas, task, story)
    attempt = (await jonas.call("check_inbox", task_id=task["task_id"]))["tasks"][0]["attempt"]
    named = {"task_id": task["task_id"], "attempt_id": attempt["attempt_id"]}
    await jonas.call("checkpoint", **named, summary="AVIF is generated at build time", progress=60)
    story.tell(JONAS, "checkpoint", "60 %: AVIF is generated at build time")
    try:
        await jonas.call("return_result", **named, outcome="done", summary="Done.", evidence=[MEASURED])
    except HubError as error:
        story.tell(JONAS, "return_result", f"refused, {error.code}: {error}")
    await _return(jonas, named, "AVIF with JPEG fallback; the home page weighs 812 kB.", story)


async def _attempt(jonas: Hub, task: dict[str, Any], story: Story) -> dict[str, str]:
    accepted = await jonas.call("accept_task", task_id=task["task_id"])
    story.tell(JONAS, "accept_task", f"{accepted['task']['state']} until {accepted['attempt']['deadline'][11:16]} UTC")
    return {"task_id": task["task_id"], "attempt_id": accepted["attempt"]["attempt_id"]}


async def _return(jonas: Hub, named: dict[str, str], summary: str, story: Story) -> None:
    await jonas.call("return_result", **named, outcome="done", summary=summary, evidence=[MEASURED, TESTED])
    story.tell(JONAS, "return_result", f"“{summary}” with a measurement and a test run")


async def _review(maya: Hub, jonas: Hub, task: dict[str, Any], story: Story) -> None:
    reason = "The fallback has no alt texts"
    rejected = await maya.call("reject_result", task_id=task["task_id"], reason=reason)
    story.tell(MAYA, "reject_result", f"“{reason}”: {rejected['task']['state']} again")
    await _return(jonas, await _attempt(jonas, task, story), "Alt texts added; still 812 kB.", story)
    accepted = await maya.call("accept_result", task_id=task["task_id"], note="Thank you!")
    story.tell(MAYA, "accept_result", f"the task is {accepted['task']['state']}")
