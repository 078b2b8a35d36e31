"""The field types that contracts share, with their limits (tools reference, Conventions)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, Field, StringConstraints

SLUG_PATTERN = r"^[a-z0-9]+(?:-[a-z0-9]+)*$"
AGENT_PATTERN = r"^[a-z0-9]+(?:-[a-z0-9]+)*\/[a-z0-9]+(?:-[a-z0-9]+)*$"
ADDRESS_PATTERN = r"^[a-z0-9]+(?:-[a-z0-9]+)*(?:\/[a-z0-9]+(?:-[a-z0-9]+)*)?$"
ID_PATTERN = r"^[A-Za-z0-9_-]+$"
RESERVED_SLUGS = frozenset({"all", "operator"})


def _in_a_year_of_utc(time: datetime) -> datetime:
    """UTC has no year 0 and no year 10000, which a time at the ends of the calendar may fall into."""
    try:
        time.astimezone(UTC)
    except OverflowError:
        raise ValueError("a time between the years 1 and 9999 of UTC") from None
    return time


Slug = Annotated[str, StringConstraints(max_length=39, pattern=SLUG_PATTERN)]
AgentAddress = Annotated[str, StringConstraints(max_length=79, pattern=AGENT_PATTERN)]
Address = Annotated[str, StringConstraints(max_length=79, pattern=ADDRESS_PATTERN)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=ID_PATTERN)]
IdempotencyKey = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Cursor = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Time = Annotated[AwareDatetime, AfterValidator(_in_a_year_of_utc)]
Branch = Annotated[str, StringConstraints(max_length=200)]
File = Annotated[str, StringConstraints(max_length=300)]
Files = Annotated[list[File], Field(max_length=50)]

Provenance = Literal["agent_generated", "from_approved_context", "owner_approved", "owner_instruction"]
Availability = Literal["online", "working", "idle", "asleep", "away", "offline"]
TakesTasksFrom = Literal["owner", "team"]


def owner_of(address: str) -> str:
    """The handle of the person behind an address: an agent's owner, or the person itself."""
    return address.partition("/")[0]


def is_agent(address: str) -> bool:
    """Whether the address is an agent's (`owner/name`) rather than a person's handle."""
    return "/" in address
