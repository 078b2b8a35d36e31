"""What makes an async function a command that talks to a hub: `--url`, `--token`, `--json`, refusals, printing."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from functools import wraps
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar

import typer

from prickle.client import Hub
from prickle.commands.showing import Shows, print_answer, print_csv, print_line
from prickle.errors import HubError
from prickle.people import PeopleApi

DEFAULT_URL = "http://127.0.0.1:8400"

Url = Annotated[str, typer.Option(envvar="PRICKLE_URL", help="Where the hub is; any of its URLs.")]
Token = Annotated[
    str,
    typer.Option(
        envvar="PRICKLE_TOKEN",
        show_default=False,
        help="Whose call it is. Better put it into the variable: other users can see a command's arguments.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]

P = ParamSpec("P")
Line = TypeVar("Line", Hub, PeopleApi)
Act = Callable[Concatenate[Line, P], Awaitable[Any]]
Follows = Callable[Concatenate[PeopleApi, P], AsyncIterator[Any]]
Connects = Callable[[str, str], AbstractAsyncContextManager[Line]]


def asks_api(shows: Shows, csv: Sequence[str] = ()) -> Callable[[Act[PeopleApi, P]], Callable[..., None]]:
    """A command whose function gets the HTTP API first; what it returns is shown by `shows`, or as JSON.

    A function that takes `as_json` is told which it will be.
    A list of things may also be printed as CSV when `csv` names their fields.
    """
    return _command(PeopleApi.connect, shows, csv)


def calls_hub(shows: Shows) -> Callable[[Act[Hub, P]], Callable[..., None]]:
    """A command whose function gets the hub's tools first; what it returns is shown by `shows`, or as JSON."""
    return _command(Hub.connect, shows)


def follows_api(shows: Shows) -> Callable[[Follows[P]], Callable[..., None]]:
    """A command that prints each thing as it comes, shown by `shows` or as a line of JSON; Ctrl-C ends it well."""

    def make(act: Follows[P]) -> Callable[..., None]:
        @wraps(act)
        def command(*args: Any, url: str, token: str, as_json: bool, **kwargs: Any) -> None:
            async def follow() -> None:
                async with PeopleApi.connect(url, token) as api:
                    async for thing in act(api, *args, **kwargs):
                        print_line(thing, shows, as_json=as_json)

            with suppress(KeyboardInterrupt):
                _answer_or_exit(follow)

        _take_options(command, act, takes_csv=False)
        return command

    return make


def _command(
    connects: Connects[Line], shows: Shows, csv: Sequence[str] = ()
) -> Callable[[Act[Line, P]], Callable[..., None]]:
    def make(act: Act[Line, P]) -> Callable[..., None]:
        takes_json = "as_json" in inspect.signature(act).parameters

        @wraps(act)
        def command(*args: Any, url: str, token: str, as_json: bool, as_csv: bool = False, **kwargs: Any) -> None:
            if as_json and as_csv:
                raise typer.BadParameter("choose --json or --csv")

            if takes_json:
                kwargs["as_json"] = as_json

            async def talk() -> Any:
                async with connects(url, token) as line:
                    return await act(line, *args, **kwargs)

            answer = _answer_or_exit(talk)
            if as_csv:
                print_csv(answer, csv)
            else:
                print_answer(answer, shows, as_json=as_json)

        _take_options(command, act, takes_csv=bool(csv))
        return command

    return make


def _answer_or_exit(talk: Callable[[], Any]) -> Any:
    """What the hub answers; a refusal is one sentence on standard error, and exit code 1."""
    try:
        return asyncio.run(talk())
    except HubError as error:
        typer.echo(error.message, err=True)
        raise typer.Exit(1) from None


def _take_options(command: Callable[..., None], act: Callable[..., Any], *, takes_csv: bool) -> None:
    """Give the command the parameters of its function, without the line, and the options that all commands share."""
    own = [one for one in inspect.signature(act, eval_str=True).parameters.values() if one.name != "as_json"][1:]
    shared = [
        _option("url", Url, DEFAULT_URL),
        _option("token", Token, inspect.Parameter.empty),
        _option("as_json", AsJson, False),
        *([_option("as_csv", AsCsv, False)] if takes_csv else []),
    ]
    command.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in [*own, *shared]}


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
