"""What a tool is: a name, a description, two schemas, and the contract that its arguments become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from libs.contracts.base import Data, View
from libs.contracts.reference import reference_schema
from libs.contracts.schema import Schema, schema_of


@dataclass(frozen=True)
class Tool:
    """One tool of the catalog, as agents see it."""

    name: str
    title: str
    description: str
    """What it does, when to use it and when not, what it changes and what comes back: at most 1,000 characters."""
    input_schema: Schema
    output_schema: Schema
    command: type[Data]
    """What the arguments are parsed into."""
    read_only: bool = False
    idempotent: bool = False
    """Whether repeating a call with the same arguments changes nothing further."""
    destructive: bool = False

    def listed(self) -> dict[str, Any]:
        """The tool as `tools/list` shows it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "outputSchema": self.output_schema,
            "annotations": {
                "readOnlyHint": self.read_only,
                "destructiveHint": self.destructive,
                "idempotentHint": self.idempotent,
                "openWorldHint": False,
            },
        }


def own_tool(name: str, title: str, description: str, command: type[Data], output: type[View], **traits: Any) -> Tool:
    """A tool whose schemas come from this project's contracts."""
    shown, answered = schema_of(command, "validation"), schema_of(output, "serialization")
    return Tool(name, title, description, shown, answered, command, **traits)


def reference_tool(
    name: str, title: str, description: str, command: type[Data], output: type[View] | None = None, **traits: Any
) -> Tool:
    """A tool whose schemas the reference gives; it may leave the output to us."""
    shown = reference_schema(name, "input")
    answered = schema_of(output, "serialization") if output else reference_schema(name, "output")
    return Tool(name, title, description, shown, answered, command, **traits)
