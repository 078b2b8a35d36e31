"""The arguments of a tool call: checked once against the tool's schema, then a contract (R48)."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from jsonschema_rs import Draft202012Validator
from pydantic import ValidationError

from libs.contracts.base import Data
from libs.contracts.errors import InvalidInput
from libs.contracts.schema import Schema
from libs.contracts.tools import TOOLS, Tool
from services.gateway.refusals import Path, path_text, refusal_of, time_refusal_of

MAX_LEVELS = 100

_VALIDATORS = {name: Draft202012Validator(tool.input_schema) for name, tool in TOOLS.items()}


def parse(tool: Tool, arguments: Any) -> Data:
    """The contract that `arguments` make, or `InvalidInput` naming the field.

    JSON Schema decides: `20.0` is an integer, null is only what the schema allows. Fields that the schema does not
    show are ignored, also those that the contract would know.
    """
    if not isinstance(arguments, dict):
        raise InvalidInput("Send the arguments as one JSON object.", field="arguments")
    check_text(arguments)
    validator = _VALIDATORS[tool.name]
    if not validator.is_valid(arguments):
        raise refusal_of(next(validator.iter_errors(arguments)), tool.input_schema)
    shown = tool.input_schema["properties"]
    try:
        return tool.command.model_validate({name: _whole(arguments[name]) for name in arguments if name in shown})
    except ValidationError as error:
        raise time_refusal_of(error) from None


def argument_hash(schema: Schema, data: Data) -> str:
    """What makes two calls the same under one idempotency key: the arguments as sent, defaults filled in (R40)."""
    shown = schema["properties"]
    said = data.model_dump(mode="json", exclude_unset=True)
    defaults = {name: field["default"] for name, field in shown.items() if "default" in field}
    meant = {name: value for name, value in {**defaults, **said}.items() if name in shown}
    meant.pop("idempotency_key", None)
    canonical = json.dumps(meant, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def check_text(arguments: dict[str, Any]) -> None:
    """Refuse NUL, which PostgreSQL cannot store, and lone surrogates, which UTF-8 cannot write; without recursing."""
    values: list[tuple[Path, Any]] = [((), arguments)]
    while values:
        path, value = values.pop()
        if isinstance(value, str):
            _check_string(value, path)
        elif isinstance(value, dict):
            for name in value:
                _check_string(name, path)
            values.extend(((*path, name), inner) for name, inner in value.items())
        elif isinstance(value, list):
            values.extend(((*path, index), inner) for index, inner in enumerate(value))
        if len(path) > MAX_LEVELS:
            raise InvalidInput(f"Nest at most {MAX_LEVELS} levels.", field=path_text(path[:1]))


def _check_string(text: str, path: Path) -> None:
    if "\0" in text or not (text.isascii() or _is_unicode(text)):
        field = path_text(path) or "arguments"
        raise InvalidInput("Send text without NUL characters and lone surrogates.", field=field)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _whole(value: Any) -> Any:
    """`20.0` and `1e300` are integers to JSON Schema; pydantic takes only small ones."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
