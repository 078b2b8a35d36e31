"""The journal: nothing is lost or doubled when its runner dies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from prickle.runner.errors import RunnerError
from prickle.runner.journal import Journal, Offer

OFFER = Offer(
    kind="task",
    subject="task_1",
    agent_id="maya/codex",
    project="website-v2",
    title="Fix the header",
    branch=None,
    requester="maya",
    at="2026-12-01T10:00:00Z",
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal.sqlite"


def again(journal: Journal, path: Path) -> Journal:
    journal.close()
    return Journal(path)


def test_a_page_is_written_down_with_its_cursor(path: Path) -> None:
    journal = Journal(path)
    assert (journal.cursor, journal.offers()) == (None, [])
    journal.take([OFFER], "c1")
    journal = again(journal, path)
    assert (journal.cursor, journal.offers()) == ("c1", [OFFER])


def test_an_offer_that_comes_twice_is_one(path: Path) -> None:
    journal = Journal(path)
    journal.take([OFFER], "c1")
    journal.take([OFFER, replace(OFFER, subject="task_2")], "c2")
    assert sorted(offer.subject for offer in journal.offers()) == ["task_1", "task_2"]


def test_a_run_has_an_id_before_it_is_claimed_and_keeps_it(path: Path) -> None:
    """R39: the id is the claim's key, in lower case."""
    journal = Journal(path)
    journal.take([OFFER], "c1")
    run = journal.begin(OFFER)
    assert run.run_id == run.run_id.lower()
    journal = again(journal, path)
    assert (journal.offers(), journal.unfinished()) == ([], [run])


def test_a_run_is_unfinished_until_it_is_done(path: Path) -> None:
    journal = Journal(path)
    run = journal.begin(OFFER)
    for state in ("claimed", "launched", "exited"):
        run = journal.write(run, state=state, exit_code=0)
        assert journal.unfinished() == [run]
    journal.write(run, state="done")
    assert journal.unfinished() == []


def test_a_claim_that_was_refused_for_now_is_an_offer_again(path: Path) -> None:
    journal = Journal(path)
    journal.give_back(journal.begin(OFFER))
    assert (journal.offers(), journal.unfinished()) == ([OFFER], [])


def test_a_second_runner_is_refused_and_the_files_are_the_owners_alone(path: Path) -> None:
    journal = Journal(path)
    with pytest.raises(RunnerError, match="other runner"):
        Journal(path)
    assert path.parent.stat().st_mode & 0o077 == 0
    assert path.stat().st_mode & 0o077 == 0
    again(journal, path).close()


def test_work_of_the_owner_or_its_agents_is_not_cross_owner() -> None:
    assert not OFFER.cross_owner
    assert not replace(OFFER, requester="maya/claude").cross_owner
    assert replace(OFFER, requester="jonas").cross_owner
    assert replace(OFFER, requester="maya-b/codex").cross_owner
