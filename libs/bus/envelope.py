"""What travels on the streams: FastStream's envelope around JSON, with caller and key in a command's headers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, TypeVar

import orjson
from faststream.redis.parser import BinaryMessageFormatV1

from libs.contracts.base import Command, Event, View
from libs.contracts.caller import Caller
from libs.contracts.errors import Problem, ProblemData

Answer = TypeVar("Answer", bound=View)

FIELD = b"__data__"


@dataclass(slots=True)
class Order:
    """A command on its way: who sent it, where the reply goes and what makes it once."""

    command_id: str
    command: Command[Any]
    caller: Caller
    key: str | None = None
    """The client's idempotency key."""
    argument_hash: str = ""
    reply_to: str = ""
    refusal: ProblemData | None = None
    """A refusal that the gateway came to; given unless the order repeats one that was answered."""
    asked_ms: int | None = None
    """When it was asked, in milliseconds; a re-send carries it, so that none is carried out late (R41)."""
    entry_id: bytes = b""
    """The stream entry that it came in."""

    @property
    def keyed(self) -> bool:
        """Whether the client named an idempotency key."""
        return self.key is not None

    @property
    def once_key(self) -> str:
        """What its answer is stored under: the client's key within caller and tool, else the command's id."""
        if self.key is None:
            return self.command_id
        return f"{self.caller.identity}|{self.command.type_name}|{self.key}"

    async def encode(self) -> bytes:
        """The stream entry's one field."""
        headers = {
            "command": self.command.type_name,
            "caller": _ascii(self.caller.wire()),
            "once": _ascii([self.key, self.argument_hash]),
        }
        if self.refusal is not None:
            headers["refusal"] = _ascii(self.refusal.wire())
        if self.asked_ms is not None:
            headers["asked"] = str(self.asked_ms)
        body = self.command.model_dump_json(include=self.command.model_fields_set).encode()
        return await _encode(body, headers, self.command_id, self.reply_to)

    @staticmethod
    def decode(data: bytes, entry_id: bytes, known: dict[str, type[Command[Any]]]) -> Order:
        """The order in a stream entry; raises KeyError or ValueError when it is none of this service's."""
        body, headers = BinaryMessageFormatV1.parse(data)
        key, argument_hash = orjson.loads(headers["once"])
        return Order(
            command_id=headers["correlation_id"],
            command=known[headers["command"]].model_validate_json(body),
            caller=Caller.model_validate_json(headers["caller"]),
            key=key,
            argument_hash=argument_hash,
            reply_to=headers.get("reply_to", ""),
            refusal=ProblemData.model_validate_json(headers["refusal"]) if "refusal" in headers else None,
            asked_ms=int(headers["asked"]) if "asked" in headers else milliseconds(entry_id),
            entry_id=entry_id,
        )


@dataclass(frozen=True, slots=True)
class Happening:
    """An event on its way."""

    event_id: str
    event: Event

    async def encode(self) -> bytes:
        """The stream entry's one field."""
        return await _encode(self.event.model_dump_json().encode(), {"event": self.event.type_name}, self.event_id)


def decode_event(data: bytes) -> tuple[str, str, Any]:
    """The id, type name and JSON body of an event in a stream entry."""
    body, headers = BinaryMessageFormatV1.parse(data)
    return headers["correlation_id"], headers["event"], orjson.loads(body)


@dataclass(slots=True)
class Reply:
    """What a service says to an order: an answer as JSON, or a problem."""

    answer: bytes = b""
    problem: ProblemData | None = None
    view: View | None = field(default=None, compare=False)

    def read(self, command: Command[Answer]) -> Answer:
        """The answer in this reply; raises the problem that it carries."""
        if self.problem is not None:
            raise Problem.of(self.problem)
        if isinstance(self.view, command.answer_type):
            return self.view  # type: ignore[return-value]
        return command.answer_type.model_validate_json(self.answer)  # type: ignore[return-value]

    @staticmethod
    def of(said: View | Problem) -> Reply:
        """The reply that carries a view or a refusal."""
        if isinstance(said, Problem):
            return Reply(problem=said.data)
        return Reply(answer=said.model_dump_json().encode(), view=said)

    async def encode(self, command_id: str) -> bytes:
        """The stream entry's one field."""
        if self.problem is not None:
            return await _encode(self.problem.model_dump_json().encode(), {"problem": self.problem.code}, command_id)
        return await _encode(self.answer, {}, command_id)

    @staticmethod
    def decode(data: bytes) -> tuple[str, Reply]:
        """The command's id and the reply in a stream entry."""
        body, headers = BinaryMessageFormatV1.parse(data)
        if "problem" in headers:
            return headers["correlation_id"], Reply(problem=ProblemData.model_validate_json(body))
        return headers["correlation_id"], Reply(answer=body)


def milliseconds(entry_id: bytes) -> int:
    """The time part of a stream entry's id, milliseconds on Redis's clock."""
    return int(entry_id.partition(b"-")[0])


def _ascii(value: Any) -> str:
    """JSON in ASCII: FastStream counts a header's characters, not its bytes."""
    return json.dumps(value, separators=(",", ":"))


async def _encode(body: bytes, headers: dict[str, str], correlation_id: str, reply_to: str = "") -> bytes:
    return await BinaryMessageFormatV1.encode(
        message=body, reply_to=reply_to or None, headers=headers, correlation_id=correlation_id
    )
