"""Runners against a scripted hub: what they claim, launch, report, say and leave behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from prickle import HubError
from prickle.runner.places import Places

from tests.client.runner.conftest import OUTPUTS, Notes
from tests.client.runner.desk import DEVICE_TOKEN, RUN_TOKEN, Lab
from tests.client.runner.repositories import git, new_repository
from tests.harness import until

Stub = Callable[..., dict[str, Any]]
FINISHED = OUTPUTS / "codex" / "finished.jsonl"
LIMITED = OUTPUTS / "codex" / "limited.jsonl"


def left(places: Places) -> list[str]:
    return [path.name for parent in (places.runs, places.worktrees) if parent.exists() for path in parent.iterdir()]


async def test_a_task_is_claimed_run_and_reported_under_one_id(lab: Lab, stub: Stub, notes: Notes) -> None:
    """R39: the run's id is the claim's key and the report's id."""
    lab.desk.request("task_1")
    await lab.run_once(**stub("--print", FINISHED))
    (claim,), (report,) = lab.desk.claims, lab.desk.reports
    assert claim == {"task_id": "task_1", "idempotency_key": report["run_id"]}
    assert report["duration_ms"] >= 0
    assert report == {
        "project": "website-v2",
        "run_id": report["run_id"],
        "task_id": "task_1",
        "input_tokens": 24763,
        "output_tokens": 122,
        "turns": 1,
        "duration_ms": report["duration_ms"],
        "exit_code": 0,
    }
    assert lab.desk.pulses == []
    assert left(lab.places) == []
    assert "task_1" in notes()[0]["prompt"]


