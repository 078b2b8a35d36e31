"""The suite runs on Node."""

from tests.node_tools import node

__all__ = ["node"]
