"""What a request says: its JSON body or query, and path, checked once against the contract's JSON Schema (R48)."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, TypeVar

from jsonschema_rs import Draft202012Validator
from pydantic import ValidationError
from starlette.requests import Request

from libs.contracts.base import Data
from libs.contracts.errors import InvalidInput, Problem
from libs.contracts.schema import Schema, schema_of
from services.gateway.arguments import check_text
from services.gateway.people.answers import ContentTooLarge
from services.gateway.refusals import refusal_of, time_refusal_of
from services.gateway.transport.body import parse, read_body
from services.gateway.transport.responses import Refused

MAX_BODY_BYTES = 1 << 20
WITH_BODY = ("POST", "PUT", "PATCH")
PARTS_OF_AGENT_ID = ("owner", "name")
WHOLE_NUMBER = re.compile(r"-?[0-9]{1,15}")

Said = TypeVar("Said", bound=Data)


async def read(request: Request, model: type[Said]) -> Said:
    """The contract that body (or query) and path make together; what the path says wins.

    Raises `InvalidInput` with the field.
    """
    said = await _json_object(request) if request.method in WITH_BODY else _query_values(request, model)
    values = {**said, **_path_values(request)}
    check_text(values)
    return _validated(values, model)


async def _json_object(request: Request) -> dict[str, Any]:
    """The body; an empty one says nothing."""
    try:
        raw = await read_body(request.headers, request.receive, MAX_BODY_BYTES)
        value = parse(raw) if raw.strip() else {}
    except Refused as refused:
        raise _problem(refused) from None
    if not isinstance(value, dict):
        raise InvalidInput("Send the body as one JSON object.", field="body")
    return value


def _query_values(request: Request, model: type[Data]) -> dict[str, Any]:
    """What the query string says: a list for what is one, a number where its text is one, else the last text."""
    fields = schema_read(model)["properties"]
    given = {name: request.query_params.getlist(name) for name in request.query_params if name in fields}
    return {name: _query_value(fields[name], texts) for name, texts in given.items()}


def _query_value(field: Schema, texts: list[str]) -> Any:
    types = {branch.get("type") for branch in field.get("anyOf", [field])}
    if "array" in types:
        return texts
    return int(texts[-1]) if "integer" in types and WHOLE_NUMBER.fullmatch(texts[-1]) else texts[-1]


def _problem(refused: Refused) -> Problem:
    if refused.status == 413:
        return ContentTooLarge(f"Send at most {MAX_BODY_BYTES} bytes.")
    return InvalidInput("Send one well-formed JSON object in UTF-8 with numbers in range.", field="body")


def _path_values(request: Request) -> dict[str, str]:
    """What the path names; owner and name together make an agent's address."""
    path = dict(request.path_params)
    if "owner" in path:
        path["agent_id"] = "/".join(path.pop(part) for part in PARTS_OF_AGENT_ID)
    return path


def _validated(values: dict[str, Any], model: type[Said]) -> Said:
    validator, schema = _validator(model), schema_read(model)
    if not validator.is_valid(values):
        raise refusal_of(next(validator.iter_errors(values)), schema)
    try:
        return model.model_validate({name: values[name] for name in values if name in schema["properties"]})
    except ValidationError as error:
        raise time_refusal_of(error) from None


@cache
def schema_read(model: type[Data]) -> Schema:
    """What body (or query) and path may say together."""
    return schema_of(model, "validation")


@cache
def _validator(model: type[Data]) -> Draft202012Validator:
    return Draft202012Validator(schema_read(model))
