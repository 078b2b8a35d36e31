"""What the bench prints: a Markdown table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One thing that was measured."""

    name: str
    value: str
    target: str = ""
    met: bool | None = None
    """Whether the target is met; None when there is none."""


def table(figures: Iterable[Figure]) -> str:
    """The figures as a Markdown table."""
    head = ["| measured | figure | target |", "|---|---|---|"]
    return "\n".join(head + [f"| {figure.name} | {figure.value} | {_verdict(figure)} |" for figure in figures])


def _verdict(figure: Figure) -> str:
    if figure.met is None:
        return figure.target
    return f"{figure.target}: {'met' if figure.met else '**missed**'}"
