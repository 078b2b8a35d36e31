"""What a credential may call, and what it narrows a call to (Who may call what)."""

from __future__ import annotations

from typing import Any, TypeVar

from libs.contracts.base import Data
from libs.contracts.caller import Caller
from libs.contracts.errors import Forbidden, NotFound
from libs.contracts.pulse import MemoryAgents
from libs.contracts.tools import TOOLS, Tool
from libs.contracts.tools.rights import may_call

Said = TypeVar("Said", bound=Data)

_listings: dict[tuple[str, bool], list[dict[str, Any]]] = {}


def listing(caller: Caller) -> list[dict[str, Any]]:
    """The tools that a caller may call, as `tools/list` shows them; made once per kind of caller."""
    kind = (caller.kind, caller.run is not None and caller.run.discussion_id is not None)
    if kind not in _listings:
        _listings[kind] = [tool.listed() for tool in TOOLS.values() if may_call(tool.name, caller)]
    return _listings[kind]


def check_right(tool: Tool, caller: Caller) -> None:
    """Raise `Forbidden` for an existing tool that the credential may not call."""
    if not may_call(tool.name, caller):
        raise Forbidden("Call only the tools that tools/list shows: this credential may not call this one.")


def narrowed(said: Said, caller: Caller) -> Said:
    """The arguments within the one project of the credential; another project is not found.

    On the board a project is a word that ranks, and no scope.
    """
    if caller.project is None or "project" not in type(said).model_fields or isinstance(said, MemoryAgents):
        return said
    project = getattr(said, "project", None)
    if project is None:
        return said.model_copy(update={"project": caller.project})
    if project != caller.project:
        raise NotFound("Name the project that this credential is for, or leave it out.", field="project")
    return said
