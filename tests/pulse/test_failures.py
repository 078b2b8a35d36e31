"""What a device says of its linked agents, and why their last runs failed (R31)."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from libs.contracts.caller import Caller
from libs.contracts.errors import Forbidden, InvalidInput
from libs.contracts.pulse import FailureClass, FailureStep, RunFailure, UpdatePulse
from libs.contracts.reference import reference_schema
from tests.harness import Hub
from tests.pulse.given import DEVICE, PROJECT, availability, fresh_agent, happen, pulse_of, say, say_of, started

SERVICES = ("pulse",)
REFERENCE = reference_schema("get_project_context", "output")["properties"]["pulse"]["items"]["properties"]
FAILURE = REFERENCE["run_failure"]["properties"]
SIGN_IN = {"class": "auth", "step": "codex_sign_in"}
CLASSES = {
    "claude_code_sign_in": "auth",
    "codex_sign_in": "auth",
    "grok_sign_in": "auth",
    "claude_code_usage_limit": "rate_limit",
    "codex_usage_limit": "rate_limit",
    "task_time_limit": "timeout",
    "reply_time_limit": "timeout",
    "claude_code_service": "provider",
    "codex_service": "provider",
    "grok_service": "provider",
    "claude_code_not_found": "runtime",
    "codex_not_found": "runtime",
    "cli_not_found": "runtime",
    "cli_did_not_start": "runtime",
    "cli_crashed": "runtime",
    "worktree_failed": "runtime",
    "cross_owner_off": "runtime",
    "room_not_linked": "runtime",
    "cli_replies_only": "runtime",
    "cli_tasks_unverified": "runtime",
    "entry_changed": "runtime",
    "git_too_old": "runtime",
    "app_build_unchecked": "runtime",
    "claude_code_max_turns": "agent",
    "stopped_extra_tools": "agent",
    "agent_error": "agent",
    "see_runner_log": "other",
}


def test_steps_and_classes_are_those_of_the_reference() -> None:
    assert list(CLASSES) == FAILURE["step"]["enum"] == list(get_args(FailureStep))
    assert FAILURE["class"]["enum"] == list(get_args(FailureClass))
    assert len(CLASSES) == 27


@pytest.mark.parametrize(("step", "failure_class"), CLASSES.items())
async def test_each_step_is_accepted_with_its_class_and_no_other(hub: Hub, step: str, failure_class: str) -> None:
    """R31, and as the reference shows it."""
    agent = fresh_agent()
    for wrong in set(FAILURE["class"]["enum"]) - {failure_class}:
        with pytest.raises(InvalidInput) as refused:
            await say_of(hub, agent, run_failure={"class": wrong, "step": step})
        assert refused.value.data.field == "run_failure.class"
    failure = {"class": failure_class, "step": step}
    said = await say_of(hub, agent, run_failure=failure)
    assert said.wire()["run_failure"] == failure
    assert await pulse_of(hub, agent) == said


async def test_a_pulse_without_failure_has_no_such_field(hub: Hub) -> None:
    agent = fresh_agent()
    assert "run_failure" not in (await say(hub, agent, doing="well")).wire()
    await say_of(hub, agent, run_failure=SIGN_IN)
    assert "run_failure" not in (await say_of(hub, agent, run_failure=None)).wire()


async def test_a_failure_is_one_of_its_agent_in_its_project(hub: Hub) -> None:
    agent, other = fresh_agent(), fresh_agent()
    await say_of(hub, agent, run_failure=SIGN_IN)
    assert (await pulse_of(hub, agent, "another-one")).run_failure is None
    assert (await pulse_of(hub, other)).run_failure is None


async def test_a_failure_stays_while_the_agent_talks_and_takes_tasks_itself(hub: Hub) -> None:
    agent = fresh_agent()
    await say_of(hub, agent, run_failure=SIGN_IN)
    await happen(hub, started(agent, 2, started_at=hub.clock.now))
    assert (await say(hub, agent, doing="by hand")).run_failure == RunFailure.model_validate(SIGN_IN)


async def test_a_failure_is_gone_when_the_next_run_starts(hub: Hub) -> None:
    """R31: whatever the order in which pulse hears of runs."""
    agent = fresh_agent()
    await say_of(hub, agent, run_failure=SIGN_IN)
    hub.clock.advance(seconds=10)
    await happen(hub, started(agent, 2, kind="run", started_at=hub.clock.now, project="another-one"))
    assert (await pulse_of(hub, agent)).run_failure is not None
    await happen(hub, started(agent, 1, kind="run", started_at=hub.clock.now))
    assert (await pulse_of(hub, agent)).run_failure is None


async def test_a_run_that_fails_at_once_keeps_its_failure_when_its_start_is_heard_later(hub: Hub) -> None:
    agent = fresh_agent()
    claimed_at = hub.clock.now
    hub.clock.advance(seconds=1)
    await say_of(hub, agent, run_failure={"class": "runtime", "step": "worktree_failed"})
    await happen(hub, started(agent, 2, kind="run", started_at=claimed_at))
    assert (await pulse_of(hub, agent)).run_failure is not None


async def test_a_run_of_a_service_that_says_no_time_starts_when_it_is_heard(hub: Hub) -> None:
    """R47."""
    agent = fresh_agent()
    await say_of(hub, agent, run_failure=SIGN_IN)
    await happen(hub, started(agent, 2, kind="run"))
    assert (await pulse_of(hub, agent)).run_failure is None


async def test_a_device_says_how_available_its_agent_is_and_what_for(hub: Hub) -> None:
    agent = fresh_agent()
    said = await say_of(hub, agent, availability="working", task_id="task_1")
    assert (said.agent_id, said.availability, said.task_id) == (agent, "working", "task_1")
    assert await availability(hub, agent) == "working"
    assert (await say_of(hub, agent, availability="offline")).availability == "offline"


async def test_a_device_that_reports_a_failure_or_a_farewell_shows_no_life_of_its_agent(hub: Hub) -> None:
    """R28: silence is the agent's."""
    agent = fresh_agent()
    await say_of(hub, agent, run_failure=SIGN_IN)
    assert await availability(hub, agent) == "offline"
    await say_of(hub, agent, availability="offline")
    assert await availability(hub, agent, "another-one") == "offline"


OTHERS = {"doing": "x", "branch": "x", "files": ["x"], "last_decision": "x"}


@pytest.mark.parametrize("field", OTHERS)
async def test_a_device_may_say_nothing_else(hub: Hub, field: str) -> None:
    agent = fresh_agent()
    with pytest.raises(InvalidInput) as refused:
        await say_of(hub, agent, availability="online", **{field: OTHERS[field]})
    assert refused.value.data.field == field
    assert await availability(hub, agent) == "offline"


async def test_a_device_names_whom_it_speaks_for(hub: Hub) -> None:
    with pytest.raises(InvalidInput) as refused:
        await hub.ask(UpdatePulse(project=PROJECT, availability="online"), DEVICE)
    assert refused.value.data.field == "agent_id"


@pytest.mark.parametrize("said", [{"agent_id": "maya/claude"}, {"run_failure": SIGN_IN}, {"run_failure": None}])
async def test_an_agent_may_not_speak_as_a_device(hub: Hub, said: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        await say(hub, fresh_agent(), **said)
    assert [refused.value.data.field] == list(said)


async def test_a_tasks_key_says_nothing(hub: Hub) -> None:
    command = UpdatePulse(project=PROJECT, agent_id="maya/codex", availability="online")
    with pytest.raises(Forbidden):
        await hub.ask(command, Caller(kind="tasks", subject="dev_1", owner="maya"))
