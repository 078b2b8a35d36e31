"""The one parse of a request body, the same for both protocol eras."""

import json
import math
import re
from collections.abc import Mapping
from typing import Any, NoReturn

import orjson
from mcp_types import PARSE_ERROR
from starlette.types import Receive

from services.gateway.transport.responses import http_refusal, rpc_refusal

MAX_LEVELS = 100

# orjson turns longer integers into floats and refuses every lone surrogate, which is not ours to refuse here.
_NEEDS_STRICT_PARSE = re.compile(rb"[0-9]{19}|\\u[dD][89a-fA-F]")


class ClientGone(Exception):
    """The client went away before its request was whole."""


async def read_body(headers: Mapping[str, str], receive: Receive, limit: int) -> bytes:
    """Collect the body, giving up with 413 as soon as it is known to exceed `limit` bytes."""
    declared = headers.get("content-length", "")
    too_large = http_refusal(413, "content_too_large", f"Send at most {limit} bytes.")
    if declared.isdecimal() and int(declared) > limit:
        raise too_large
    body = bytearray()
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise ClientGone
        body += event.get("body", b"")
        if len(body) > limit:
            raise too_large
        if not event.get("more_body"):
            return bytes(body)


def parse(body: bytes) -> Any:
    """Read JSON, or raise `Refused` with -32700.

    Refused are: malformed JSON and UTF-8, NaN and infinities, integers beyond 64 bits, floats that overflow,
    and more than 100 levels. NUL characters and lone surrogates are kept (R48: the tool layer names their field).
    """
    try:
        value = _parse_strictly(body) if _NEEDS_STRICT_PARSE.search(body) else orjson.loads(body)
    except (ValueError, RecursionError):
        raise rpc_refusal(PARSE_ERROR, "Send one well-formed JSON object in UTF-8 with numbers in range.") from None
    if body.count(b"[") + body.count(b"{") > MAX_LEVELS and _levels(value) > MAX_LEVELS:
        raise rpc_refusal(PARSE_ERROR, f"Nest at most {MAX_LEVELS} levels.")
    return value


def _parse_strictly(body: bytes) -> Any:
    return json.loads(body.decode(), parse_int=_integer, parse_float=_finite, parse_constant=_no_constant)


def _integer(digits: str) -> int:
    value = int(digits) if len(digits) <= 20 else 2**63
    if not -(2**63) <= value < 2**63:
        raise ValueError("integer beyond 64 bits")
    return value


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError("number out of range")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError("not a JSON number")


def _levels(value: Any) -> int:
    """How deeply lists and objects are nested, without recursing."""
    levels, layer = 0, [value]
    while layer := [item for item in layer if isinstance(item, dict | list)]:
        levels += 1
        layer = [inner for item in layer for inner in (item.values() if isinstance(item, dict) else item)]
    return levels
