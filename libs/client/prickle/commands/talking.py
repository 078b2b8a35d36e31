"""What makes an async function a command that talks to a hub: `--url`, `--token`, `--json`, refusals, printing."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import wraps
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar

import typer

from prickle.client import Hub
from prickle.commands.showing import Shows, print_answer
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

P = ParamSpec("P")
Line = TypeVar("Line", Hub, PeopleApi)
Act = Callable[Concatenate[Line, P], Awaitable[Any]]
Connects = Callable[[str, str], AbstractAsyncContextManager[Line]]


def asks_api(shows: Shows) -> Callable[[Act[PeopleApi, P]], Callable[..., None]]:
    """A command whose function gets the HTTP API first; what it returns is shown by `shows`, or as JSON."""
    return _command(PeopleApi.connect, shows)


def calls_hub(shows: Shows) -> Callable[[Act[Hub, P]], Callable[..., None]]:
    """A command whose function gets the hub's tools first; what it returns is shown by `shows`, or as JSON."""
    return _command(Hub.connect, shows)


def _command(connects: Connects[Line], shows: Shows) -> Callable[[Act[Line, P]], Callable[..., None]]:
    def make(act: Act[Line, P]) -> Callable[..., None]:
        @wraps(act)
        def command(*args: Any, url: str, token: str, as_json: bool, **kwargs: Any) -> None:
            async def talk() -> Any:
                async with connects(url, token) as line:
                    return await act(line, *args, **kwargs)

            print_answer(_answer_or_exit(talk), shows, as_json=as_json)

        _take_options(command, act)
        return command

    return make


def _answer_or_exit(talk: Callable[[], Any]) -> Any:
    """What the hub answers; a refusal is one sentence on standard error, and exit code 1."""
    try:
        return asyncio.run(talk())
    except HubError as error:
        typer.echo(error.message, err=True)
        raise typer.Exit(1) from None


def _take_options(command: Callable[..., None], act: Callable[..., Any]) -> None:
    """Give the command the parameters of its function, without the line, and the options that all commands share."""
    own = list(inspect.signature(act, eval_str=True).parameters.values())[1:]
    shared = [
        _option("url", Url, DEFAULT_URL),
        _option("token", Token, inspect.Parameter.empty),
        _option("as_json", AsJson, False),
    ]
    command.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in [*own, *shared]}


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