async def test_a_run_has_its_token_in_its_environment_and_one_private_file_only(
    lab: Lab, stub: Stub, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRICKLE_DEVICE_KEY", DEVICE_TOKEN)
    lab.desk.request("task_1")
    async with lab.running(**stub("--until", lab.folder / "go", client="claude_code")):
        await until(notes)
        (note,) = notes()
        holding = [path for path in lab.folder.rglob("*") if path.is_file() and RUN_TOKEN in path.read_text("latin-1")]
        mine = [path for path in holding if path.parent.name != "notes"]
        assert [path.name for path in mine] == ["mcp_config"]
        assert mine[0].stat().st_mode & 0o077 == 0
        (lab.folder / "go").touch()
        await until(lambda: lab.desk.reports)
    assert note["environment"]["PRICKLE_TOKEN"] == RUN_TOKEN
    assert DEVICE_TOKEN not in str(note["environment"])
    assert RUN_TOKEN in note["mcp_config"]
    assert RUN_TOKEN not in str([note["arguments"], note["prompt"], lab.said])
    assert not mine[0].exists()


async def test_a_failure_is_reported_with_nulls_and_told_as_a_step_and_nothing_else(lab: Lab, stub: Stub) -> None:
    """What the client printed is nowhere on the wire."""
    lab.desk.request("task_1")
    await lab.run_once(**stub("--print", LIMITED, "--exit", "1"))
    (report,), (pulse,) = lab.desk.reports, lab.desk.pulses
    assert (report["input_tokens"], report["output_tokens"], report["exit_code"]) == (None, None, 1)
    assert pulse == {
        "project": "website-v2",
        "agent_id": "maya/codex",
        "task_id": "task_1",
        "run_failure": {"class": "rate_limit", "step": "codex_usage_limit"},
        "idempotency_key": report["run_id"],
    }
    assert "You've hit" not in str([lab.desk.claims, lab.desk.reports, lab.desk.pulses, lab.said])


async def test_what_failed_is_kept_to_look_at_up_to_a_bound(lab: Lab, stub: Stub) -> None:
    for number in range(4):
        lab.desk.request(f"task_{number}")
        await lab.run_once(**stub("--exit", "1", kept_runs=2))
    kept = list(lab.places.runs.iterdir())
    assert [(run / "stdout.log").exists() for run in kept] == [True, True]
    lab.desk.request("task_9")
    await lab.run_once(**stub("--exit", "1", kept_gigabytes=0))
    assert left(lab.places) == []


@pytest.mark.parametrize(
    ("settings", "step"),
    [
        ({"client": "codex", "command": ["no-such-client"]}, "codex_not_found"),
        ({"client": "claude_code", "command": ["no-such-client"]}, "claude_code_not_found"),
        ({"client": "generic", "command": ["no-such-client"]}, "cli_not_found"),
        ({"client": "generic", "command": ["sh", "-c", "kill -SEGV $$"]}, "cli_crashed"),
        ({"client": "generic", "command": ["sh", "-c", "exit 3"]}, "see_runner_log"),
        ({"client": "generic", "command": ["sh", "-c", "exit 127"]}, "cli_did_not_start"),
        ({"client": "generic", "command": ["sleep", "600"], "time_limit_seconds": 0.2}, "task_time_limit"),
    ],
)
async def test_what_goes_wrong_on_this_machine_has_its_step(lab: Lab, settings: dict[str, Any], step: str) -> None:
    lab.desk.request("task_1")
    await lab.run_once(**settings)
    assert [pulse["run_failure"]["step"] for pulse in lab.desk.pulses] == [step]
    assert len(lab.desk.reports) == 1


async def test_a_branch_without_a_repository_is_a_failed_worktree(lab: Lab, stub: Stub, notes: Notes) -> None:
    lab.desk.request("task_1", branch="fix")
    await lab.run_once(**stub())
    assert [pulse["run_failure"]["step"] for pulse in lab.desk.pulses] == ["worktree_failed"]
    assert (lab.desk.reports[0]["exit_code"], notes()) == (None, [])


async def test_a_task_with_a_branch_works_in_a_worktree_of_its_projects_repository(
    lab: Lab, stub: Stub, notes: Notes
) -> None:
    repository = new_repository(lab.folder / "website")
    lab.desk.request("task_1", branch="fix")
    await lab.run_once(**stub(repositories={"website-v2": [str(repository)]}))
    assert Path(notes()[0]["directory"]).parent == lab.places.worktrees
    assert left(lab.places) == []
    assert git(repository, "branch", "--list", "fix")


async def test_a_cancelled_task_ends_its_run_without_a_failure(lab: Lab, stub: Stub, notes: Notes) -> None:
    lab.desk.request("task_1")
    async with lab.running(**stub("--until", "/nowhere")):
        await until(notes)
        lab.desk.cancel("task_1")
        await until(lambda: lab.desk.reports)
    assert (lab.desk.reports[0]["exit_code"], lab.desk.pulses) == (143, [])


async def test_a_task_cancelled_before_it_could_begin_is_never_claimed(lab: Lab, stub: Stub) -> None:
    lab.desk.request("task_1")
    lab.desk.cancel("task_1")
    await lab.run_once(**stub())
    assert lab.desk.claims == []


async def test_a_task_that_is_requested_anew_ends_its_former_run_and_has_another(
    lab: Lab, stub: Stub, notes: Notes
) -> None:
    """A lapsed attempt: what its run still does is worth nothing."""
    lab.desk.request("task_1")
    async with lab.running(**stub("--until", lab.folder / "go")):
        await until(notes)
        lab.desk.request("task_1")
        await until(lambda: len(lab.desk.claims) == 2)
        (lab.folder / "go").touch()
        await until(lambda: len(lab.desk.reports) == 2)
    first, second = lab.desk.reports
    assert (first["exit_code"], second["exit_code"]) == (143, 0)
    assert first["run_id"] != second["run_id"]


async def test_a_stopped_runner_asks_its_runs_to_end_reports_them_and_claims_no_more(
    lab: Lab, stub: Stub, notes: Notes
) -> None:
    lab.desk.request("task_1")
    lab.desk.request("task_2")
    async with lab.running(**stub("--until", "/nowhere")):
        await until(notes)
    assert [report["task_id"] for report in lab.desk.reports] == ["task_1"]
    assert (len(lab.desk.claims), lab.desk.pulses) == (1, [])
    await lab.run_once(**stub())
    assert [report["task_id"] for report in lab.desk.reports] == ["task_1", "task_2"]


async def test_an_agent_runs_as_many_tasks_at_once_as_it_has_slots(lab: Lab, stub: Stub, notes: Notes) -> None:
    for number in range(3):
        lab.desk.request(f"task_{number}")
    async with lab.running(**stub("--until", lab.folder / "go", slots=2)):
        await until(lambda: len(notes()) == 2)
        assert len(lab.desk.claims) == 2
        (lab.folder / "go").touch()
        await until(lambda: len(lab.desk.reports) == 3)


async def test_a_task_whose_run_failed_is_left_for_a_while(lab: Lab, stub: Stub) -> None:
    lab.desk.request("task_1")
    async with lab.running(**stub("--exit", "1", retry_seconds=0.3)):
        await until(lambda: lab.desk.reports)
        lab.desk.request("task_1")
        lab.desk.request("task_2")
        await until(lambda: len(lab.desk.reports) == 3)
    assert [claim["task_id"] for claim in lab.desk.claims] == ["task_1", "task_2", "task_1"]


async def test_a_claim_beyond_the_devices_slots_is_made_again_later(lab: Lab, stub: Stub) -> None:
    """R12: the hub knows the device's slots; a refusal for now loses nothing."""
    lab.desk.refuse("claim_task", "limit_exceeded", retry_after_seconds=0.1)
    lab.desk.request("task_1")
    async with lab.running(**stub()):
        await until(lambda: lab.desk.reports)
    assert len(lab.desk.claims) == 2


async def test_a_claim_without_an_answer_is_repeated_with_its_key(lab: Lab, stub: Stub) -> None:
    """R10: the same key is the same attempt."""
    lab.desk.refuse("claim_task", "unavailable", retry_after_seconds=0.01)
    lab.desk.request("task_1")
    await lab.run_once(**stub())
    first, second = lab.desk.claims
    assert first == second
    assert len(lab.desk.reports) == 1


@pytest.mark.parametrize("code", ["conflict", "not_found", "stale_attempt"])
async def test_a_task_that_another_has_is_left_to_it(lab: Lab, stub: Stub, notes: Notes, code: str) -> None:
    lab.desk.refuse("claim_task", code)
    lab.desk.request("task_1")
    await lab.run_once(**stub())
    assert (lab.desk.reports, lab.desk.pulses, notes()) == ([], [], [])


@pytest.mark.parametrize("code", ["room_not_linked", "cross_owner_off"])
async def test_a_claim_that_the_links_do_not_allow_is_told_as_a_failure(lab: Lab, stub: Stub, code: str) -> None:
    lab.desk.refuse("claim_task", code)
    lab.desk.request("task_1")
    await lab.run_once(**stub())
    assert [pulse["run_failure"] for pulse in lab.desk.pulses] == [{"class": "runtime", "step": code}]


async def test_a_report_is_repeated_until_it_is_answered(lab: Lab, stub: Stub) -> None:
    """R38: the same report again is the same record."""
    lab.desk.refuse("report_run", "unavailable", retry_after_seconds=0.01)
    lab.desk.request("task_1")
    await lab.run_once(**stub())
    assert lab.desk.reports[0] == lab.desk.reports[1]


async def test_a_device_that_is_no_longer_let_in_ends_its_runner(lab: Lab, stub: Stub) -> None:
    lab.desk.refuse("wait_for_updates", "unauthenticated")
    with pytest.raises(HubError) as ended:
        await lab.run_once(**stub())
    assert ended.value.code == "unauthenticated"


async def test_a_page_is_acknowledged_only_when_it_is_written_down(lab: Lab, stub: Stub) -> None:
    """R20: the next runner goes on where the journal is."""
    await lab.run_once(**stub())
    lab.desk.request("task_1")
    await lab.run_once(**stub())
    assert lab.desk.cursors == [None, "0", "1"]


async def test_a_cursor_that_the_hub_no_longer_knows_is_left_out(lab: Lab, stub: Stub) -> None:
    await lab.run_once(**stub())
    lab.desk.refuse("wait_for_updates", "bad_cursor")
    await lab.run_once(**stub())
    assert lab.desk.cursors == [None, None]


async def test_work_of_others_runs_only_where_the_device_allows_it(lab: Lab, stub: Stub) -> None:
    """Only in the repositories and with the commands that are named for it."""
    allowed = {"allowed": True, "commands": [stub()["command"][0]]}
    for number, cross_owner in enumerate(({}, {"allowed": True, "commands": ["codex"]}, allowed)):
        lab.desk.request(f"task_{number}", requester="jonas/claude")
        await lab.run_once(**stub(cross_owner=cross_owner))
    assert [claim["task_id"] for claim in lab.desk.claims] == ["task_2"]
    assert [pulse["run_failure"]["step"] for pulse in lab.desk.pulses] == ["cross_owner_off"] * 2
    lab.desk.request("task_3", requester="jonas")
    await lab.run_once(**stub(cross_owner=allowed, repositories={"website-v2": [str(lab.folder)]}))
    assert len(lab.desk.claims) == 1


async def test_a_discussion_is_claimed_and_run_without_a_report(lab: Lab, stub: Stub, notes: Notes) -> None:
    """R14, R38: only a task's run is reported."""
    lab.desk.mention("msg_1")
    lab.desk.mention("msg_2", author="jonas")
    await lab.run_once(**stub())
    (claim,) = lab.desk.claims
    assert (claim["message_id"], claim["agent_id"], claim["project"]) == ("msg_1", "maya/codex", "website-v2")
    assert (lab.desk.reports, lab.desk.pulses) == ([], [])
    assert "msg_1" in notes()[0]["prompt"]


async def test_a_discussion_past_its_time_is_a_failure_of_its_own(lab: Lab, stub: Stub) -> None:
    lab.desk.mention("msg_1")
    await lab.run_once(**stub("--until", "/nowhere", reply_time_limit_seconds=0.3))
    assert [pulse["run_failure"]["step"] for pulse in lab.desk.pulses] == ["reply_time_limit"]


async def test_an_agent_that_is_not_configured_here_is_left_alone(lab: Lab, stub: Stub) -> None:
    lab.desk.request("task_1")
    lab.desk.updates[0]["task"]["assignee"] = "maya/other"
    await lab.run_once(**stub())
    assert lab.desk.claims == []
