"""Recorded outputs of the clients' formats, written by hand from their documentation: what is read from each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from prickle.runner.adapters import adapters
from prickle.runner.adapters.adapter import Output, Reading, Used, count

Read = Callable[..., Reading]
OUTPUTS = Path(__file__).parent / "outputs"
NOTHING = Used()

RECORDED = [
    ("claude_code", "finished.json", 0, Used(1200, 340, 7), None),
    ("claude_code", "finished.jsonl", 0, Used(1200, 340, 3), None),
    ("claude_code", "finished_verbose.json", 0, Used(5, 6, 2), None),
    ("claude_code", "max_turns.jsonl", 1, Used(2500, 15000, 40), "claude_code_max_turns"),
    ("claude_code", "signed_out.json", 1, Used(0, 0, 1), "claude_code_sign_in"),
    ("claude_code", "limited.json", 1, Used(0, 0, 1), "claude_code_usage_limit"),
    ("claude_code", "overloaded.json", 1, Used(10, 20, 4), "claude_code_service"),
    ("claude_code", "broke_down.json", 1, Used(10, 20, 12), "agent_error"),
    ("claude_code", "truncated.jsonl", 0, NOTHING, None),
    ("claude_code", "strange.jsonl", 0, NOTHING, None),
    ("codex", "finished.jsonl", 0, Used(24763, 122, 1), None),
    ("codex", "reconnected.jsonl", 0, Used(10, 20, 1), None),
    ("codex", "limited.jsonl", 1, Used(None, None, 1), "codex_usage_limit"),
    ("codex", "signed_out.jsonl", 1, Used(None, None, 1), "codex_sign_in"),
    ("codex", "disconnected.jsonl", 1, Used(None, None, 1), "codex_service"),
    ("codex", "failed.jsonl", 1, Used(None, None, 1), "agent_error"),
    ("codex", "truncated.jsonl", 0, NOTHING, None),
    ("grok", "finished.json", 0, Used(12062, 22, 4), None),
    ("grok", "finished.jsonl", 0, Used(300, 40, None), None),
    ("grok", "without_numbers.json", 0, NOTHING, None),
    ("grok", "cancelled.json", 0, NOTHING, "agent_error"),
    ("grok", "signed_out.jsonl", 1, NOTHING, "grok_sign_in"),
    ("grok", "unavailable.jsonl", 1, NOTHING, "grok_service"),
]
BROKEN = [
    b"",
    b"\x00\xff\xfe",
    b"[" * 100_000,
    b'{"type": "result", "usage": 7}',
    b'{"type":"turn.completed"}',
    b"null\n7\n",
]
ERRORS = [
    ("claude_code", "Not logged in · Please run /login", "claude_code_sign_in"),
    ("claude_code", "Credit balance is too low", "claude_code_usage_limit"),
    ("codex", "ERROR: unexpected status 401 Unauthorized", "codex_sign_in"),
    ("codex", "ERROR: Quota exceeded. Check your plan and billing details.", "codex_usage_limit"),
    ("grok", "error: not authenticated, run grok login", "grok_sign_in"),
]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read what a client printed."""

    def reading(client: str, stdout: bytes, stderr: bytes = b"", *, failed: bool = False) -> Reading:
        output = Output(tmp_path / "stdout.log", tmp_path / "stderr.log", failed)
        output.stdout.write_bytes(stdout)
        output.stderr.write_bytes(stderr)
        return adapters()[client].read(output)

    return reading


@pytest.mark.parametrize(("client", "file", "code", "used", "step"), RECORDED)
def test_a_recorded_output_gives_its_numbers_and_its_step(
    read: Read, client: str, file: str, code: int, used: Used, step: str | None
) -> None:
    assert read(client, (OUTPUTS / client / file).read_bytes(), failed=code != 0) == Reading(used, step)


@pytest.mark.parametrize("client", sorted(adapters()))
@pytest.mark.parametrize("printed", BROKEN)
def test_what_is_unknown_or_broken_gives_nulls_and_breaks_nothing(read: Read, client: str, printed: bytes) -> None:
    assert read(client, printed) == Reading(NOTHING, None)


@pytest.mark.parametrize("client", sorted(adapters()))
def test_every_prefix_of_a_recorded_output_can_be_read(read: Read, client: str) -> None:
    for path in (OUTPUTS / client).glob("*"):
        whole = path.read_bytes()
        for end in range(0, len(whole), 17):
            reading = read(client, whole[:end], failed=True)
            assert reading.used.input_tokens != 0 or b'"input_tokens":0' in whole[:end]


@pytest.mark.parametrize(("client", "said", "step"), ERRORS)
def test_a_client_that_prints_only_an_error_is_understood_when_it_failed(
    read: Read, client: str, said: str, step: str
) -> None:
    assert read(client, b"", said.encode(), failed=True).step == step
    assert read(client, b"", said.encode(), failed=False).step is None


@pytest.mark.parametrize("value", [True, None, "7", -1, 2**31, 1.5, float("nan"), float("inf"), [], {}])
def test_what_a_report_cannot_carry_is_unknown(value: object) -> None:
    assert count(value) is None


def test_integers_may_be_written_as_numbers_with_a_point() -> None:
    assert (count(20.0), count(0), count(2**31 - 1)) == (20, 0, 2**31 - 1)
