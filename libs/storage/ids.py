"""Identifiers: prefixed by kind and ordered by time (UUIDv7)."""

from __future__ import annotations

import uuid_utils


def new_id(kind: str) -> str:
    """A new id such as `msg_0198…`; the prefix is for people, it is never checked."""
    return f"{kind}_{uuid_utils.uuid7().hex}"
