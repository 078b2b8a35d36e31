"""A task shown whole stays within 64 KiB: what matters most comes first."""

from __future__ import annotations

from typing import Any

import pytest

from libs.contracts.tasks import WholeTask
from services.tasks.domain.inputs import size
from services.tasks.domain.whole import ANSWER_BYTES, Room, Whole
from tests.tasks.given import CLAUDE, CODEX, NOW, POLICY, a_checkpoint, a_message, a_return, facts, opened


def whole(
    results: int = 1, checkpoints: int = 1, messages: int = 0, letter: str = "x", length: int = 8000, **said: Any
) -> Whole:
    """A task with so many results and checkpoints, of long texts in one letter."""
    task, packet = opened(known=facts(messages=[a_message(n, letter * length) for n in range(messages)]), **said)
    made, kept = [], []
    words = {"summary": letter * 2000, "next": letter * 2000, "blocked_on": letter * 2000}
    for _ in range(results):
        attempt = task.take(CLAUDE, None, NOW, POLICY)
        kept.append(task.advance(attempt, a_checkpoint(task, attempt, **words), NOW, POLICY))
        made.append(task.finish(attempt, a_return(task, attempt, summary=letter * length), NOW))
        task.review(made[-1], "rejected", CODEX, letter * 2000, NOW)
    attempt = task.take(CLAUDE, None, NOW, POLICY)
    while len(kept) < checkpoints:
        kept.append(task.advance(attempt, a_checkpoint(task, attempt, **words), NOW, POLICY))
    return Whole(
        task=task.view("jonas/claude"),
        packet=packet.view(),
        results=[result.view("jonas/claude") for result in reversed(made)],
        checkpoints=[checkpoint.view() for checkpoint in reversed(kept)],
        results_count=len(made),
        checkpoints_count=len(kept),
    )


def fitted(everything: Whole) -> tuple[WholeTask, dict[str, int]]:
    shown, omitted = everything.fit()
    assert size(shown) <= ANSWER_BYTES + 256
    return shown, omitted


def test_a_task_that_fits_is_shown_entirely_newest_first() -> None:
    everything = whole(results=2, checkpoints=3, messages=2, length=100)
    shown, omitted = fitted(everything)
    assert (shown.packet, shown.results, shown.checkpoints) == (
        everything.packet,
        everything.results,
        everything.checkpoints,
    )
    assert omitted == {}


def test_older_results_and_checkpoints_give_way_to_the_context_and_are_counted() -> None:
    everything = whole(results=5, checkpoints=60, messages=2)
    shown, omitted = fitted(everything)
    assert shown.packet == everything.packet
    assert shown.results is not None
    assert shown.checkpoints is not None
    assert (shown.results[0], shown.checkpoints[0]) == (everything.results[0], everything.checkpoints[0])
    assert omitted == {"results": 5 - len(shown.results), "checkpoints": 60 - len(shown.checkpoints)}
    assert omitted["checkpoints"] > 0


def test_context_is_cut_before_the_objective() -> None:
    shown, omitted = fitted(whole(messages=20, objective="o" * 8000, context={"files": ["a.ts"]}))
    assert shown.packet is not None
    assert shown.packet.objective == "o" * 8000
    assert shown.packet.context.files == ["a.ts"]
    assert omitted == {"messages": 20 - len(shown.packet.context.messages)}


def test_the_objective_is_cut_when_result_and_checkpoint_leave_it_no_room() -> None:
    everything = whole(letter="€", length=7900, messages=1, objective="€" * 7000, context={"files": ["a.ts"]})
    shown, omitted = fitted(everything)
    assert shown.results == everything.results
    assert shown.checkpoints == everything.checkpoints
    assert shown.packet is not None
    assert 0 < len(shown.packet.objective) < 7000
    assert omitted["objective_characters"] == 7000 - len(shown.packet.objective)
    assert (omitted["messages"], omitted["files"]) == (1, 1)


@pytest.mark.parametrize(
    ("left", "taken"), [(0, []), (3, []), (4, ["a"]), (7, ["a"]), (8, ["a", "b"]), (99, ["a", "b"])]
)
def test_only_what_fits_whole_is_taken(left: int, taken: list[str]) -> None:
    assert Room(left).take(["a", "b"]) == taken


def test_nothing_after_what_did_not_fit_is_taken() -> None:
    assert Room(10).take(["a", "b" * 20, "c"]) == ["a"]
