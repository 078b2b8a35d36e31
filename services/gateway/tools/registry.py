"""Which function serves which tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from libs.contracts.base import View
from services.gateway.session import Session

Serves = Callable[[Any, Session], Awaitable[View | dict[str, Any]]]
Function = TypeVar("Function", bound=Serves)

FUNCTIONS: dict[str, Serves] = {}


def tool(function: Function) -> Function:
    """Let a function serve the tool of its name: it is given the checked arguments and answers a view."""
    FUNCTIONS[function.__name__] = function
    return function
