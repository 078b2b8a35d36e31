"""Alive is not ready: what a process says about itself while it starts, runs, lacks something and stops."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from libs.runtime.migrating import migrated
from libs.runtime.settings import load_settings
from libs.runtime.valkey import EmbeddedValkey, free_port
from tests.databases import started_cluster
from tests.process_tree import wait_for
from tests.runtime.probed import check, probed

STARTING, STOPPING = "it is starting", "it is stopping"
REDIS_AWAY = "Redis does not answer"
DATABASE_AWAY = "the database does not answer"
BOTH_KINDS = pytest.mark.parametrize("service", ["gateway", "runs"])


@pytest.fixture
def own_valkey(tmp_path: Path) -> Iterator[EmbeddedValkey]:
    """A Valkey server that is not started yet."""
    server = EmbeddedValkey(tmp_path / "valkey", free_port())
    yield server
    server.stop()


@BOTH_KINDS
def test_a_process_is_alive_before_it_finds_redis_and_ready_once_it_has(
    service: str, own_valkey: EmbeddedValkey, tmp_path: Path
) -> None:
    """And no longer ready while Redis is away, but alive."""
    with probed(service, tmp_path, own_valkey.url) as process:
        wait_for(lambda: process.alive, seconds=40)
        assert process.because == [STARTING]
        own_valkey.start()
        process.until_because()
        own_valkey.kill()
        process.until_because(REDIS_AWAY)
        assert process.alive
        own_valkey.start()
        process.until_because()


@BOTH_KINDS
def test_a_process_that_waits_for_redis_stops_when_it_is_told_to(service: str, tmp_path: Path) -> None:
    with probed(service, tmp_path, f"redis://127.0.0.1:{free_port()}/0") as process:
        wait_for(lambda: process.alive, seconds=40)
        process.process.terminate()
        assert process.process.wait(10) is not None


@BOTH_KINDS
def test_a_process_whose_database_stops_is_alive_and_not_ready_until_it_is_back(
    service: str, own_valkey: EmbeddedValkey, tmp_path: Path
) -> None:
    """It waits for its database as it starts, too."""
    own_valkey.start()
    for cluster in started_cluster():
        database = cluster.url("postgres")
        list(migrated([service], load_settings(database_url=database)))
        cluster.stop()
        with probed(service, tmp_path, own_valkey.url, PRICKLE_DATABASE_URL=database) as process:
            wait_for(lambda process=process: process.alive, seconds=40)
            assert process.because == [STARTING]
            cluster.start()
            process.until_because()
            cluster.stop()
            process.until_because(DATABASE_AWAY)
            assert process.alive
            cluster.start()
            process.until_because()


def test_a_process_that_finishes_what_it_began_is_alive_and_not_ready(
    own_valkey: EmbeddedValkey, tmp_path: Path
) -> None:
    """It cannot end while Redis is silent."""
    own_valkey.start()
    with probed("runs", tmp_path, own_valkey.url) as process:
        process.until_because()
        with paused(own_valkey):
            process.process.terminate()
            process.until_because(STOPPING)
            assert process.alive
        assert process.process.wait(10) == 0


@contextmanager
def paused(server: EmbeddedValkey) -> Iterator[None]:
    """Let a server be silent without ending it."""
    assert server.process is not None
    server.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.process.send_signal(signal.SIGCONT)


def test_the_container_check_ends_with_a_code_and_a_sentence(own_valkey: EmbeddedValkey, tmp_path: Path) -> None:
    with probed("runs", tmp_path, own_valkey.url) as process:
        wait_for(lambda: process.alive, seconds=40)
        assert process.check("--alive") == (0, "")
        assert process.check() == (1, "prickle: the service is not ready: it is starting\n")
        own_valkey.start()
        process.until_because()
        assert process.check() == (0, "")
    assert process.check() == (1, f"prickle: nothing answers health checks on port {process.health_port}\n")


@pytest.mark.parametrize("port", ["", "0", "many"])
def test_the_container_check_asks_for_a_port(port: str) -> None:
    assert check(port) == (1, "prickle: set PRICKLE_HEALTH_PORT to the port on which the service answers\n")


def test_the_container_check_imports_nothing_heavy() -> None:
    loaded = "import sys, libs.runtime.health; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pydantic", "faststream", "sqlalchemy", "starlette", "redis", "structlog"} & set(modules)


def test_the_gateway_answers_on_its_public_port_too_but_tells_no_metrics_there(
    own_valkey: EmbeddedValkey, tmp_path: Path
) -> None:
    own_valkey.start()
    with probed("gateway", tmp_path, own_valkey.url) as process:
        process.until_because()
        public = f"http://127.0.0.1:{process.port}"
        assert httpx.get(f"{public}/readyz").json() == {"status": "ready"}
        assert httpx.get(f"{public}/healthz").json() == {"status": "alive"}
        assert httpx.get(f"{public}/metrics").status_code == 404
        metrics = process.ask("/metrics")
        assert metrics is not None
        assert "process_resident_memory_bytes" in metrics.text
        assert "prickle_gateway_open_waits 0.0" in metrics.text
