"""A laboratory for runners, and programs for them to run."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.client.runner.desk import Lab, laboratory

STUB = Path(__file__).parent / "stub_client.py"
OUTPUTS = Path(__file__).parent / "outputs"

Notes = Callable[[], list[dict[str, Any]]]


@pytest.fixture
async def lab(tmp_path: Path) -> AsyncIterator[Lab]:
    async with laboratory(tmp_path) as lab:
        yield lab


@pytest.fixture
def stub(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """The settings of an agent whose client is the stub, with arguments."""
    (tmp_path / "notes").mkdir()

    def settings(*arguments: object, client: str = "codex", **more: Any) -> dict[str, Any]:
        command = [sys.executable, str(STUB), "--notes", str(tmp_path / "notes"), *map(str, arguments)]
        return {"client": client, "command": command, **more}

    return settings


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    """What the stubs that were started so far were given."""
    return lambda: [json.loads(path.read_text()) for path in (tmp_path / "notes").glob("[0-9]*.json")]
