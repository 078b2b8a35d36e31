"""Tokens: made here, shown once, known afterwards by their SHA-256 only."""

from __future__ import annotations

import secrets
from hashlib import sha256

RANDOM_BYTES = 32


def new_token(kind: str) -> str:
    """A token of 256 random bits, prefixed by its kind: `prk_client_…`."""
    return f"prk_{kind}_{secrets.token_urlsafe(RANDOM_BYTES)}"


def fingerprint(token: str) -> str:
    """The SHA-256 of a token in hexadecimal: all that travels and is stored."""
    return sha256(token.encode()).hexdigest()
