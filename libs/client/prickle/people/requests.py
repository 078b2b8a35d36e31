"""What awaits a person, and requests of agents."""

from __future__ import annotations

from prickle.people.line import Line
from prickle.views import Inbox, Request, RequestPage


class RequestsApi(Line):
    """The inbox, and the word on requests."""

    async def read_inbox(self) -> Inbox:
        """All that awaits the calling person's word."""
        inbox: Inbox = await self._send("GET", "inbox")
        return inbox

    async def list_requests(
        self,
        *,
        project: str | None = None,
        statuses: list[str] | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> RequestPage:
        """Requests to the caller, newest first; pending ones by default. Pass `last` as `after` for the next page."""
        asked = {"project": project, "statuses": statuses, "after": after, "limit": limit}
        page: RequestPage = await self._send("GET", "requests", **asked)
        return page

    async def decide_request(
        self, request_id: str, decision: str, *, reason: str | None = None, expires_at: str | None = None
    ) -> Request:
        """`approve` or `deny` a capability; say that a step is `done`, or `deny` it."""
        said = {"decision": decision, "reason": reason, "expires_at": expires_at}
        request: Request = (await self._send("POST", "requests", request_id, "decision", **said))["request"]
        return request

    async def answer_request(self, request_id: str, answer: str) -> Request:
        """Answer an agent's question about a task."""
        request: Request = (await self._send("POST", "requests", request_id, "answer", answer=answer))["request"]
        return request
