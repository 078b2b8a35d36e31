"""Listening sockets that an installation opens and its children inherit.

So a port is ours before anything is started on it, and callers of a process that died wait in the queue for the next.
"""

from __future__ import annotations

import errno
import socket

from libs.runtime.directory_lock import CannotStart

BACKLOG = 4096
ANYWHERE = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}


class PortTaken(CannotStart):
    """Somebody else listens on the port."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is any free one. Raises `PortTaken` or `CannotStart`."""
    try:
        family = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(f"port {port} is taken; stop what listens there or name another --port") from error
        if error.errno == errno.EACCES:
            raise CannotStart(f"port {port} needs the rights of root; name a --port above 1023") from error
        raise CannotStart(f"cannot listen on {host}; name an address of this machine as --host") from error


def local_url(listener: socket.socket) -> str:
    """How a process on this machine reaches a listening socket."""
    host, port = listener.getsockname()[:2]
    host = ANYWHERE.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
