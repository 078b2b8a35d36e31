"""Which requests are let in at all: method, `Host`, `Origin` and content type."""

from collections.abc import Mapping, Sequence

from services.gateway.transport.responses import http_refusal

LOOPBACK_HOSTS = ("localhost:*", "127.0.0.1:*", "[::1]:*")
LOOPBACK_ORIGINS = tuple(f"{scheme}://{host}" for scheme in ("http", "https") for host in LOOPBACK_HOSTS)


class Door:
    """Checks that need only the request line and headers. Empty lists mean any loopback name (DNS rebinding)."""

    def __init__(self, allowed_hosts: Sequence[str], allowed_origins: Sequence[str]) -> None:
        self._hosts = tuple(allowed_hosts) or LOOPBACK_HOSTS
        self._origins = tuple(allowed_origins) or LOOPBACK_ORIGINS

    def check(self, method: str, headers: Mapping[str, str]) -> None:
        """Raise `Refused` with 421, 403, 405 or 415 for a request that must not come in."""
        if not _is_allowed(headers.get("host", ""), self._hosts):
            raise http_refusal(421, "misdirected_request", "Use a host name that this server is configured for.")
        if "origin" in headers and not _is_allowed(headers["origin"], self._origins):
            raise http_refusal(403, "forbidden_origin", "Call from an origin that this server is configured for.")
        if method != "POST":
            raise http_refusal(405, "method_not_allowed", "Use POST.", [(b"allow", b"POST")])
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise http_refusal(415, "unsupported_media_type", "Send the body as application/json.")


def _is_allowed(value: str, patterns: Sequence[str]) -> bool:
    return any(_matches(value.lower(), pattern.lower()) for pattern in patterns)


def _matches(value: str, pattern: str) -> bool:
    """Whether a host or origin is the pattern; one ending in `:*` takes any port or none, `*` takes anything."""
    if not pattern.endswith(":*"):
        return pattern in (value, "*")
    name, port = pattern[:-2], value[len(pattern) - 2 :]
    return value.startswith(name) and (not port or (port[0] == ":" and port[1:].isdecimal()))
