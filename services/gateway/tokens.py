"""Tokens: made here, shown once, known afterwards by their SHA-256 only."""

from __future__ import annotations

import re
import secrets
from hashlib import sha256
from pathlib import Path

from libs.runtime.directory_lock import CannotStart

RANDOM_BYTES = 32
OPERATOR_TOKEN = re.compile(r"prk_operator_[A-Za-z0-9_-]{32,}")


def new_token(kind: str) -> str:
    """A token of 256 random bits, prefixed by its kind: `prk_client_…`."""
    return f"prk_{kind}_{secrets.token_urlsafe(RANDOM_BYTES)}"


def fingerprint(token: str) -> str:
    """The SHA-256 of a token in hexadecimal: all that travels and is stored."""
    return sha256(token.encode()).hexdigest()


def operator_token_in(file: Path) -> str:
    """The token that the operator put into a file; raises `CannotStart` when it is none, which would let anybody in."""
    try:
        token = file.read_text().strip()
    except (OSError, UnicodeError):
        token = ""
    if not OPERATOR_TOKEN.fullmatch(token):
        raise CannotStart(f"put a token into {file}: prk_operator_ and at least 32 random letters and digits")
    return token
