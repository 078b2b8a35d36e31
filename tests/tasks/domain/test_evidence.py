"""Evidence: the form of each kind, and what proves a criterion (R15)."""

from __future__ import annotations

import pytest

from libs.contracts.errors import EvidenceRequired, InvalidInput
from services.tasks.domain.evidence import check_forms, require_proof
from tests.tasks.given import proof

WELL_FORMED = [
    ("commit", "1a2b3c4", None),
    ("commit", "A" * 64, None),
    ("pull_request", "https://git.example/web/pulls/7", None),
    ("url", "http://localhost:8000/", None),
    ("file", "src/form.ts", None),
    ("file", "notes..txt", None),
    ("file", "https://files.example/form.ts", None),
    ("screenshot", "shots/after.png", None),
    ("screenshot", "https://files.example/after.png", None),
    ("test_run", "pytest -q tests/form", "passed: 12 tests"),
    ("test_run", "pytest -q tests/form", "failed: 1 of 12"),
    ("measurement", "182 ms", None),
    ("measurement", "-0.5 % of requests", None),
    ("measurement", "1e3 rows", None),
    ("log", "the line says it all", None),
    ("note", "/looked/at/it ..", None),
]

WITHOUT_FORM = [
    ("commit", "1a2b3c", None, "ref"),
    ("commit", "a" * 65, None, "ref"),
    ("commit", "1a2b3cg", None, "ref"),
    ("commit", "1a2b3c4\n", None, "ref"),
    ("pull_request", "#7", None, "ref"),
    ("pull_request", "git.example/web/pulls/7", None, "ref"),
    ("url", "https://", None, "ref"),
    ("url", "https:///path", None, "ref"),
    ("url", "ftp://files.example/x", None, "ref"),
    ("url", "javascript:alert(1)", None, "ref"),
    ("url", "http://[broken", None, "ref"),
    ("url", "https://a.example/x y", None, "ref"),
    ("file", "/etc/passwd", None, "ref"),
    ("file", "\\share\\form.ts", None, "ref"),
    ("file", "C:\\form.ts", None, "ref"),
    ("file", "../form.ts", None, "ref"),
    ("file", "src/../../form.ts", None, "ref"),
    ("file", "src\\..\\form.ts", None, "ref"),
    ("file", "file:///etc/passwd", None, "ref"),
    ("screenshot", "shots/..", None, "ref"),
    ("test_run", "pytest", None, "note"),
    ("test_run", "pytest", "it passed", "note"),
    ("measurement", "182", None, "ref"),
    ("measurement", "fast 182 ms", None, "ref"),
    ("measurement", "182ms", None, "ref"),
    ("measurement", "182  ", None, "ref"),
]


@pytest.mark.parametrize(("kind", "ref", "note"), WELL_FORMED)
def test_evidence_in_the_form_of_its_kind_is_taken(kind: str, ref: str, note: str | None) -> None:
    check_forms([proof(kind, ref, note=note)], criteria=1)


@pytest.mark.parametrize(("kind", "ref", "note", "field"), WITHOUT_FORM)
def test_evidence_without_the_form_of_its_kind_is_refused_with_its_place(
    kind: str, ref: str, note: str | None, field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_forms([proof(), proof(kind, ref, note=note)], criteria=1)
    assert refused.value.data.field == f"evidence[1].{field}"


def test_a_criterion_that_the_task_does_not_have_is_refused() -> None:
    check_forms([proof(criterion=1)], criteria=2)
    with pytest.raises(InvalidInput) as refused:
        check_forms([proof(criterion=2)], criteria=2)
    assert refused.value.data.field == "evidence[0].criterion"


def test_the_refusal_lists_each_criterion_that_lacks_evidence_with_its_kinds() -> None:
    kinds = [["commit"], ["test_run", "log"], []]
    with pytest.raises(EvidenceRequired) as refused:
        require_proof([proof(criterion=0), proof(criterion=1)], kinds)
    assert refused.value.data.details == {
        "missing": [{"criterion": 1, "kinds": ["test_run", "log"]}, {"criterion": 2, "kinds": []}]
    }


def test_one_of_the_kinds_is_enough_and_any_kind_where_none_was_named() -> None:
    kinds = [["commit", "pull_request"], []]
    require_proof([proof(criterion=0), proof("note", "seen", criterion=1)], kinds)


def test_the_criterion_may_be_left_out_when_there_is_only_one() -> None:
    require_proof([proof()], [["commit"]])


def test_evidence_that_names_no_criterion_proves_none_of_several() -> None:
    with pytest.raises(EvidenceRequired):
        require_proof([proof(), proof()], [[], []])
