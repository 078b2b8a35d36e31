"""One request carried to the SDK's server and one answer carried back."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import anyio
import orjson
import structlog
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_one
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.inbound import ERROR_CODE_HTTP_STATUS
from mcp.shared.jsonrpc_dispatcher import handler_exception_to_error_data, progress_token_from_params
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types import INTERNAL_ERROR, ErrorData, ProgressToken, RequestId

from services.gateway.transport.eras import is_modern
from services.gateway.transport.message import Message

Notify = Callable[[bytes], Awaitable[None]]

_TRANSPORT = TransportContext(kind="streamable-http", can_send_request=False)
_CRASHED = ErrorData(code=INTERNAL_ERROR, message="Internal server error")
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Answer:
    """A JSON-RPC response as it goes on the wire, and the HTTP status it goes under."""

    status: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class BackChannel:
    """What a handler can say before it answers: notifications if the response is a stream, never requests.

    The SDK calls this a `DispatchContext`.
    """

    request_id: RequestId | None
    message_metadata: ServerMessageMetadata
    progress_token: ProgressToken | None
    write: Notify | None
    transport: TransportContext = _TRANSPORT
    can_send_request: bool = False

    @property
    def cancel_requested(self) -> anyio.Event:
        """Never set: a client cancels by leaving, which cancels the handler's task."""
        return anyio.Event()

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        if self.write is not None:
            await self.write(orjson.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        if self.progress_token is None or self.write is None:
            return
        said = {"progress": progress, "total": total, "message": message}
        known = {name: value for name, value in said.items() if value is not None}
        await self.notify("notifications/progress", {"progressToken": self.progress_token, **known})


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request that is ready to be handled."""

    server: Server[Any]
    message: Message
    connection: Connection
    caller: Any

    async def answer(self, notify: Notify | None = None) -> Answer:
        """Run the handler. Its crash is logged and never told; `notify` takes what it says meanwhile."""
        try:
            return Answer(200, self._payload("result", await self._result(notify)))
        except Exception as problem:
            return self._failure(problem)

    async def _result(self, notify: Notify | None) -> dict[str, Any]:
        message = self.message
        metadata = ServerMessageMetadata(request_context=self.caller)
        token = progress_token_from_params(message.params)
        channel = BackChannel(message.id, metadata, token, notify)
        return await serve_one(
            self.server, channel, message.method, message.params, connection=self.connection, lifespan_state={}
        )

    def _failure(self, problem: Exception) -> Answer:
        error = handler_exception_to_error_data(problem)
        if error is not None:
            with suppress(orjson.JSONEncodeError):
                return self._error(error)
        _log.error("mcp handler crashed", method=self.message.method, exc_info=problem)
        return self._error(_CRASHED)

    def _error(self, error: ErrorData) -> Answer:
        status = ERROR_CODE_HTTP_STATUS.get(error.code, 200) if is_modern(self.connection) else 200
        return Answer(status, self._payload("error", error.model_dump(exclude_none=True)))

    def _payload(self, kind: str, content: dict[str, Any]) -> bytes:
        return orjson.dumps({"jsonrpc": "2.0", "id": self.message.id, kind: content})
