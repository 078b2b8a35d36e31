"""Apps behind a real uvicorn on a free port of this machine: in the tests' own loop, or in a process apart."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

ROOT = Path(__file__).parent.parent


class QuietServer(uvicorn.Server):
    """A server that leaves the signals to pytest."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving(app: ASGIApp) -> AsyncIterator[str]:
    """Serve an app in the running loop; gives its base URL."""
    with _listener() as listener:
        config = uvicorn.Config(app, http="httptools", log_level="warning", timeout_graceful_shutdown=1)
        server = QuietServer(config)
        running = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield _url(listener)
        finally:
            server.should_exit = True
            await running


@contextmanager
def serving_apart(target: str) -> Iterator[str]:
    """Serve `module:app` in another process; gives its base URL. Early connections wait for it in the backlog."""
    with _listener() as listener:
        command = [sys.executable, "-m", "uvicorn", target, "--http", "httptools", "--loop", "uvloop"]
        listen = ["--fd", str(listener.fileno()), "--no-access-log", "--log-level", "warning"]
        process = subprocess.Popen([*command, *listen], cwd=ROOT, pass_fds=[listener.fileno()])
        try:
            yield _url(listener)
        finally:
            process.terminate()
            process.wait(timeout=10)


def _listener() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


def _url(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}"
