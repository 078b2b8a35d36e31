"""What all contracts are made of: commands and queries asked of a service, events announced by one, views answered."""

from __future__ import annotations

import re
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field


def snake_case(name: str) -> str:
    """`PostMessage` becomes `post_message`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Data(BaseModel):
    """Immutable data; unknown fields are ignored, so that contracts can gain optional ones (R47)."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True, populate_by_name=True)

    def wire(self) -> dict[str, Any]:
        """The JSON object of this data, absent fields left out."""
        return self.model_dump(mode="json", by_alias=True)


class View(Data):
    """What a command answers and an agent reads."""


Answer = TypeVar("Answer", bound=View)


class Command(Data, Generic[Answer]):
    """A request to one service that may change its data; handled once (R40) and answered with `Answer`.

    A field made with `internal()` is filled in by the gateway and is no part of a tool's input.
    """

    service: ClassVar[str]
    type_name: ClassVar[str]
    answer_type: ClassVar[type[View]]
    writes: ClassVar[bool] = True
    keyed: ClassVar[bool] = True
    """Whether a client's idempotency key is the bus's matter; where it is not, the handler sees to it."""
    kept: ClassVar[bool] = True
    """Whether the answer is stored; where it is not, a repeated command is handled again and that is harmless."""

    def __init_subclass__(cls, *, service: str | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.type_name = snake_case(cls.__name__)
        if service is not None:
            cls.service = service

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Learn the answer's type from the base that the class was declared with."""
        super().__pydantic_init_subclass__()
        bases = [base.__pydantic_generic_metadata__["args"] for base in cls.__mro__ if issubclass(base, Data)]
        cls.answer_type = next((args[0] for args in bases if args), View)

    def arguments(self) -> dict[str, Any]:
        """What was said, as JSON: only the fields that were set."""
        return self.model_dump(mode="json", exclude_unset=True)


class Query(Command[Answer], Generic[Answer]):
    """A request that changes nothing."""

    writes: ClassVar[bool] = False


class Event(Data):
    """What happened in a service, announced to whoever is interested; its envelope carries an id (R42)."""

    source: ClassVar[str]
    type_name: ClassVar[str]

    def __init_subclass__(cls, *, source: str | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.type_name = snake_case(cls.__name__)
        if source is not None:
            cls.source = source

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__()


def _is_none(value: object) -> bool:
    return value is None


def absent(description: str = "", **constraints: Any) -> Any:
    """A field that may be left out and is never null: left out of what is sent when it is None."""
    return Field(
        default=None,
        exclude_if=_is_none,
        description=description or None,
        json_schema_extra={"x-omittable": True},
        **constraints,
    )


def internal(**constraints: Any) -> Any:
    """A field that the gateway fills in: hidden from the tool's input schema."""
    return Field(json_schema_extra={"x-internal": True}, **constraints)
