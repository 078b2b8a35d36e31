"""Evidence: which forms its kinds have, and whether it proves what a handoff asked for (R15)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from libs.contracts.errors import EvidenceRequired, InvalidInput
from libs.contracts.tasks import Evidence

COMMIT = re.compile(r"[0-9a-fA-F]{7,64}")
MEASUREMENT = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)? \S(?:.*\S)?")
DRIVE = re.compile(r"[A-Za-z]:")


def is_commit(ref: str) -> bool:
    """Whether it is a commit hash, whole or shortened."""
    return COMMIT.fullmatch(ref) is not None


def is_web_address(ref: str) -> bool:
    """Whether it is an http or https URL with a host."""
    if any(character.isspace() for character in ref):
        return False
    try:
        parts = urlsplit(ref)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def is_relative_path(ref: str) -> bool:
    """Whether it stays below where it starts: neither absolute nor with a `..` in it."""
    parts = ref.replace("\\", "/").split("/")
    return parts[0] != "" and ".." not in parts and DRIVE.match(ref) is None and "://" not in ref


def is_file(ref: str) -> bool:
    """Whether it says where a file is: a relative path or a URL."""
    return is_relative_path(ref) or is_web_address(ref)


def is_measurement(ref: str) -> bool:
    """Whether it is `<number> <unit>`."""
    return MEASUREMENT.fullmatch(ref) is not None


FORMS: dict[str, tuple[Callable[[str], bool], str]] = {
    "commit": (is_commit, "Give a commit as 7 to 64 hex digits."),
    "pull_request": (is_web_address, "Give a pull request as its http or https URL."),
    "url": (is_web_address, "Give a URL that starts with http:// or https:// and names a host."),
    "file": (is_file, "Give a file as a relative path without `..`, or as an http or https URL."),
    "screenshot": (is_file, "Give a screenshot as a relative path without `..`, or as an http or https URL."),
    "measurement": (is_measurement, "Give a measurement as a number, one space and its unit, such as `182 ms`."),
}


def check_forms(evidence: Sequence[Evidence], criteria: int) -> None:
    """Refuse the first item that lacks the form of its kind or names a criterion that the task does not have."""
    for index, item in enumerate(evidence):
        place = f"evidence[{index}]"
        if item.kind in FORMS:
            has_form, advice = FORMS[item.kind]
            if not has_form(item.ref):
                raise InvalidInput(advice, field=f"{place}.ref")
        if item.kind == "test_run" and not (item.note or "").startswith(("passed", "failed")):
            raise InvalidInput("Start the note of a test run with passed or failed.", field=f"{place}.note")
        if item.criterion is not None and item.criterion >= criteria:
            raise InvalidInput("Name a criterion of the task, counted from 0.", field=f"{place}.criterion")


def require_proof(evidence: Sequence[Evidence], kinds_by_criterion: Sequence[Sequence[str]]) -> None:
    """Refuse a done result unless each criterion has an item that names it and is of a kind that its handoff named.

    With a single criterion an item need not name it; with several an item that names none proves none.
    """
    unnamed = 0 if len(kinds_by_criterion) == 1 else None
    given = {(unnamed if item.criterion is None else item.criterion, item.kind) for item in evidence}
    missing: list[dict[str, Any]] = [
        {"criterion": criterion, "kinds": list(kinds)}
        for criterion, kinds in enumerate(kinds_by_criterion)
        if not any(criterion == named and (not kinds or kind in kinds) for named, kind in given)
    ]
    if missing:
        raise EvidenceRequired(
            "Give each missing criterion an evidence item that names it and is of one of its kinds, "
            "or return the result with outcome partial.",
            field="evidence",
            details={"missing": missing},
        )
