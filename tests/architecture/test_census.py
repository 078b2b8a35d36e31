"""What the tree promises: one handler per command, one function per tool, true docstrings, small files."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

from libs.bus.handlers import BATCH_HANDLERS, CONSUMERS, HANDLERS
from libs.contracts.base import Command, Event
from libs.contracts.dead_letters import ListDeadLetters, ReplayEvent
from libs.contracts.tools import TOOLS
from services.gateway.app import WAITS
from services.gateway.tools import FUNCTIONS
from tests.contracts.growth import kinds

ROOT = Path(__file__).parents[2]
SERVICES = {
    "rooms": "services.rooms",
    "tasks": "services.tasks",
    "pulse": "services.pulse",
    "runs": "services.runs",
    "directory": "services.gateway.directory",
}
FOLDERS = ("services", "libs", "tests")
SOURCES = sorted(
    path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if "node_modules" not in path.parts
)
OF_THE_BUS = (ListDeadLetters, ReplayEvent)
"""What the bus answers for every service that is asked over it."""
LINES = 300
HARD_STOP_LINES = 400
FUNCTION_LINES = 30

for package in SERVICES.values():
    importlib.import_module(f"{package}.handlers")


COMMANDS = [kind for kind in kinds(Command) if hasattr(kind, "service") and not issubclass(kind, OF_THE_BUS)]
EVENTS = list(kinds(Event))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda kind: kind.__name__)
def test_every_command_has_one_handler_in_its_service(command: type[Command]) -> None:
    handlers = [table[command] for table in (HANDLERS, BATCH_HANDLERS) if command in table]
    assert len(handlers) == 1
    assert handlers[0].__module__.startswith(f"{SERVICES[command.service]}.handlers")


@pytest.mark.parametrize("command", OF_THE_BUS, ids=lambda kind: kind.__name__)
def test_every_service_on_the_bus_answers_what_the_bus_answers(command: type[Command]) -> None:
    own = [kind for kind in kinds(command) if kind in HANDLERS and kind.service in SERVICES]
    assert {kind.service for kind in own} == {service for service in SERVICES if service != "directory"}
    assert {HANDLERS[kind].__module__ for kind in own} == {"libs.bus.dead_letters"}


def test_every_tool_has_one_function_and_every_function_a_tool() -> None:
    assert set(FUNCTIONS) == set(TOOLS)


def test_the_waits_are_tools() -> None:
    assert set(WAITS) <= set(TOOLS)


@pytest.mark.parametrize("service", SERVICES)
def test_a_docstring_lists_what_its_service_answers_follows_and_announces(service: str) -> None:
    said = importlib.import_module(SERVICES[service]).__doc__ or ""
    assert listed(said, "Answers") == {kind.__name__ for kind in COMMANDS if kind.service == service}
    assert listed(said, "Follows") == {kind.__name__ for kind in CONSUMERS[service]}
    assert listed(said, "Announces") == {kind.__name__ for kind in EVENTS if kind.source == service}


def listed(docstring: str, title: str) -> set[str]:
    """The names in one section of a service's docstring."""
    section = re.search(rf"^{title}: (.*?)(?=^[A-Z][a-z ]+: |\Z)", docstring, re.MULTILINE | re.DOTALL)
    assert section is not None
    return set(re.findall(r"\b[A-Z][A-Za-z]+\b", section[1]))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") <= (LINES if "tests" not in path.parts else HARD_STOP_LINES)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            assert node.end_lineno - node.lineno < FUNCTION_LINES, node.name
    assert path.name not in ("helpers.py", "utils.py", "util.py", "common.py")
