"""The hub in containers: the main job, replicas, and everything killed in the middle of it."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest
from prickle import Hub

from tests.harness import until
from tests.process_tree import wait_for
from tests.runtime.running import PROJECT
from tests.system.containers.hub import HEALTHY_SECONDS, SECRETS, ContainerHub, docker
from tests.system.crash.load import MESSAGES_EACH, Agent, Answered, Progress, check_mentions, speak

pytestmark = pytest.mark.timeout(400)

SPEAKERS = ("maya/codex", "maya/grok", "jonas/claude", "jonas/codex")
WORKER = "jonas/grok"
SPOKEN = ": @"
"""What marks a message of `speak`."""
EVERYTHING = ("gateway", "rooms", "tasks", "pulse", "runs", "redis", "postgres")
HANDOFF = {"title": "Count", "objective": "Count the pages.", "acceptance": ["They are counted"]}
RUN_ROLES = (
    "PGPASSWORD=$(cat /run/secrets/postgres) psql -q -h 127.0.0.1 -d prickle -f /docker-entrypoint-initdb.d/roles.sql"
)
RESULT = {"outcome": "done", "summary": "12.", "evidence": [{"kind": "note", "ref": "There are 12."}]}

Disturbance = Callable[[ContainerHub], None]
DISTURBANCES: list[Disturbance] = [
    lambda hub: hub.crash("gateway", 1),
    lambda hub: hub.crash("tasks"),
    lambda hub: hub.compose("restart", "redis"),
    lambda hub: hub.compose("restart", "postgres"),
    lambda hub: hub.crash("rooms"),
]


@pytest.fixture(scope="module")
def keys(containers: ContainerHub) -> dict[str, str]:
    """Five agents of two people in one project; their keys."""
    agents = [containers.agent(address, takes_tasks_from="team") for address in (*SPEAKERS, WORKER)]
    containers.project(PROJECT, members=[agent.address for agent in agents])
    return {agent.address: agent.token for agent in agents}


@pytest.fixture
async def crew(containers: ContainerHub, keys: dict[str, str]) -> AsyncIterator[list[Agent]]:
    """The agents, in turn at each gateway; the last one speaks to nobody and does what is handed to it."""
    urls = containers.urls()
    async with AsyncExitStack() as stack:
        yield [
            Agent(address, await stack.enter_async_context(Hub.connect(urls[number % len(urls)], key)))
            for number, (address, key) in enumerate(keys.items())
        ]


async def job(asker: Agent, worker: Agent, name: str) -> str:
    """A task handed off, accepted, returned with evidence and accepted; its id."""
    handed = await asker.insist("handoff", project=PROJECT, to=worker.address, idempotency_key=f"{name} 1", **HANDOFF)
    task_id: str = handed["task"]["task_id"]
    taken = await worker.insist("accept_task", task_id=task_id, idempotency_key=f"{name} 2")
    attempt = {"task_id": task_id, "attempt_id": taken["attempt"]["attempt_id"]}
    await worker.insist("return_result", idempotency_key=f"{name} 3", **attempt, **RESULT)
    await asker.insist("accept_result", task_id=task_id, idempotency_key=f"{name} 4")
    return task_id


async def state(agent: Agent, task_id: str) -> str:
    """How a task stands."""
    said: str = (await agent.insist("check_inbox", task_id=task_id))["tasks"][0]["state"]
    return said


async def test_the_main_job_works_through_the_published_port(crew: list[Agent]) -> None:
    asker, *_, worker = crew
    wait = asyncio.create_task(worker.wait_once("wait_for_mention", "mentions", timeout_seconds=20))
    posted = await asker.insist("post_message", project=PROJECT, body=f"@{worker.address} look")
    await wait
    assert [message["id"] for message in worker.delivered] == [posted["message"]["id"]]
    await worker.wait_once("wait_for_mention", "mentions", timeout_seconds=0)
    task_id = await job(asker, worker, "the first job")
    assert await state(asker, task_id) == "accepted"


async def test_what_was_answered_is_there_once_though_replicas_die_and_redis_and_postgresql_restart(
    containers: ContainerHub, crew: list[Agent]
) -> None:
    *speakers, worker = crew
    asker = speakers[0]
    follows = [asyncio.create_task(agent.follow("wait_for_mention", "mentions")) for agent in speakers]
    answered: Answered = {}
    progress = Progress()
    tasks: list[str] = []
    for number, disturb in enumerate(DISTURBANCES):
        disturbed = asyncio.create_task(disturb_after(containers, disturb, progress))
        speeches = [speak(agent, speakers, number, progress, answered) for agent in speakers]
        task_id, *_ = await asyncio.gather(job(asker, worker, f"job {number}"), *speeches, disturbed)
        tasks.append(task_id)
    assert [await state(asker, task_id) for task_id in tasks] == ["accepted"] * len(DISTURBANCES)
    room = [message["id"] for message in await asker.messages() if SPOKEN in message["body"]]
    assert sorted(room) == sorted(answered)
    assert len(room) == len(DISTURBANCES) * MESSAGES_EACH * len(speakers)
    for agent, follow in zip(speakers, follows, strict=True):
        await check_mentions(agent, follow, [name for name in room if agent.address in answered[name]])
    await until(lambda: all(map(containers.healthy, EVERYTHING)), seconds=HEALTHY_SECONDS)


async def disturb_after(containers: ContainerHub, disturb: Disturbance, progress: Progress) -> None:
    """Disturb the hub in the middle of a round of messages."""
    goal = progress.answered + MESSAGES_EACH
    await until(lambda: progress.answered >= goal, seconds=60)
    await asyncio.to_thread(disturb, containers)


async def test_the_gateways_come_back_on_the_same_ports_after_a_restart(containers: ContainerHub) -> None:
    """Which of them has which is Docker's choice."""
    maya, urls = containers.agent(SPEAKERS[0]), set(containers.urls())
    containers.compose("restart", "gateway")
    containers.wait_until_ready()
    assert set(containers.urls()) == urls
    async with maya.connect() as hub:
        assert (await hub.call("get_project_context", project=PROJECT))["project"]["slug"] == PROJECT


def test_passwords_are_replaced_as_the_runbook_says(containers: ContainerHub) -> None:
    """Emptied files get new secrets, which the containers see, and the former ones are of no use any more."""
    files = [SECRETS / "passwords" / name for name in ("redis-runs", "postgres-runs")]
    former = [file.read_text() for file in files]
    for file in files:
        file.write_text("")
    subprocess.run([SECRETS / "create"], check=True)
    assert not {file.read_text() for file in files} & {"", *former}
    containers.compose("exec", "-T", "postgres", "sh", "-c", RUN_ROLES)
    containers.compose("restart", "redis", "runs")
    wait_for(lambda: all(map(containers.healthy, EVERYTHING)), HEALTHY_SECONDS)


def test_whoever_names_no_redis_user_is_refused(containers: ContainerHub) -> None:
    [redis] = containers.containers("redis")
    assert "NOAUTH" in docker("exec", redis["Name"].lstrip("/"), "redis-cli", "get", "prickle:auth")


@pytest.mark.parametrize("service", ["gateway", "tasks"])
def test_a_service_that_is_stopped_leaves_in_order(containers: ContainerHub, service: str) -> None:
    containers.compose("stop", service)
    assert [one["State"]["ExitCode"] for one in containers.containers(service)] == [0, 0]
    containers.compose("start", service)
