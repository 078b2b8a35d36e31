"""MCP over HTTP: JSON for short calls, an event stream for waits, both protocol eras, no sessions.

The `mcp` SDK's low-level `Server` keeps all semantics; this package only carries one request to it and
one answer back, through the SDK's single-exchange driver (`serve_one`). It knows nothing of what the tools do.

A handler finds the caller (whatever the authenticator returned) in `ctx.request`, and reports progress with
`ctx.session.report_progress(...)`, which reaches the client of a streamed wait that sent a progress token.
Tools whose schema mirrors arguments into `Mcp-Param-*` headers are not supported.
"""

from services.gateway.transport.app import Authenticator, Forbidden, McpTransport, Unauthenticated
from services.gateway.transport.listing import prebuilt_tools

__all__ = ["Authenticator", "Forbidden", "McpTransport", "Unauthenticated", "prebuilt_tools"]
