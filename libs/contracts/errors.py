"""Refusals: each is an answer, one sentence that says what to do next (the codes of the tools' reference)."""

from __future__ import annotations

from typing import Any, ClassVar

from libs.contracts.base import Data


class ProblemData(Data):
    """A refusal as it travels."""

    code: str
    message: str
    hint: str | None = None
    field: str | None = None
    details: dict[str, Any] | None = None
    retry_after_seconds: int | None = None

    def wire(self) -> dict[str, Any]:
        return self.model_dump(mode="json", exclude_none=True)


class Problem(Exception):
    """A refusal that the caller can act on. Handlers raise it before they write anything."""

    code: ClassVar[str] = "unavailable"

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        field: str | None = None,
        details: dict[str, Any] | None = None,
        retry_after_seconds: int | None = None,
    ) -> None:
        super().__init__(message)
        self.data = ProblemData(
            code=self.code,
            message=message,
            hint=hint,
            field=field,
            details=details,
            retry_after_seconds=retry_after_seconds,
        )

    @staticmethod
    def of(data: ProblemData) -> Problem:
        """The problem that `data` describes."""
        problem = PROBLEMS.get(data.code, Unavailable)(data.message)
        problem.data = data
        return problem


class InvalidInput(Problem):
    code = "invalid_input"


class Unauthenticated(Problem):
    code = "unauthenticated"


class Forbidden(Problem):
    code = "forbidden"


class NotFound(Problem):
    code = "not_found"


class Conflict(Problem):
    code = "conflict"


class IdempotencyConflict(Problem):
    code = "idempotency_conflict"


class StaleAttempt(Problem):
    code = "stale_attempt"


class EvidenceRequired(Problem):
    code = "evidence_required"


class BadCursor(Problem):
    code = "bad_cursor"


class LimitExceeded(Problem):
    code = "limit_exceeded"


class Unavailable(Problem):
    code = "unavailable"


class LeaseNotHeld(Problem):
    code = "lease_not_held"


class RoomNotLinked(Problem):
    code = "room_not_linked"


class CrossOwnerOff(Problem):
    code = "cross_owner_off"


PROBLEMS: dict[str, type[Problem]] = {kind.code: kind for kind in Problem.__subclasses__()}
