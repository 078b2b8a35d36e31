"""How answers are printed: as JSON, as CSV, or readable for people."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import typer
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

Justify = Literal["left", "right"]
Shows = Callable[[Any], RenderableType]
UNKNOWN = "–"
LONGEST_LINE = 80


def print_answer(answer: Any, shows: Shows, *, as_json: bool) -> None:
    """Print what a hub answered; an answer without content prints nothing as JSON."""
    if not as_json:
        Console(soft_wrap=True, highlight=False).print(shows(answer))
    elif answer is not None:
        typer.echo(json.dumps(answer, indent=2, ensure_ascii=False))


def print_line(thing: Any, shows: Shows, *, as_json: bool) -> None:
    """Print one of many things that come one after the other."""
    if as_json:
        typer.echo(json.dumps(thing, ensure_ascii=False))
    else:
        Console(soft_wrap=True, highlight=False).print(shows(thing))


def print_csv(things: Iterable[Mapping[str, Any]], fields: Sequence[str]) -> None:
    """Print some fields of things for spreadsheets and scripts: what is unknown is empty."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(fields)
    writer.writerows([_plain(thing[field]) for field in fields] for thing in things)


def _plain(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


@dataclass(frozen=True)
class Column:
    """A column of a table: a field of things, its title and how its values are written; unknown ones as a dash."""

    field: str
    title: str
    written: Callable[[Any], str] = str
    justify: Justify = "left"


def columns(*chosen: Column) -> Shows:
    """A list of things as a table with columns of one's own choice."""

    def shows(things: Any) -> RenderableType:
        cells = [[_cell(_written(column, thing[column.field])) for column in chosen] for thing in things]
        return _table([(column.title, column.justify) for column in chosen], cells)

    return shows


def _written(column: Column, value: Any) -> str:
    return UNKNOWN if value is None else column.written(value)


def _table(heads: Sequence[tuple[str, Justify]], cells: Sequence[Sequence[Text]]) -> Table:
    """A table that may be wider than the terminal: words wrap, and none is cut, as one may have to copy it."""
    table = Table(box=None, pad_edge=False)
    for place, (title, justify) in enumerate(heads):
        words = [title, *(word for line in cells for word in line[place].plain.split())]
        table.add_column(title, justify=justify, min_width=max(map(cell_len, words)))
    for line in cells:
        table.add_row(*line)
    return table


def rows(*columns: str) -> Shows:
    """A list of things as a table of some of their fields; a dot leads to a field of a field."""

    def shows(things: Any) -> RenderableType:
        cells = [[_cell(_field(thing, column)) for column in columns] for thing in things]
        return _table([(column.rpartition(".")[2], "left") for column in columns], cells)

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
    return text(json.dumps(answer, indent=2, ensure_ascii=False))


def text(value: Any) -> Text:
    """What others wrote, in lines of its own."""
    return _cell(value, keep="\n")


def moment(time: str) -> str:
    """A time in UTC as people read it, to the minute."""
    return time[:16].replace("T", " ")


def one_line(value: str) -> str:
    """The beginning of a text, in one line."""
    words = " ".join(value.split())
    return words if len(words) <= LONGEST_LINE else words[: LONGEST_LINE - 1] + "…"


def _field(thing: Mapping[str, Any], path: str) -> Any:
    value: Any = thing
    for name in path.split("."):
        value = value[name]
    return value


def _cell(value: Any, keep: str = "") -> Text:
    """Text of others on a terminal: no markup, no control characters."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    return Text("".join(sign if sign.isprintable() or sign in keep else "\N{REPLACEMENT CHARACTER}" for sign in text))
