"""Execution credentials: tasks is asked about them at every call, nothing is cached (R10)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from libs.contracts.errors import Problem, StaleAttempt, Unauthenticated
from libs.contracts.tasks import ResolveRunToken, RunToken

PREFIX = "prk_run_"


class RunTokens:
    """Looks execution credentials up; each look renews the attempt of a live one (R3)."""

    def __init__(self, resolve: Callable[[ResolveRunToken], Awaitable[RunToken]]) -> None:
        self._resolve = resolve

    async def look_up(self, digest: str) -> RunToken:
        """The run behind a token, live or ended; raises `Unauthenticated` when there is none any more."""
        token = await self._resolve(ResolveRunToken(token_sha256=digest))
        if token.caller is None:
            raise Unauthenticated("Stop: this run is over and its credential with it.")
        return token

    async def check(self, digest: str) -> None:
        """Make sure that a run still lives, before an open wait delivers."""
        ended = refusal_of(await self.look_up(digest))
        if ended is not None:
            raise ended


def refusal_of(token: RunToken) -> Problem | None:
    """What the calls of an ended run are refused with."""
    return StaleAttempt(token.ended) if token.ended else None
