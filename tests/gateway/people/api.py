"""The HTTP API over real services, with a token for everybody who calls it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

import httpx
from starlette.requests import Request

from libs.contracts.base import Command, View
from libs.contracts.caller import OPERATOR, SYSTEM, Caller
from libs.contracts.directory import IssueKey, ResolveToken
from libs.contracts.errors import Unauthenticated
from services.gateway.people.tokens import fingerprint, new_token
from tests.gateway.directory.directory import Directory
from tests.harness import Hub

A = TypeVar("A", bound=View)


@dataclass
class Api:
    """The API on a port of its own, and clients for those who call it."""

    hub: Hub
    directory: Directory
    url: str = ""
    tokens: dict[str, str] = field(default_factory=dict)
    token_changes: int = 0

    async def session(self, request: Request) -> _Session:
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        found = await self.directory.ask(ResolveToken(token_sha256=fingerprint(token)), SYSTEM)
        if found.caller is None:
            raise Unauthenticated("Send a valid token as a bearer token.")
        return _Session(self, found.caller)

    async def let_in(self, subject: str, kind: str) -> None:
        """Give somebody a token."""
        token = self.tokens[subject] = new_token(kind)  # type: ignore[arg-type]
        command = IssueKey(subject=subject, kind=kind, token_sha256=fingerprint(token))  # type: ignore[arg-type]
        await self.directory.ask(command, OPERATOR)

    def of(self, subject: str) -> httpx.AsyncClient:
        """A client that calls as somebody."""
        token = self.tokens.get(subject, subject)
        return httpx.AsyncClient(base_url=f"{self.url}/api/v1", headers={"authorization": f"Bearer {token}"})


@dataclass
class _Session:
    api: Api
    caller: Caller

    async def ask(self, command: Command[A]) -> A:
        if command.service == "directory":
            return await self.api.directory.ask(command, self.caller)
        return await self.api.hub.ask(command, self.caller)

    async def tokens_changed(self) -> None:
        self.api.token_changes += 1
