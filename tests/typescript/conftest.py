"""The TypeScript client, as a function."""

from pathlib import Path

import pytest

from tests.node_tools import node
from tests.typescript.client import CallTool, tool_caller

__all__ = ["node"]


@pytest.fixture(scope="session")
def call_tool(node: Path) -> CallTool:
    """`await call_tool(url, token, name, arguments)`."""
    return tool_caller(node)
