"""What a hub adds to the command line beside `up`."""

import os
import subprocess
from pathlib import Path

from prickle.cli import build
from typer.testing import CliRunner

from libs.contracts.tools import TOOLS
from tests.processes import COMMAND


def test_the_demo_plays_the_main_job_and_leaves_nothing_behind(tmp_path: Path) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path), "PRICKLE_DATABASE_URL": "postgresql+asyncpg://elsewhere/db"}
    played = subprocess.run([COMMAND, "demo"], env=environment, capture_output=True, text=True, timeout=90)
    assert played.returncode == 0, played.stderr
    assert "return_result       refused, evidence_required" in played.stdout
    assert played.stdout.splitlines()[-1].endswith("accept_result       the task is accepted")
    assert list(tmp_path.iterdir()) == []


def test_tools_lists_what_agents_can_call() -> None:
    listed = CliRunner().invoke(build(), ["tools"]).stdout.splitlines()
    assert [line.split()[0] for line in listed] == list(TOOLS)


def test_tools_shows_the_reference_page_of_one_tool() -> None:
    page = CliRunner().invoke(build(), ["tools", "handoff", "--markdown"]).stdout
    assert "handoff" in page.splitlines()[0]


def test_an_unknown_tool_or_service_is_refused_with_what_to_do() -> None:
    for line, code, said in ((["tools", "fly"], 1, "`prickle tools` lists"), (["serve", "post"], 2, "name one of")):
        ended = CliRunner().invoke(build(), line)
        assert ended.exit_code == code
        assert said in ended.stderr
