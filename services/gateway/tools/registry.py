"""Which function serves which tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from libs.contracts.base import Data, View
from services.gateway.session import Session

Said = TypeVar("Said", bound=Data)
Serves = Callable[[Said, Session], Awaitable[View | dict[str, Any]]]

FUNCTIONS: dict[str, Callable[[Any, Session], Awaitable[View | dict[str, Any]]]] = {}


def tool(function: Serves[Said]) -> Serves[Said]:
    """Let a function serve the tool of its name: it is given the checked arguments and answers a view."""
    FUNCTIONS[function.__name__] = function
    return function
