"""What goes back over HTTP, and the refusals that end a request before a handler sees it."""

from collections.abc import Iterable
from typing import Any

import orjson
from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS
from mcp_types import RequestId
from starlette.types import Send

RawHeaders = Iterable[tuple[bytes, bytes]]


class Refused(Exception):
    """A request that is answered without a handler: an HTTP status, a JSON body and further headers."""

    def __init__(self, status: int, body: dict[str, Any], headers: RawHeaders = ()) -> None:
        super().__init__(status)
        self.status = status
        self.body = body
        self.headers = headers


def http_refusal(status: int, error: str, description: str, headers: RawHeaders = ()) -> Refused:
    """Refuse at the HTTP level, before the body is known to be JSON-RPC."""
    return Refused(status, {"error": error, "error_description": description}, headers)


def rpc_refusal(code: int, message: str, request_id: RequestId | None = None, data: Any = None) -> Refused:
    """Refuse with a JSON-RPC error; the HTTP status follows from its code."""
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return Refused(ERROR_CODE_HTTP_STATUS.get(code, 400), {"jsonrpc": "2.0", "id": request_id, "error": error})


async def respond(send: Send, status: int, payload: bytes = b"", headers: RawHeaders = ()) -> None:
    """Send one whole response; a payload is JSON."""
    content_type = [(b"content-type", b"application/json")] if payload else []
    lines = [*content_type, (b"content-length", b"%d" % len(payload)), *headers]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": payload})


async def refuse(send: Send, refused: Refused) -> None:
    """Send a refusal."""
    await respond(send, refused.status, orjson.dumps(refused.body), refused.headers)
