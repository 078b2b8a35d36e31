"""The sizes of what is asked and answered."""

from __future__ import annotations

from typing import Any

import orjson

from libs.contracts.base import Command, Data
from libs.contracts.errors import InvalidInput

MAX_INPUT_BYTES = 24 * 1024


def size(value: Data | str) -> int:
    """The bytes of a value as compact JSON in UTF-8."""
    return len(orjson.dumps(value.wire() if isinstance(value, Data) else value))


def refuse_large_input(command: Command[Any]) -> None:
    """Keep an input within 24 KiB, so that an answer has room for what came of it; the longest field is named."""
    said = {name: orjson.dumps(value) for name, value in command.arguments().items() if name != "facts"}
    if sum(len(orjson.dumps(name)) + len(value) + 2 for name, value in said.items()) + 1 > MAX_INPUT_BYTES:
        longest = max(said, key=lambda name: len(said[name]))
        raise InvalidInput(
            "Shorten the longest field: the whole input may have 24 KiB as JSON in UTF-8.", field=longest
        )
