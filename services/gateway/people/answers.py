"""Answers and refusals as HTTP responses."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from libs.contracts.base import View
from libs.contracts.errors import NotFound, Problem, ProblemData

STATUS = {
    "invalid_input": 400,
    "bad_cursor": 400,
    "evidence_required": 400,
    "unauthenticated": 401,
    "forbidden": 403,
    "cross_owner_off": 403,
    "room_not_linked": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "conflict": 409,
    "idempotency_conflict": 409,
    "stale_attempt": 409,
    "lease_not_held": 409,
    "content_too_large": 413,
    "limit_exceeded": 429,
    "unavailable": 503,
}
NOT_CACHED = {"cache-control": "no-store"}
CHALLENGE = 'Bearer error="invalid_token"'


class ContentTooLarge(Problem):
    """A body over the limit."""

    code = "content_too_large"


class MethodNotAllowed(Problem):
    """A path that exists, but not with this method."""

    code = "method_not_allowed"


class Markdown(str):
    """A page for people."""


def answer(said: View | Markdown | None, status: int) -> Response:
    """A view as JSON, Markdown as it is; nothing at all with 204. Never cached: some answers show a token once."""
    if isinstance(said, View):
        return _json(said.wire(), status, {})
    if said is None:
        return Response(status_code=204, headers=NOT_CACHED)
    return Response(said, status, NOT_CACHED, media_type="text/markdown")


def refusal(problem: Problem) -> Response:
    """A refusal as JSON, with the status of its code and the headers that go with it."""
    return _json({"error": problem.data.wire()}, STATUS[problem.data.code], _headers(problem.data))


def unrouted(request: Request, error: Exception) -> Response:
    """What no endpoint serves: Starlette's own 404 and 405 in the shape of all refusals."""
    if isinstance(error, HTTPException) and error.status_code == 405:
        response = refusal(MethodNotAllowed("Use one of the methods in the Allow header."))
        response.headers.update(error.headers or {})
        return response
    return refusal(NotFound("Use a path that the API describes."))


def _headers(problem: ProblemData) -> dict[str, str]:
    headers = {}
    if problem.code == "unauthenticated":
        headers["www-authenticate"] = CHALLENGE
    if problem.code in ("limit_exceeded", "unavailable"):
        headers["retry-after"] = str(problem.retry_after_seconds or 1)
    return headers


def _json(value: dict[str, Any], status: int, headers: dict[str, str]) -> Response:
    return Response(orjson.dumps(value), status, headers | NOT_CACHED, media_type="application/json")
