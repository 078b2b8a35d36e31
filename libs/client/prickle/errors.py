"""What a hub refuses, or that it cannot be reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PASSING = ("unavailable", "limit_exceeded")
"""The codes of refusals that pass by themselves."""


class HubError(Exception):
    """A refusal: its text is one sentence that says what to do next, its code is stable."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        field: str | None = None,
        hint: str | None = None,
        details: Mapping[str, Any] | None = None,
        retry_after_seconds: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.hint = hint
        self.details = details
        self.retry_after_seconds = retry_after_seconds

    @staticmethod
    def of(error: Mapping[str, Any]) -> HubError:
        """The refusal that an `error` object of an answer describes."""
        known = ("field", "hint", "details", "retry_after_seconds")
        return HubError(error["code"], error["message"], **{name: error[name] for name in known if name in error})


def unreachable() -> HubError:
    """Nobody answered, or the connection broke before the answer was there."""
    return HubError("unavailable", "Check that the hub is running at this URL, then try again.")


def unexpected(status: int) -> HubError:
    """Somebody answered, but not as a hub does."""
    return HubError("unavailable", f"Check the URL: what is there answered with HTTP status {status}, not as a hub.")
