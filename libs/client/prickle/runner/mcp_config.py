"""How each client is told of the hub: the text of its MCP configuration."""

from __future__ import annotations

import json
from collections.abc import Callable

from prickle.access import bearer, mcp_url

Format = Callable[[str, str | None], str]
"""From the hub's URL and a token to a configuration; without a token it names the variable `PRICKLE_TOKEN`."""


def claude_code(url: str, token: str | None) -> str:
    """`.mcp.json`, or a file for `--mcp-config`."""
    return _servers({"type": "http", "url": mcp_url(url), "headers": _headers(token, "${PRICKLE_TOKEN}")})


def cursor(url: str, token: str | None) -> str:
    """`.cursor/mcp.json`."""
    return _servers({"url": mcp_url(url), "headers": _headers(token, "${env:PRICKLE_TOKEN}")})


def codex(url: str, token: str | None) -> str:
    """A part of `~/.codex/config.toml`. Codex takes a token from the environment only."""
    return f'[mcp_servers.prickle]\nurl = {_quoted(mcp_url(url))}\nbearer_token_env_var = "PRICKLE_TOKEN"\n'


def grok(url: str, token: str | None) -> str:
    """A part of `~/.grok/config.toml`; the token is taken from the environment, so that every run has its own."""
    return (
        f"[mcp_servers.prickle]\nurl = {_quoted(mcp_url(url))}\n"
        'headers = { "Authorization" = "Bearer ${PRICKLE_TOKEN}" }\n'
    )


def generic(url: str, token: str | None) -> str:
    """What most other clients read."""
    return claude_code(url, token)


FORMATS: dict[str, Format] = {
    "claude_code": claude_code,
    "codex": codex,
    "cursor": cursor,
    "grok": grok,
    "generic": generic,
}


def _headers(token: str | None, variable: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {variable}"} if token is None else bearer(token)


def _servers(prickle: dict[str, object]) -> str:
    return json.dumps({"mcpServers": {"prickle": prickle}}, indent=2) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text)
