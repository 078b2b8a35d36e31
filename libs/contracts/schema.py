"""JSON Schemas as agents read them: plain, self-contained, the same text at every start."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from libs.contracts import reference

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]
Mode = Literal["validation", "serialization"]
GIVEN = {
    "Message": reference.message(),
    "MemoryEntry": reference.memory_entry(),
    "ExecutionCredential": reference.execution_credential(),
}
"""Models whose schema the reference gives, by their name."""


def schema_of(model: type[BaseModel], mode: Mode) -> Schema:
    """The plain JSON Schema of an input (`validation`) or of a view (`serialization`).

    References are inlined; titles, model docstrings and null defaults are left out. A field made with `absent()`
    is not required and never null; one made with `internal()` is not shown.
    """
    schema = model.model_json_schema(mode=mode, schema_generator=_AgentSchema)
    definitions = {**schema.pop("$defs", {}), **GIVEN}
    return {"$schema": DIALECT, "type": "object", **_plain(schema, definitions)}


class _AgentSchema(GenerateJsonSchema):
    """Pydantic's generator without what only programs need."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def field_is_required(self, field: Any, total: bool) -> bool:
        """A view always has its fields, but for those that `exclude_if` leaves out."""
        if self.mode == "serialization":
            return "serialization_exclude_if" not in field
        return super().field_is_required(field, total)

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        json_schema = super().model_schema(schema)
        json_schema.pop("title", None)
        json_schema.pop("description", None)
        return json_schema

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Show the defaults of an input, those that `list` makes too; null says nothing."""
        json_schema = super().default_schema(schema)
        default = [] if schema.get("default_factory") is list else json_schema.pop("default", None)
        if default is None or self.mode == "serialization":
            return json_schema
        return {**json_schema, "default": default}

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        json_schema = super().tagged_union_schema(schema)
        json_schema.pop("discriminator", None)
        return json_schema


def _plain(node: Schema, definitions: dict[str, Schema]) -> Schema:
    """The schema `node` with its references replaced, its internal fields hidden and its omittable ones never null."""
    if node.get("x-omittable"):
        node = _never_null(node)
    if "$ref" in node:
        target = definitions[node["$ref"].removeprefix("#/$defs/")]
        node = {**target, **{keyword: value for keyword, value in node.items() if keyword != "$ref"}}
    if "properties" in node:
        node = _without_internal(node)
    plain = {keyword: _plain_value(keyword, value, definitions) for keyword, value in node.items()}
    return dict(sorted(plain.items(), key=lambda item: item[0] != "type"))


def _plain_value(keyword: str, value: Any, definitions: dict[str, Schema]) -> Any:
    if keyword == "properties":
        return {name: _plain(field, definitions) for name, field in value.items()}
    if keyword in ("anyOf", "oneOf", "allOf"):
        return [_plain(branch, definitions) for branch in value]
    if keyword in ("items", "additionalProperties") and isinstance(value, dict):
        return _plain(value, definitions)
    return value


def _without_internal(node: Schema) -> Schema:
    shown = {name: field for name, field in node["properties"].items() if not field.get("x-internal")}
    required = [name for name in node.get("required", []) if name in shown]
    return {**node, "properties": shown, **({"required": required} if "required" in node else {})}


def _never_null(node: Schema) -> Schema:
    branches = [branch for branch in node["anyOf"] if branch != {"type": "null"}]
    rest = {keyword: value for keyword, value in node.items() if keyword not in ("anyOf", "x-omittable")}
    return {**(branches[0] if len(branches) == 1 else {"anyOf": branches}), **rest}
