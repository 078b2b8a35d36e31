"""The API's description in OpenAPI 3.1, made from the endpoints themselves."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, get_args, get_type_hints

from libs.contracts.errors import ProblemData
from libs.contracts.schema import Schema, schema_of
from services.gateway.people.answers import Markdown
from services.gateway.people.bodies import PARTS_OF_AGENT_ID, WITH_BODY
from services.gateway.people.endpoint import Endpoint

PARAMETER = re.compile(r"{(\w+)(?::text)?}")


def describe(endpoints: Iterable[Endpoint], prefix: str) -> dict[str, Any]:
    """The whole description, for paths below `prefix`."""
    paths: dict[str, dict[str, Any]] = defaultdict(dict)
    for endpoint in endpoints:
        path = prefix + PARAMETER.sub(r"{\1}", endpoint.path)
        paths[path][endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Prickle for people and operators", "version": prefix.rpartition("/")[2]},
        "security": [{"token": []}],
        "paths": dict(sorted(paths.items())),
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                "Refusal": {"type": "object", "properties": {"error": _plain(schema_of(ProblemData, "validation"))}}
            },
        },
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    names = PARAMETER.findall(endpoint.path)
    said = _plain(schema_of(endpoint.reads, "validation"))
    operation: dict[str, Any] = {
        "operationId": endpoint.act.__name__,
        "summary": endpoint.act.__doc__,
        "parameters": [_in_path(name, said) for name in names],
        "responses": {str(endpoint.status): _answer(endpoint), "default": _refusal()},
    }
    rest = _without(said, names)
    if endpoint.method not in WITH_BODY:
        operation["parameters"] += [_in_query(name, rest) for name in rest["properties"]]
    elif rest["properties"]:
        operation["requestBody"] = {"required": bool(rest["required"]), "content": _json(rest)}
    return operation


def _in_path(name: str, said: Schema) -> dict[str, Any]:
    schema = said["properties"].get(name, {"type": "string"})
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _in_query(name: str, said: Schema) -> dict[str, Any]:
    """A parameter that may be repeated where it is a list."""
    return {"name": name, "in": "query", "required": name in said["required"], "schema": said["properties"][name]}


def _without(said: Schema, names: list[str]) -> Schema:
    """What is left for the body or the query when the path has said its part."""
    in_path = {*names, "agent_id"} if set(PARTS_OF_AGENT_ID) <= set(names) else set(names)
    properties = {name: field for name, field in said["properties"].items() if name not in in_path}
    required = [name for name in said.get("required", []) if name not in in_path]
    return {"type": "object", "properties": properties, "required": required}


def _answer(endpoint: Endpoint) -> dict[str, Any]:
    said = get_type_hints(endpoint.act)["return"]
    if said is type(None):
        return {"description": "Done."}
    return {"description": "The answer.", "content": dict(_content(kind) for kind in get_args(said) or (said,))}


def _content(kind: Any) -> tuple[str, dict[str, Any]]:
    """A media type, and what comes as it."""
    if kind is Markdown:
        return "text/markdown", {"schema": {"type": "string"}}
    return "application/json", {"schema": _plain(schema_of(kind, "serialization"))}


def _refusal() -> dict[str, Any]:
    return {"description": "A refusal.", "content": _json({"$ref": "#/components/schemas/Refusal"})}


def _json(schema: Schema) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _plain(schema: Schema) -> Schema:
    return {keyword: value for keyword, value in schema.items() if keyword != "$schema"}
