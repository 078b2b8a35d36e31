"""The operator's token comes from a file; what is no token is nobody's."""

from __future__ import annotations

from pathlib import Path

import pytest

from libs.runtime.directory_lock import CannotStart
from services.gateway.tokens import new_token, operator_token_in


def test_the_operators_token_stands_in_a_file(tmp_path: Path) -> None:
    token = new_token("operator")
    (tmp_path / "token").write_text(f"{token}\r\n")
    assert operator_token_in(tmp_path / "token") == token


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"hunter2", b"prk_operator_", b"\xff", f"\ufeff{new_token('operator')}".encode()]
)
def test_a_file_without_a_token_makes_nobody_the_operator(content: bytes, tmp_path: Path) -> None:
    """An orchestrator may mount it before it is filled; what is guessed easily is no token either."""
    (tmp_path / "token").write_bytes(content)
    with pytest.raises(CannotStart, match="put a token into") as refusal:
        operator_token_in(tmp_path / "token")
    assert "hunter2" not in str(refusal.value)


def test_what_cannot_be_read_is_no_token(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "absent"):
        with pytest.raises(CannotStart, match="put a token into"):
            operator_token_in(place)
