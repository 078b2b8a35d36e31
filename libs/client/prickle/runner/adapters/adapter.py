"""What the runner must know of an agent's client: how to launch it and how to read the numbers it prints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from prickle.runner.failures import Step

LARGEST_COUNT = 2**31 - 1
LONGEST_LINE = 8 * 1024 * 1024
TAIL = 8 * 1024

Event = dict[str, Any]
Signs = Sequence[tuple[str, Step]]
"""Patterns of error texts, without regard to case, and what each means; the first that is found counts."""


@dataclass(frozen=True)
class Used:
    """What a run used, as its client says; None is unknown."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    turns: int | None = None


@dataclass(frozen=True)
class Reading:
    """What could be read from a client's output."""

    used: Used = field(default_factory=Used)
    step: Step | None = None
    """Why the run failed, when the client says that it did."""


@dataclass(frozen=True)
class Output:
    """What a client printed, in files that nobody else reads."""

    stdout: Path
    stderr: Path
    failed: bool
    """Whether its exit code says that it failed."""

    def events(self) -> Iterator[Event]:
        """The JSON objects it printed: one a line, or one in all; whatever is broken or no JSON is left out."""
        found = False
        with self.stdout.open("rb") as file:
            while line := file.readline(LONGEST_LINE):
                for event in _objects(line):
                    found = True
                    yield event
        if not found and self.stdout.stat().st_size <= LONGEST_LINE:
            yield from _objects(self.stdout.read_bytes())

    @property
    def tail(self) -> str:
        """The end of what it printed on both streams, to look for signs in."""
        return "\n".join(_end(path) for path in (self.stdout, self.stderr))


@dataclass(frozen=True)
class Adapter:
    """One client. In `command`, `{mcp_config}`, `{prompt_file}` and `{mcp_url}` stand for what they say."""

    name: str
    command: tuple[str, ...]
    mcp_format: str
    """The format of the configuration that is written for it, of `prickle.runner.mcp_config`."""
    read: Callable[[Output], Reading]
    prompt: Literal["stdin", "file"] = "stdin"
    not_found: Step = "cli_not_found"


def count(value: Any) -> int | None:
    """A number that a report may carry; anything else is unknown."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value // 1:
        return None
    return int(value) if 0 <= value <= LARGEST_COUNT else None


def sum_of(*values: Any) -> int | None:
    """The sum of the numbers that are known; unknown when the first is."""
    first, *others = (count(value) for value in values)
    return None if first is None else count(first + sum(other or 0 for other in others))


def sign(text: Any, signs: Signs, otherwise: Step | None = None) -> Step | None:
    """What an error text means."""
    said = text if isinstance(text, str) else ""
    return next((step for pattern, step in signs if re.search(pattern, said, re.IGNORECASE)), otherwise)


def mapping(value: Any) -> Mapping[str, Any]:
    """An object of the output, or nothing where there is none."""
    return value if isinstance(value, dict) else {}


def _objects(text: bytes) -> Iterator[Event]:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from (thing for thing in (said if isinstance(said, list) else [said]) if isinstance(thing, dict))


def _end(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL))
        return file.read().decode("utf-8", "replace")
