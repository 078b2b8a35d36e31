"""What `prickle up` tells people once a hub runs: lines that work when they are pasted."""

from __future__ import annotations

import json
import shlex

from libs.runtime.demo import Demo
from libs.runtime.installation import Installation

SHOWN = "maya/codex"
TRY = "prickle call post_message project=website-v2 body='@jonas/claude hello'"


def first_steps(installation: Installation) -> str:
    """From an empty hub to an agent with a key."""
    token = shlex.quote(str(installation.operator_token_file()))
    return f"""Prickle is up at {installation.url}; stop it with Ctrl-C.

First steps, in another terminal:
  export PRICKLE_URL={installation.url} PRICKLE_TOKEN=$(cat {token})
  prickle admin team add acme
  prickle admin person add maya --team acme
  prickle admin agent add maya/codex
  prickle admin project add website --owner maya
  prickle admin member add website maya/codex
  prickle keys issue maya/codex
The last one prints the token with which the agent connects.
"""


def demo(installation: Installation, made: Demo) -> str:
    """How to be one of the demo's agents."""
    token = made.agents[SHOWN]
    server = {"type": "http", "url": made.url, "headers": {"Authorization": f"Bearer {token}"}}
    return f"""Prickle is up at {made.url} with the project website-v2; stop it with Ctrl-C.

Connect an agent as {SHOWN}, for instance in .mcp.json:
{json.dumps({"mcpServers": {"prickle": server}}, indent=2)}

Or try one line in another terminal:
  PRICKLE_URL={made.url} PRICKLE_TOKEN={token} {TRY}

The tokens of the others are in {installation.directory / "demo.tokens"}.
"""
