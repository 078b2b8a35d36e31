"""What a process writes to its log."""

import json
import subprocess
import sys
from functools import cache

TOKEN = "prk_client_" + "k3Yq" * 10

EVENTS = f"""
import logging, structlog
from libs.runtime.logs import start_logging

start_logging("rooms", "debug", FORMAT)
log = structlog.get_logger()

def crash():
    local = "a value that a call carried"
    raise ValueError("{TOKEN} in a text")

with structlog.contextvars.bound_contextvars(command="cmd_1", caller="maya/codex"):
    log.debug("asked", authorization={{"header": ["Bearer {TOKEN}"]}})
    try:
        crash()
    except ValueError:
        log.exception("handler crashed")
log.info("started")
logging.getLogger("sqlalchemy.engine").info("parameters")
logging.getLogger("uvicorn.error").warning("took long for {TOKEN}")
"""


@cache
def written(fmt: str) -> str:
    """What a process of its own logs of these events."""
    script = EVENTS.replace("FORMAT", repr(fmt))
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout == ""
    return ended.stderr


def test_each_line_is_json_with_service_caller_and_command() -> None:
    lines = [json.loads(line) for line in written("json").splitlines()]
    assert [line["event"] for line in lines] == ["asked", "handler crashed", "started", "took long for prk_…"]
    assert {line["service"] for line in lines} == {"rooms"}
    assert [(line["caller"], line["command"]) for line in lines] == [("maya/codex", "cmd_1")] * 2 + [(None, None)] * 2


def test_a_traceback_tells_the_place_and_no_values() -> None:
    for fmt in ("json", "console"):
        text = written(fmt)
        assert "in crash" in text
        assert "a value that a call carried" not in text.replace('local = "a value that a call carried"', "")


def test_no_token_is_written_wherever_it_stands() -> None:
    for fmt in ("json", "console"):
        assert TOKEN not in written(fmt)
        assert written(fmt).count("prk_…") == 3


def test_libraries_are_silent_below_a_warning_even_at_debug() -> None:
    assert "parameters" not in written("json")
