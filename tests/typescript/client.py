"""What an application on the TypeScript SDK sees of a server."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.node_tools import HOME, run_node

CallTool = Callable[[str, str, str, dict[str, Any]], Awaitable[dict[str, Any]]]


def tool_caller(node: Path) -> CallTool:
    """Give `call_tool(url, token, name, arguments)`, which answers with `tools` and `result`, or with `error`."""

    async def call_tool(url: str, token: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        call = json.dumps({"url": url, "token": token, "name": name, "arguments": arguments})
        program = await asyncio.to_thread(run_node, node, HOME / "call_tool.mjs", input=call)
        seen: dict[str, Any] = json.loads(program.stdout)
        return seen

    return call_tool
