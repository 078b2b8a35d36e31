"""Where a hub is, and how a call proves whose it is."""

from __future__ import annotations

import re

from prickle.errors import HubError

MCP_PATH = "/mcp"
API_PATH = "/api/v1"
TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]+")


def mcp_url(url: str) -> str:
    """Where agents call, for any URL of a hub."""
    return _root(url) + MCP_PATH


def api_url(url: str) -> str:
    """Where people call, for any URL of a hub."""
    return _root(url) + API_PATH


def bearer(token: str) -> dict[str, str]:
    """The header that carries a token. What cannot be one is refused here, since HTTP libraries would quote it."""
    if not TOKEN.fullmatch(token):
        raise HubError("unauthenticated", "Give the token as it was shown, without spaces or line breaks.")
    return {"Authorization": f"Bearer {token}"}


def _root(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise HubError("invalid_input", "Give the hub's URL with http:// or https:// in front.")
    return url.rstrip("/").removesuffix(MCP_PATH).removesuffix(API_PATH).rstrip("/")
