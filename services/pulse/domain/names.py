"""Canonical names of what agents share: paths, projects and the leases on them (R35)."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from libs.contracts.errors import InvalidInput
from libs.contracts.pulse import MemoryAgents
from libs.contracts.types import SLUG_PATTERN

LeaseKind = Literal["coordinator", "claim", "file"]
Rule = tuple[Callable[[str], bool], str]

REPOSITORY_ID = re.compile(r"[0-9a-f]{64}")
WILDCARDS = frozenset("*?[]{}")

PATH_RULES: list[Rule] = [
    (lambda path: not path.isprintable(), "Leave control and invisible characters out of the path."),
    (lambda path: not unicodedata.is_normalized("NFC", path), "Write the path in Unicode's composed form, NFC."),
    (lambda path: "\\" in path, "Separate the parts of the path with /."),
    (lambda path: bool(re.match(r"[/~]|[A-Za-z]:", path)), "Give the path relative to the repository."),
    (lambda path: ".." in path.split("/"), "Leave .. out of the path."),
    (lambda path: bool({"", "."} & {*path.removesuffix("/").split("/")}), "Leave . and empty parts out of the path."),
]
"""What is wrong with a path, and the sentence that says so."""
FILE_RULES: list[Rule] = [
    (lambda path: path.endswith("/"), "Name one file, without a trailing slash."),
    (lambda path: bool(WILDCARDS & {*path}), "Name one file, without the wildcards * ? [ ] { }."),
    (lambda path: ".git" in path.casefold().split("/"), "Leave .git alone."),
    (lambda path: any(part != part.strip() for part in path.split("/")), "Begin and end no part with a space."),
]
"""What is wrong with the name of one file, too."""


@dataclass(frozen=True)
class LeaseName:
    """What a lease is on, in its only spelling."""

    kind: LeaseKind
    path: str
    """The project of a coordinator."""
    repository_id: str | None
    field: str
    """The argument that names it."""

    @property
    def text(self) -> str:
        """The name that no other lease on the board has."""
        return ":".join(part for part in (self.kind, self.repository_id, self.path) if part)

    def lease_id(self, team: str) -> str:
        """What it is kept by: names are longer than an index takes."""
        return _digest(team, self.text)

    def folded_id(self, team: str) -> str:
        """The same for every spelling that differs in case alone."""
        return _digest(team, unicodedata.normalize("NFC", self.text.casefold()))


def _digest(team: str, name: str) -> str:
    return hashlib.sha256(f"{team} {name}".encode()).hexdigest()


def selected(command: MemoryAgents) -> LeaseName:
    """The lease that a claim or release names by exactly one selector, or what is wrong with it."""
    if command.worktree is not None:
        hint = "Send repository_id and path instead."
        raise InvalidInput("Leave out worktree: it is for a local helper.", field="worktree", hint=hint)
    if command.lease is not None:
        _refuse_second(command)
        return lease_named(command.lease, "lease")
    if command.repository_id is None and command.path is None:
        raise InvalidInput("Name what it is about: lease, or repository_id with path.", field="lease")
    return _file(command)


def _refuse_second(command: MemoryAgents) -> None:
    for field in ("repository_id", "path"):
        if getattr(command, field) is not None:
            raise InvalidInput("Name either lease, or repository_id with path.", field=field)


def _file(command: MemoryAgents) -> LeaseName:
    if command.repository_id is None:
        raise InvalidInput("Give repository_id with path.", field="repository_id")
    if command.path is None:
        raise InvalidInput("Give path with repository_id.", field="path")
    if not REPOSITORY_ID.fullmatch(command.repository_id):
        raise InvalidInput("Give repository_id as 64 lowercase hexadecimal digits.", field="repository_id")
    check_path(command.path, "path", PATH_RULES + FILE_RULES)
    return LeaseName("file", command.path, command.repository_id, "path")


def lease_named(text: str, field: str) -> LeaseName:
    """The lease of a name that agents write, coordinator:<project> or claim:<path>."""
    kind, _, path = text.partition(":")
    if kind == "claim":
        check_path(path, field, PATH_RULES + FILE_RULES)
        return LeaseName("claim", path, None, field)
    if kind == "coordinator" and len(path) <= 39 and re.fullmatch(SLUG_PATTERN, path):
        return LeaseName("coordinator", path, None, field)
    raise InvalidInput("Write the lease as coordinator:<project> or claim:<path>.", field=field)


def check_path(path: str, field: str, rules: list[Rule]) -> None:
    """Refuse a path that breaks a rule."""
    for is_broken, sentence in rules:
        if is_broken(path):
            raise InvalidInput(sentence, field=field)
