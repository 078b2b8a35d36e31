"""What is wrong with an argument, in one sentence made of paths and rules; the input is never quoted."""

from __future__ import annotations

from typing import Any

from jsonschema_rs import ValidationError
from pydantic import ValidationError as ModelError

from libs.contracts.errors import InvalidInput
from libs.contracts.reference import reference_schema
from libs.contracts.schema import Schema
from libs.contracts.types import ADDRESS_PATTERN, AGENT_PATTERN, ID_PATTERN, SLUG_PATTERN

Path = tuple[str | int, ...]

LONGEST_NAME = 100
RULES = {
    "minLength1": "must not be empty",
    "minItems1": "must not be empty",
    "minimum": "must be at least {limit}",
    "maximum": "must be at most {limit}",
    "minLength": "must have at least {limit} characters",
    "maxLength": "must have at most {limit} characters",
    "minItems": "must have at least {limit} items",
    "maxItems": "must have at most {limit} items",
}
TYPES = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
REFERENCE_SLUG_PATTERN = "^[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,38}$"
UUID_PATTERN = reference_schema("report_run", "input")["properties"]["run_id"]["pattern"]
A_SLUG = "must be a slug of at most 39 lowercase letters, digits and single hyphens, such as website-v2"
PATTERNS = {
    SLUG_PATTERN: A_SLUG,
    REFERENCE_SLUG_PATTERN: A_SLUG,
    AGENT_PATTERN: "must be an agent's address, such as maya/codex",
    ADDRESS_PATTERN: "must be an address, such as maya or maya/codex",
    ID_PATTERN: "must be an id as the hub gave it: letters, digits, _ and -",
    UUID_PATTERN: "must be a UUID, such as 4f7c2a9e-3b1d-4c8e-9a6f-0d2e5b7c1a3f",
}


def path_text(path: Path) -> str:
    """The path as errors name it: `evidence[2].ref`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part[:LONGEST_NAME]}" for part in path)
    return text.removeprefix(".")


def time_refusal_of(error: ModelError) -> InvalidInput:
    """The refusal for what only the contract finds: a text that the schema calls a time and that is none."""
    field = path_text(error.errors(include_input=False, include_url=False)[0]["loc"])
    return InvalidInput(f"{field} must be a time with its zone, such as 2026-12-31T23:59:59Z.", field=field)


def refusal_of(error: ValidationError, schema: Schema) -> InvalidInput:
    """The refusal for one violation of a tool's input `schema`."""
    error = _deepest(error)
    kind: Any = error.kind
    path: Path = tuple(error.instance_path)
    match kind.name:
        case "required":
            field = path_text((*path, kind.property))
            return InvalidInput(f"Give {field}: it is required.", field=field)
        case "additionalProperties":
            field = path_text((*path, kind.unexpected[0]))
            return InvalidInput("Leave out the field that the input schema does not know.", field=field)
    field = path_text(path)
    hint = "omit it" if error.instance is None and _is_optional(error, schema) else None
    return InvalidInput(f"{field} {_rule(kind)}.", field=field, hint=hint)


def _deepest(error: ValidationError) -> ValidationError:
    """Of a field that may be null, the violation of what it is otherwise, unless its type is wrong altogether."""
    kind: Any = error.kind
    if kind.name != "anyOf":
        return error
    nearest = [first for first, *_ in kind.context if first.kind.name != "type" or _is_inside(first, error)]
    return _deepest(nearest[0]) if nearest else error


def _is_inside(inner: ValidationError, outer: ValidationError) -> bool:
    return len(inner.instance_path) > len(outer.instance_path)


def _rule(kind: Any) -> str:
    match kind.name:
        case "type":
            return f"must be {_either(kind.types)}"
        case "anyOf":
            return f"must be {_either([name for branch in kind.context for name in branch[0].kind.types])}"
        case "enum":
            return f"must be one of {', '.join(str(option) for option in kind.options)}"
        case "pattern":
            return PATTERNS.get(kind.pattern, "must match the pattern that the input schema gives")
    limit = getattr(kind, "limit", "")
    rule = RULES.get(f"{kind.name}{limit}") or RULES.get(kind.name, "must be as the input schema says")
    return rule.format(limit=limit)


def _either(types: list[str]) -> str:
    return " or ".join(TYPES[name] for name in types)


def _is_optional(error: ValidationError, schema: Schema) -> bool:
    """Whether the field that `error` is about could have been left out."""
    match error.schema_path:
        case [*to_parent, "properties", name, _]:
            parent: Any = schema
            for step in to_parent:
                parent = parent[step]
            return name not in parent.get("required", [])
    return False
