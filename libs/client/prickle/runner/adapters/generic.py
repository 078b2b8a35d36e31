"""Any other program: its exit code and its duration are all that is known of it.

It finds what it needs in its environment: `PRICKLE_URL`, `PRICKLE_TOKEN`, `PRICKLE_MCP_CONFIG` and
`PRICKLE_PROMPT_FILE`; the prompt is on its standard input too.
"""

from __future__ import annotations

from prickle.runner.adapters.adapter import Adapter, Output, Reading


def read(output: Output) -> Reading:
    """Nothing: its output means nothing to the runner."""
    return Reading()


ADAPTER = Adapter(name="generic", command=(), mcp_format="generic", read=read)
