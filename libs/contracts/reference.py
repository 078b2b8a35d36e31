"""The schemas that the reference pages give, served as they are: only `description` texts of ours are added."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Schema = dict[str, Any]
Side = Literal["input", "output"]


def reference_schema(tool: str, side: Side) -> Schema:
    """The reference's schema of a tool's input or output, each field with its description."""
    texts = _read("descriptions")[tool][side]
    return _described(_read(tool)[f"{side}_schema"], texts, "")


def message() -> Schema:
    """The schema of a message, which every output that carries one shares."""
    schema: Schema = reference_schema("read_room", "output")["properties"]["messages"]["items"]
    return schema


def memory_entry() -> Schema:
    """The schema of an approved memory entry."""
    schema: Schema = reference_schema("get_project_context", "output")["properties"]["memory"]["items"]
    return schema


def execution_credential() -> Schema:
    """The schema of a run's credential."""
    schema: Schema = reference_schema("claim_task", "output")["properties"]["execution_credential"]
    return schema


def allowable_tools() -> list[str]:
    """What a run's credential can name in `allowed_tools`."""
    names: list[str] = execution_credential()["properties"]["allowed_tools"]["items"]["enum"]
    return names


@cache
def _read(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((files("libs.contracts") / "reference" / f"{name}.json").read_text("utf-8"))
    return data


def _described(node: Schema, texts: dict[str, str], path: str) -> Schema:
    """A copy of `node` with the texts of its fields; `messages[].body` is a field of an array's items."""
    copy = dict(node)
    if "properties" in node:
        copy["properties"] = {
            name: {**_described(field, texts, inner), "description": texts[inner]}
            for name, field in node["properties"].items()
            for inner in [f"{path}.{name}".removeprefix(".")]
        }
    if "items" in node:
        copy["items"] = _described(node["items"], texts, f"{path}[]")
    if "oneOf" in node:
        copy["oneOf"] = [_described(branch, texts, path) for branch in node["oneOf"]]
    return copy
