"""Cursors: opaque, signed, bound to a tool, its filter and the agent they were given to (R20)."""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import astuple, dataclass
from struct import Struct

from libs.contracts.errors import BadCursor

BINDING_BYTES = 8
EPOCH_BYTES = 6
SIGNATURE_BYTES = 12
NUMBERS = Struct(">QQQQ")
START_OVER = "Leave the cursor out to start again."


@dataclass(frozen=True, slots=True)
class Binding:
    """What a cursor belongs to; elsewhere it is refused."""

    tool: str
    subject: str
    filter: str = ""

    def digest(self) -> bytes:
        """The binding in eight bytes."""
        text = "\n".join((self.tool, self.subject, self.filter))
        return hashlib.sha256(text.encode()).digest()[:BINDING_BYTES]


@dataclass(frozen=True, slots=True)
class Positions:
    """The last number seen of each mailbox, and the rejoins that were told."""

    rooms: int = 0
    tasks: int = 0
    rejoins: int = 0
    pulse: int = 0


class Cursors:
    """Writes and reads cursors with the key that all gateways of an installation share."""

    def __init__(self, key: str, epoch: str) -> None:
        self._key = key.encode()
        self._epoch = hashlib.sha256(epoch.encode()).digest()[:EPOCH_BYTES]

    def write(self, binding: Binding, content: bytes) -> str:
        """A cursor that carries `content`."""
        payload = binding.digest() + self._epoch + content
        return _encode(self._sign(payload) + payload)

    def read(self, binding: Binding, cursor: str) -> tuple[bytes, bool]:
        """A cursor's content and whether it is of this epoch; raises `BadCursor` when it belongs elsewhere."""
        raw = _decode(cursor)
        signature, payload = raw[:SIGNATURE_BYTES], raw[SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._sign(payload)) or payload[:BINDING_BYTES] != binding.digest():
            raise BadCursor(START_OVER, field="cursor")
        content = payload[BINDING_BYTES + EPOCH_BYTES :]
        return content, payload[BINDING_BYTES : BINDING_BYTES + EPOCH_BYTES] == self._epoch

    def read_current(self, binding: Binding, cursor: str) -> bytes:
        """A cursor's content; raises `BadCursor` also when it is of another epoch."""
        content, current = self.read(binding, cursor)
        if not current:
            raise BadCursor(START_OVER, field="cursor")
        return content

    def write_positions(self, binding: Binding, positions: Positions) -> str:
        """The cursor of a wait."""
        return self.write(binding, NUMBERS.pack(*astuple(positions)))

    def read_positions(self, binding: Binding, cursor: str) -> Positions | None:
        """The positions in a wait's cursor; None when it is of another epoch.

        Further ones, of mailboxes that only a newer gateway knows, are passed over (R47).
        """
        content, current = self.read(binding, cursor)
        return Positions(*NUMBERS.unpack_from(content)) if current else None

    def _sign(self, payload: bytes) -> bytes:
        return hmac.digest(self._key, payload, "sha256")[:SIGNATURE_BYTES]


def _encode(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")


def _decode(cursor: str) -> bytes:
    """What was encoded; the library would pass over characters that do not belong there."""
    try:
        raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except ValueError:
        raise BadCursor(START_OVER, field="cursor") from None
    if _encode(raw) != cursor:
        raise BadCursor(START_OVER, field="cursor")
    return raw
