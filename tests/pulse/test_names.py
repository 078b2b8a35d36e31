"""Names of leases are canonical (R35)."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from libs.contracts.errors import InvalidInput
from libs.contracts.pulse import MemoryAgents
from services.pulse.domain.names import selected

REPOSITORY = "0f" * 32
BAD_PATHS = [
    "/etc/passwd",
    "C:/windows",
    "~/notes.md",
    "../up.py",
    "src/../app.py",
    "src/..",
    "./app.py",
    "src//app.py",
    "src/./app.py",
    "",
    ".",
    "src/",
    "src/*.py",
    "src/**",
    "src/app?.py",
    "src/[ab].py",
    "src/{a,b}.py",
    ".git",
    ".git/config",
    "vendor/.GIT/hooks",
    "src\\app.py",
    "src/a\0b.py",
    "src/a\nb.py",
    "src/a\u200bb.py",
    "src/ app.py",
    "src/app.py ",
    unicodedata.normalize("NFD", "src/café.py"),
]


def named(**fields: Any) -> str:
    return selected(MemoryAgents(action="claim", **fields)).text


def refused_field(**fields: Any) -> str | None:
    with pytest.raises(InvalidInput) as refused:
        named(**fields)
    return refused.value.data.field


@pytest.mark.parametrize("path", BAD_PATHS)
def test_a_path_that_is_not_canonical_is_refused_by_its_field(path: str) -> None:
    assert refused_field(lease=f"claim:{path}") == "lease"
    assert refused_field(repository_id=REPOSITORY, path=path) == "path"


@pytest.mark.parametrize("path", BAD_PATHS)
def test_a_refusal_never_quotes_the_path(path: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        named(lease=f"claim:{path}")
    assert len(path) < 5 or path not in refused.value.data.message


@pytest.mark.parametrize("path", ["app.py", "src/app.py", "Makefile", ".github/ci.yml", "src/.gitignore", "docs/ü.md"])
def test_a_canonical_path_is_kept_as_it_is_written(path: str) -> None:
    assert named(lease=f"claim:{path}") == f"claim:{path}"
    assert named(repository_id=REPOSITORY, path=path) == f"file:{REPOSITORY}:{path}"


@pytest.mark.parametrize(
    "lease", ["", "src/app.py", "file:src/app.py", "coordinator:", "coordinator:Website", "coordinator:a/b", "CLAIM:a"]
)
def test_any_other_form_of_lease_is_refused(lease: str) -> None:
    assert refused_field(lease=lease) == "lease"


def test_a_coordinator_is_one_of_a_project() -> None:
    assert named(lease="coordinator:website-v2") == "coordinator:website-v2"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "lease"),
        ({"path": "a.py"}, "repository_id"),
        ({"repository_id": REPOSITORY}, "path"),
        ({"lease": "claim:a.py", "path": "a.py"}, "path"),
        ({"lease": "claim:a.py", "repository_id": REPOSITORY}, "repository_id"),
        ({"repository_id": REPOSITORY.upper(), "path": "a.py"}, "repository_id"),
        ({"repository_id": "abc", "path": "a.py"}, "repository_id"),
        ({"worktree": "/home/maya/website", "path": "a.py"}, "worktree"),
    ],
)
def test_exactly_one_selector_names_a_lease(fields: dict[str, str], field: str) -> None:
    assert refused_field(**fields) == field


def test_a_worktree_is_refused_with_a_hint() -> None:
    with pytest.raises(InvalidInput) as refused:
        named(worktree="/home/maya/website", path="a.py")
    assert refused.value.data.hint == "Send repository_id and path instead."


def test_spellings_that_differ_in_case_fold_to_one() -> None:
    names = [selected(MemoryAgents(action="claim", lease=f"claim:{path}")) for path in ("STRASSE.md", "straße.md")]
    assert names[0].folded_id("acme") == names[1].folded_id("acme")
    assert names[0].lease_id("acme") != names[1].lease_id("acme")
    assert names[0].lease_id("acme") != names[0].lease_id("globex")
