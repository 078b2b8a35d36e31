"""The parts of the client that need no hub."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer
from prickle import HubError
from prickle.access import api_url, bearer, mcp_url
from prickle.cli import build
from prickle.commands.call import parse
from prickle.commands.showing import Column, Shows, columns, rows
from rich.console import Console


@pytest.mark.parametrize("end", ["", "/", "/mcp", "/mcp/", "/api/v1", "/api/v1/"])
def test_any_url_of_a_hub_leads_to_both_of_its_doors(end: str) -> None:
    assert mcp_url(f"https://hub.example/prickle{end}") == "https://hub.example/prickle/mcp"
    assert api_url(f"https://hub.example/prickle{end}") == "https://hub.example/prickle/api/v1"


def test_a_url_without_its_scheme_is_refused() -> None:
    with pytest.raises(HubError, match="http://"):
        mcp_url("hub.example")


@pytest.mark.parametrize("token", ["", "prk_client_a b", "prk_client_a\n", "prk_client_ä"])
def test_what_cannot_be_a_token_is_refused_unquoted(token: str) -> None:
    with pytest.raises(HubError) as refused:
        bearer(token)
    assert "prk_" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("k=5", 5),
        ('k="5"', "5"),
        ("k=plain words", "plain words"),
        ("k=a=b", "a=b"),
        ('k=["a", {"b": null}]', ["a", {"b": None}]),
        ("k=", ""),
    ],
)
def test_an_argument_is_json_where_it_can_be_and_text_otherwise(text: str, value: Any) -> None:
    assert parse(text) == ("k", value)


@pytest.mark.parametrize("text", ["k", "=v", ""])
def test_an_argument_without_a_name_or_value_is_wrong_usage(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        parse(text)


def test_what_others_wrote_does_not_control_the_terminal() -> None:
    """No markup, no escape sequences, no line breaks in a cell."""
    console = Console(width=80)
    with console.capture() as captured:
        console.print(rows("name")([{"name": "[red]bold\x1b[31m\nnext\x07"}]))
    assert "[red]bold�[31m�next�" in captured.get()


@pytest.mark.parametrize("shows", [rows("key_id", "about"), columns(Column("key_id", "id"), Column("about", "about"))])
def test_a_narrow_terminal_cuts_no_id(shows: Shows) -> None:
    """Words wrap; an id stays whole, as the next command needs it."""
    key_id = f"key_{'0' * 32}"
    console = Console(width=40)
    with console.capture() as captured:
        console.print(shows([{"key_id": key_id, "about": "one two three four"}]), soft_wrap=True)
    assert key_id in captured.get()
    assert "…" not in captured.get()


def arguments_of(command: Any) -> Iterator[Any]:
    """The arguments of a command and of all below it."""
    yield from (given for given in command.params if given.param_type_name == "argument")
    for below in getattr(command, "commands", {}).values():
        yield from arguments_of(below)


def test_what_one_puts_in_for_an_argument_is_written_in_capitals() -> None:
    """As in the README, so that it is told from what one types as it stands."""
    arguments = list(arguments_of(typer.main.get_command(build())))
    assert arguments
    assert [given.name for given in arguments if not (given.metavar and given.metavar.isupper())] == []
