"""What the loop of a service makes of errors that nobody waits for."""

import asyncio
import gc
import socket
from collections.abc import Iterator

import pytest
import structlog
import uvloop

from libs.runtime.serving import note_what_nobody_awaits


async def abandon(error: Exception) -> None:
    """Let a future fail that nobody reads."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(note_what_nobody_awaits)
    loop.create_future().set_exception(error)
    gc.collect()


@pytest.fixture
def logged() -> Iterator[list[structlog.typing.EventDict]]:
    with structlog.testing.capture_logs() as events:
        yield events


def test_a_host_that_is_not_found_after_all_is_a_line_without_a_traceback(
    logged: list[structlog.typing.EventDict], caplog: pytest.LogCaptureFixture
) -> None:
    uvloop.run(abandon(socket.gaierror(-3, "Temporary failure in name resolution")))
    assert [(line["event"], line["error"]) for line in logged] == [("not connected", "gaierror")]
    assert caplog.records == []


def test_a_mistake_that_nobody_waits_for_is_still_an_error(
    logged: list[structlog.typing.EventDict], caplog: pytest.LogCaptureFixture
) -> None:
    uvloop.run(abandon(ValueError("a mistake")))
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert logged == []
