"""Where two intents meet (R30)."""

from __future__ import annotations

import json

import pytest

from libs.contracts.errors import InvalidInput
from services.pulse.domain.territories import Territory, check_paths, territory


def touching(*paths: str, areas: tuple[str, ...] = ()) -> Territory:
    return territory(json.dumps(paths), json.dumps(areas))


MEETING = [
    ("src/app.py", "src/app.py"),
    ("src", "src/app.py"),
    ("src/", "src/deep/down/app.py"),
    ("src/", "src"),
    ("src/*.py", "src/app.py"),
    ("*.py", "src/app.py"),
    ("src/**/test_*.py", "src/a/b/test_c.py"),
    ("src/**", "src/app.py"),
    ("src/**", "src"),
    ("src/api/*.py", "src"),
    ("src/*", "src/api"),
    ("src/[ab].py", "src/a.py"),
    ("#*.md", "#notes.md"),
    ("!*.md", "!notes.md"),
    ("src/*.py", "src/*.py"),
    ("src/**", "src/api/*.py"),
    ("src/*.py", "src/*.ts"),
    ("**/*.py", "docs/*.md"),
]
APART = [
    ("src/app.py", "src/app.pyi"),
    ("src", "srcs/app.py"),
    ("src/app.py", "lib/app.py"),
    ("Src", "src"),
    ("src/*.py", "src/app.ts"),
    ("src/*.py", "src/deep/app.py"),
    ("src/*.py", "lib"),
    ("src/api/*", "src/web/*"),
    ("*.md", "notes.txt"),
]


@pytest.mark.parametrize(("one", "other"), MEETING)
def test_these_paths_overlap_whoever_comes_first(one: str, other: str) -> None:
    assert touching(one).meets(touching(other))
    assert touching(other).meets(touching(one))
    assert touching(one).paths_in(touching(other)) == [one]
    assert touching(other).paths_in(touching(one)) == [other]


@pytest.mark.parametrize(("one", "other"), APART)
def test_these_paths_keep_apart(one: str, other: str) -> None:
    assert not touching(one).meets(touching(other))
    assert not touching(other).meets(touching(one))
    assert touching(one).paths_in(touching(other)) == []


def test_an_area_overlaps_with_the_same_area() -> None:
    billing = touching("a.py", areas=("billing", "api"))
    assert billing.meets(touching("b.py", areas=("billing",)))
    assert billing.areas_in(touching(areas=("billing", "web"))) == ["billing"]
    assert not billing.meets(touching("b.py", areas=("Billing",)))


def test_only_the_paths_that_meet_are_named() -> None:
    mine, theirs = touching("src/app.py", "docs"), touching("src/*.py", "lib/x.py", "docs/a.md")
    assert theirs.paths_in(mine) == ["src/*.py", "docs/a.md"]


@pytest.mark.parametrize(
    "path",
    ["/etc", "../up", "a/../b", "a//b", ".", "./a", "a\\b", "C:/a", "~/a", "a\0b", "cafe\u0301", "src/[a*", "*a*b*c*d"],
)
def test_a_path_that_an_intent_cannot_name_is_refused_by_its_field(path: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_paths(["src", path], "intent.paths")
    assert refused.value.data.field == "intent.paths[1]"


def test_folders_and_globs_with_up_to_three_stars_may_be_named() -> None:
    check_paths(["src/", "src/**", "src/**/__tests__/**/*.ts", "**/*.test.*", ".git", "packages/*/src/**/*/**"], "x")


def test_the_worst_glob_that_is_allowed_comes_to_an_end() -> None:
    """One star more, and matching it takes minutes."""
    assert not touching("*a*a*b/x").meets(touching("a" * 300))
