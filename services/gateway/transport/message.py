"""One JSON-RPC request or notification, checked for form but not for meaning."""

import re
from dataclasses import dataclass
from typing import Any

from mcp_types import INVALID_REQUEST, RequestId

from services.gateway.transport.body import parse
from services.gateway.transport.responses import rpc_refusal

_ESCAPES_TO_CHECK = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_UNUSABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Message:
    """A request, or a notification when `id` is None."""

    id: RequestId | None
    method: str
    params: dict[str, Any] | None

    @property
    def tool(self) -> str | None:
        """The name of the tool that is called, if this is a call with a usable name."""
        name = self.params.get("name") if self.method == "tools/call" and self.params else None
        return name if isinstance(name, str) else None


def read_message(raw: bytes) -> Message:
    """Parse a body into a message, or raise `Refused` with -32700 or -32600."""
    body = parse(raw)
    if not isinstance(body, dict):
        raise rpc_refusal(INVALID_REQUEST, "Send one JSON-RPC request or notification object, not a batch.")
    request_id = _request_id(body)
    message = _message(body, request_id)
    if _ESCAPES_TO_CHECK.search(raw) and _is_unusable(_envelope(body)):
        raise rpc_refusal(INVALID_REQUEST, "Leave NUL characters and lone surrogates out.", request_id)
    return message


def _request_id(body: dict[str, Any]) -> RequestId | None:
    """The id to answer under; None for a notification."""
    if "id" not in body:
        return None
    request_id = body["id"]
    if isinstance(request_id, bool) or not isinstance(request_id, str | int) or _is_unusable(request_id):
        raise rpc_refusal(INVALID_REQUEST, "Give the request an id that is a string or an integer.")
    return request_id


def _message(body: dict[str, Any], request_id: RequestId | None) -> Message:
    method, params = body.get("method"), body.get("params")
    if body.get("jsonrpc") != "2.0" or not isinstance(method, str):
        raise rpc_refusal(INVALID_REQUEST, 'Send `"jsonrpc": "2.0"` and a method name.', request_id)
    if not isinstance(params, dict | None):
        raise rpc_refusal(INVALID_REQUEST, "Send params as an object.", request_id)
    return Message(request_id, method, params)


def _envelope(body: dict[str, Any]) -> dict[str, Any]:
    """All of a message but the arguments of a tool, which the tool layer judges."""
    if body["method"] != "tools/call" or body.get("params") is None:
        return body
    return body | {"params": body["params"] | {"arguments": None}}


def _is_unusable(value: Any) -> bool:
    """Whether any text in `value` cannot be compared, stored or answered."""
    if isinstance(value, str):
        return _UNUSABLE.search(value) is not None
    if isinstance(value, dict):
        return any(_is_unusable(key) or _is_unusable(item) for key, item in value.items())
    return isinstance(value, list) and any(map(_is_unusable, value))
