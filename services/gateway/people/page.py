"""The API's description as a page to read, without a script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markdown_it import MarkdownIt

from libs.contracts.schema import Schema

STYLE = "body{max-width:60rem;margin:2rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}\
table{border-collapse:collapse}th,td{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top}"
HEADER = ["", "| Field | In | Required | Type |", "|---|---|---|---|"]

Row = tuple[str, str, bool, Schema]


def page(described: dict[str, Any]) -> str:
    """A whole HTML page of an OpenAPI description."""
    title = described["info"]["title"]
    body = MarkdownIt("commonmark").enable("table").render("\n".join(_lines(described, title)))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style><body>{body}</body></html>"
    )


def _lines(described: dict[str, Any], title: str) -> Iterator[str]:
    yield f"# {title}\n\nSend a token as `Authorization: Bearer …`. For programs: [openapi.json](openapi.json).\n"
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            yield f"## `{method.upper()} {path}`\n\n{operation['summary']}\n"
            if rows := list(_fields(operation)):
                yield "\n".join([*HEADER, *map(_row, rows), ""])


def _fields(operation: dict[str, Any]) -> Iterator[Row]:
    for parameter in operation["parameters"]:
        yield parameter["name"], parameter["in"], parameter["required"], parameter["schema"]
    if "requestBody" in operation:
        body = operation["requestBody"]["content"]["application/json"]["schema"]
        for name, field in body["properties"].items():
            yield name, "body", name in body["required"], field


def _row(row: Row) -> str:
    name, where, required, schema = row
    return f"| `{name}` | {where} | {'yes' if required else 'no'} | {_kind(schema)} |"


def _kind(schema: Schema) -> str:
    """The type of a field in words: `string`, `owner or team`, `list of string`."""
    if branches := schema.get("anyOf"):
        return " or ".join(dict.fromkeys(map(_kind, branches)))
    if choices := schema.get("enum"):
        return " or ".join(map(str, choices))
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("const") or schema.get("type", "any"))
