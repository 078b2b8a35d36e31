"""Two protocol eras on one path: 2026-07-28, where each request describes itself, and the handshake versions before."""

from collections.abc import Mapping, Sequence

from mcp.server.connection import Connection
from mcp.shared.inbound import (
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    classify_inbound_request,
    find_duplicated_routing_header,
    unsupported_protocol_version_rejection,
)
from mcp_types import DEFAULT_NEGOTIATED_VERSION, HEADER_MISMATCH
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS

from services.gateway.transport.message import Message
from services.gateway.transport.responses import Refused, rpc_refusal


def connect(message: Message, headers: Mapping[str, str], lines: Sequence[tuple[bytes, bytes]]) -> Connection:
    """The SDK's view of the client behind one request, or `Refused` when headers and body disagree.

    `headers` are the `lines` of the request, folded.
    """
    version = headers.get(MCP_PROTOCOL_VERSION_HEADER, DEFAULT_NEGOTIATED_VERSION)
    if version in HANDSHAKE_PROTOCOL_VERSIONS:
        return Connection.from_envelope(_handshake_version(message, version), None, None)
    if len(headers) < len(lines):
        _check_duplicates(message, lines)
    verdict = classify_inbound_request({"method": message.method, "params": message.params}, headers=headers)
    if isinstance(verdict, InboundLadderRejection):
        raise _refusal(verdict, message)
    return Connection.from_envelope(verdict.protocol_version, verdict.client_info, verdict.client_capabilities)


def is_modern(connection: Connection) -> bool:
    """Whether the client speaks 2026-07-28 or later, where HTTP statuses follow the JSON-RPC error."""
    return connection.protocol_version in MODERN_PROTOCOL_VERSIONS


def check_notification(message: Message, headers: Mapping[str, str]) -> None:
    """Raise `Refused` when a notification comes in a version that is not served."""
    version = headers.get(MCP_PROTOCOL_VERSION_HEADER, DEFAULT_NEGOTIATED_VERSION)
    if version in HANDSHAKE_PROTOCOL_VERSIONS:
        return
    if (rejection := unsupported_protocol_version_rejection(version)) is not None:
        raise _refusal(rejection, message)


def _check_duplicates(message: Message, lines: Sequence[tuple[bytes, bytes]]) -> None:
    if (name := find_duplicated_routing_header((key.decode("latin-1"), "") for key, _ in lines)) is not None:
        raise rpc_refusal(HEADER_MISMATCH, f"Send the {name} header once.", message.id)


def _handshake_version(message: Message, version: str) -> str:
    """`initialize` is answered in the form of the version it asks for, which no header names yet."""
    if message.method != "initialize":
        return version
    asked = (message.params or {}).get("protocolVersion")
    return asked if asked in HANDSHAKE_PROTOCOL_VERSIONS else LATEST_HANDSHAKE_VERSION


def _refusal(rejection: InboundLadderRejection, message: Message) -> Refused:
    return rpc_refusal(rejection.code, rejection.message, message.id, rejection.data)
