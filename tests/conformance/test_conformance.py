"""The official conformance suite against the gateway's transport.

Each revision has a baseline file that names, with the reason, what cannot apply to a server like ours.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.node_tools import MODULES, run_node
from tests.serving import serving_apart

SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The test server, in a process of its own."""
    with serving_apart("tests.conformance.server:app") as url:
        yield f"{url}/mcp"


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_every_applicable_scenario_of_the_revision_passes(
    node: Path, server: str, revision: str, tmp_path: Path
) -> None:
    """And nothing that the baseline excuses passes, so it never says too much."""
    baseline = Path(__file__).with_name(f"baseline-{revision}.yml")
    options = ["--url", server, "--requirements", revision, "--expected-failures", str(baseline)]
    suite = run_node(node, SUITE, "server", *options, cwd=tmp_path)
    assert suite.returncode == 0, suite.stdout[suite.stdout.find("=== SUMMARY") :] + suite.stderr
