"""The reference page of a tool, as `prickle tools NAME --markdown` prints it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from libs.contracts.schema import Schema
from libs.contracts.tools import Tool


def reference_page(tool: Tool) -> str:
    """A Markdown page: what the tool does, the fields of its input, and both schemas."""
    return f"""\
# {tool.name}

{_effect(tool)}

{tool.description}

## Input

{_field_table(tool.input_schema)}

### Input schema

{_json_block(tool.input_schema)}

## Output schema

{_json_block(tool.output_schema)}

The server also enforces rules that JSON Schema cannot express, including evidence requirements.
"""


def _effect(tool: Tool) -> str:
    if tool.read_only:
        return "Reads project data"
    return "Ends the work of others" if tool.destructive else "Writes project data"


def _json_block(schema: Schema) -> str:
    return f"```json\n{json.dumps(schema, indent=2, ensure_ascii=False)}\n```"


def _field_table(schema: Schema) -> str:
    header = ["| Field | Required | Type and constraints | Meaning |", "|---|---|---|---|"]
    return "\n".join(header + [f"| {' | '.join(map(_cell, row))} |" for row in _fields(schema)])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _fields(schema: Schema, prefix: str = "") -> Iterator[tuple[str, str, str, str]]:
    """A table row per field, parents before their children: `evidence`, `evidence[].kind` …"""
    for name, field in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        required = "yes" if name in schema.get("required", []) else "no"
        yield f"`{path}`", required, _constraints(field), field["description"]
        yield from _fields(field, f"{path}.")
        yield from _fields(field.get("items", {}), f"{path}[].")


def _constraints(field: Schema) -> str:
    """A field's type and limits in words: `string, 1 to 64 characters`."""
    if branches := field.get("anyOf"):
        return " or ".join(_constraints(branch) for branch in branches)
    limits = [
        _range(field, "minLength", "maxLength", " characters"),
        _range(field, "minItems", "maxItems", " items"),
        _range(field, "minimum", "maximum", ""),
        f"pattern `{field['pattern']}`" if "pattern" in field else "",
        f"default `{json.dumps(field['default'])}`" if "default" in field else "",
    ]
    return ", ".join([_type(field), *filter(None, limits)])


def _range(field: Schema, lowest: str, highest: str, unit: str) -> str:
    low, high = field.get(lowest), field.get(highest)
    if low is not None and high is not None:
        return f"{low} to {high}{unit}"
    if high is not None:
        return f"at most {high}{unit}"
    return "" if low is None else f"at least {low}{unit}"


def _type(field: Schema) -> str:
    values: list[Any] = field.get("enum", [])
    if values:
        return "one of " + ", ".join(f"`{value}`" for value in values)
    if field["type"] == "array":
        return f"array of ({_constraints(field['items'])})"
    return str(field["type"])
