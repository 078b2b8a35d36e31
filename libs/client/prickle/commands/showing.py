"""How answers are printed: as JSON, or readable for people."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import typer
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

Shows = Callable[[Any], RenderableType]


def print_answer(answer: Any, shows: Shows, *, as_json: bool) -> None:
    """Print what a hub answered; an answer without content prints nothing as JSON."""
    if not as_json:
        Console(soft_wrap=True, highlight=False).print(shows(answer))
    elif answer is not None:
        typer.echo(json.dumps(answer, indent=2, ensure_ascii=False))


def rows(*columns: str) -> Shows:
    """A list of things as a table of some of their fields; a dot leads to a field of a field."""

    def shows(things: Any) -> RenderableType:
        table = Table(*(column.rpartition(".")[2] for column in columns), box=None, pad_edge=False)
        for thing in things:
            table.add_row(*(_cell(_field(thing, column)) for column in columns))
        return table

    return shows


def fields(*names: str) -> Shows:
    """Some fields of one thing, a line each."""

    def shows(thing: Any) -> RenderableType:
        table = Table.grid(padding=(0, 2))
        for name in names:
            table.add_row(name.rpartition(".")[2], _cell(_field(thing, name)))
        return table

    return shows


def sentence(text: str) -> Shows:
    """A sentence, whatever the answer is."""
    return lambda answer: Text(text)


def new_token(issued: Mapping[str, Any]) -> RenderableType:
    """A token that will not be shown again."""
    note = f"Keep this token now, it is not shown again. It is {issued['kind']} key {issued['key_id']}"
    end = f" and ends at {issued['expires_at']}." if issued["expires_at"] else "."
    return Text.assemble(_cell(issued["token"]), "\n", note, end)


def indented_json(answer: Any) -> RenderableType:
    """Anything, as indented JSON."""
    return _cell(json.dumps(answer, indent=2, ensure_ascii=False), keep="\n")


def _field(thing: Mapping[str, Any], path: str) -> Any:
    value: Any = thing
    for name in path.split("."):
        value = value[name]
    return value


def _cell(value: Any, keep: str = "") -> Text:
    """Text of others on a terminal: no markup, no control characters."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    return Text("".join(sign if sign.isprintable() or sign in keep else "\N{REPLACEMENT CHARACTER}" for sign in text))
