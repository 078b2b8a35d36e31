"""A token becomes a caller: one round trip to Redis a call, the directory only when the token is not cached (R46)."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from redis.exceptions import RedisError

from libs.bus.connection import Writer
from libs.bus.execution import Clock
from libs.contracts.caller import Caller
from libs.contracts.directory import Resolved, ResolveToken
from libs.contracts.errors import LimitExceeded, Problem, Unauthenticated, Unavailable
from libs.contracts.policy import Policy
from services.gateway.metrics import RATE_LIMITED, TOKENS
from services.gateway.run_tokens import PREFIX, RunTokens, refusal_of
from services.gateway.tokens import fingerprint

AUTH_KEY = "prickle:auth"
SEND_A_TOKEN = "Send a valid token as a bearer token."
BUCKET_SECONDS = 120
TURN_SECONDS = 3.0
_CACHED = TOKENS.labels("cached")

TAKE_A_TURN = """
local auth = redis.call('GET', KEYS[1])
if not auth then
  redis.call('SET', KEYS[1], ARGV[1], 'NX')
  auth = redis.call('GET', KEYS[1])
end
local rate, burst = tonumber(ARGV[2]) / 60, tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local bucket = redis.call('HMGET', KEYS[2], 'left', 'at')
local left = math.min(burst, (tonumber(bucket[1]) or burst) + (now - (tonumber(bucket[2]) or now)) * rate)
local wait = 0
if left >= 1 then left = left - 1 else wait = math.ceil((1 - left) / rate) end
redis.call('HSET', KEYS[2], 'left', tostring(left), 'at', tostring(now))
redis.call('EXPIRE', KEYS[2], ARGV[4])
return {auth, wait}
"""
"""Read the revocation value, making one if there is none, and take a turn from the credential's bucket (R45)."""


@dataclass(frozen=True, slots=True)
class Known:
    """A token that was looked up, and until when that may be trusted."""

    caller: Caller
    until: datetime
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Admitted:
    """A call with a good token."""

    caller: Caller
    digest: str
    refusal: Problem | None
    may_repeat_result: bool = False
    """Whether an ended run may repeat its return_result (R10)."""


class Tokens:
    """The tokens this gateway process knows."""

    def __init__(
        self,
        writer: Writer,
        resolve: Callable[[ResolveToken], Awaitable[Resolved]],
        runs: RunTokens,
        policy: Policy,
        clock: Clock,
    ) -> None:
        self._writer = writer
        self.runs = runs
        self._resolve = resolve
        self._policy = policy
        self._clock = clock
        self._known: dict[str, Known] = {}
        self._auth: bytes | None = None
        self.uses: dict[str, datetime] = {}

    async def admit(self, token: str | None) -> Admitted:
        """Who calls, and whether it is too much or Redis is away; raises `Unauthenticated`.

        A token that proves nothing gets no bucket: whoever makes up many would fill Redis.
        """
        if token is None or not token.isascii():
            raise Unauthenticated(SEND_A_TOKEN)
        digest = fingerprint(token)
        if token.startswith(PREFIX):
            return await self._admit_run(digest)
        await self.known(digest)
        refusal = await self._take_turn(digest)
        caller = (await self.known(digest)).caller
        self.uses[caller.credential_id] = self._clock()
        return Admitted(caller, digest, refusal)

    async def _admit_run(self, digest: str) -> Admitted:
        run = await self.runs.look_up(digest)
        assert run.caller is not None
        refusal = await self._take_turn(digest)
        return Admitted(run.caller, digest, refusal or refusal_of(run), run.may_repeat_result and refusal is None)

    async def _take_turn(self, digest: str) -> Problem | None:
        limits = (self._policy.calls_per_minute, self._policy.calls_burst, BUCKET_SECONDS)
        bucket = f"prickle:calls:{digest[:32]}"
        keys = (2, AUTH_KEY, bucket)
        try:
            async with asyncio.timeout(TURN_SECONDS):
                auth, wait = await self._writer.execute("EVAL", TAKE_A_TURN, *keys, secrets.token_hex(8), *limits)
        except (RedisError, OSError):
            return Unavailable("Try again in a moment.", retry_after_seconds=1)
        self.note(auth)
        if not wait:
            return None
        RATE_LIMITED.inc()
        return LimitExceeded("Slow down: call again after a pause.", retry_after_seconds=int(wait))

    def note(self, auth: bytes | None) -> None:
        """Compare the revocation value with the last one; another one empties the cache."""
        if auth != self._auth:
            self._known.clear()
            self._auth = auth

    async def known(self, digest: str) -> Known:
        """The caller behind a token; raises `Unauthenticated` when it is unknown or ended."""
        now = self._clock()
        known = self._known.get(digest)
        if known is None or known.until <= now:
            known = await self._look_up(digest, now)
        else:
            _CACHED.inc()
        if known.expires_at is not None and known.expires_at <= now:
            raise Unauthenticated(SEND_A_TOKEN)
        return known

    async def _look_up(self, digest: str, now: datetime) -> Known:
        auth = self._auth
        resolved = await self._resolve(ResolveToken(token_sha256=digest))
        if resolved.caller is None:
            TOKENS.labels("unknown").inc()
            self._known.pop(digest, None)
            raise Unauthenticated(SEND_A_TOKEN)
        TOKENS.labels("looked_up").inc()
        until = now + timedelta(seconds=self._policy.token_cache_seconds)
        known = Known(resolved.caller, until, resolved.expires_at)
        if auth == self._auth:
            self._known[digest] = known
        return known

    async def check(self, digest: str) -> None:
        """Make sure that a token is still good, before an open wait delivers (R46)."""
        try:
            async with asyncio.timeout(TURN_SECONDS):
                await self.refresh()
        except (RedisError, OSError):
            self._known.pop(digest, None)
        await self.known(digest)

    def vouches_for(self, digest: str) -> bool:
        """Whether a token was good when it was last looked up, nothing was revoked since, and it has not expired."""
        known = self._known.get(digest)
        return known is not None and (known.expires_at is None or known.expires_at > self._clock())

    async def changed(self) -> None:
        """Set a new revocation value: every gateway looks its tokens up again at its next call."""
        value = secrets.token_hex(8)
        await self._writer.execute("SET", AUTH_KEY, value)
        self.note(value.encode())

    async def refresh(self) -> None:
        """Read the revocation value, for waits that stay open."""
        auth = await self._writer.execute("GET", AUTH_KEY)
        if auth is not None:
            self.note(auth)
