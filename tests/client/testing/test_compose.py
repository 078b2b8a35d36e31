"""`PrickleCompose`: what it asks of Docker Compose, on a stand-in for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from prickle.testing import CannotStart, PrickleCompose

DOCKER_COMPOSE = """#!/bin/sh
echo "$PRICKLE_IMAGE $*" >> "$CALLED"
case "$*" in
  *down*) ;;
  *port*) echo "$GATEWAY" ;;
  *) [ -z "$COMPLAINT" ] || { echo "$COMPLAINT" >&2; exit 1; } ;;
esac
"""
CREATE = '#!/bin/sh\necho prk_operator_x > "$(dirname "$0")/operator.token"\n'


class ReadyHub(BaseHTTPRequestHandler):
    """A hub that is ready."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/readyz" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(autouse=True)
def called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `docker-compose` as the only Compose here; the file with what it was called with."""
    program(tmp_path / "bin" / "docker-compose", DOCKER_COMPOSE)
    program(tmp_path / "deploy" / "secrets" / "create", CREATE)
    for name in ("echo", "dirname", "sh"):
        (tmp_path / "bin" / name).symlink_to(Path("/bin") / name)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("CALLED", str(tmp_path / "called"))
    return tmp_path / "called"


@pytest.fixture
def gateway(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where a ready hub answers."""
    with HTTPServer(("127.0.0.1", 0), ReadyHub) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"127.0.0.1:{server.server_port}"
        monkeypatch.setenv("GATEWAY", address)
        yield address
        server.shutdown()


def program(path: Path, text: str) -> None:
    """Write something that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def test_it_starts_the_checkout_as_a_project_of_its_own_and_removes_it(
    tmp_path: Path, called: Path, gateway: str
) -> None:
    with PrickleCompose(tmp_path, environment={"PRICKLE_IMAGE": "mine"}) as hub:
        assert hub.url == f"http://{gateway}/mcp"
        assert hub.operator_token == "prk_operator_x"
        name = hub.project_name
    assert called.read_text().splitlines() == [
        f"mine --project-name {name} up --detach --no-build",
        f"mine --project-name {name} port gateway 8400",
        f"mine --project-name {name} down --volumes --timeout 2",
    ]
    assert PrickleCompose(tmp_path).project_name != name


def test_it_builds_when_told_to(tmp_path: Path, called: Path, gateway: str) -> None:
    with PrickleCompose(tmp_path, build=True):
        assert called.read_text().splitlines()[0].endswith("up --detach --build")


def test_what_compose_complains_of_is_told_in_one_sentence_and_the_rest_is_removed(
    tmp_path: Path, called: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPLAINT", "no such image")
    with pytest.raises(CannotStart, match=r"^Mend what .* up --detach --no-build complains of: no such image$"):
        PrickleCompose(tmp_path).__enter__()
    assert "down --volumes" in called.read_text()


def test_without_compose_one_sentence_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin" / "docker-compose").unlink()
    with pytest.raises(CannotStart, match=r"^Install Docker Compose: "):
        PrickleCompose(tmp_path).start()


def test_a_directory_that_is_no_checkout_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match=r"^Name a checkout of the hub"):
        PrickleCompose(tmp_path / "elsewhere").start()
