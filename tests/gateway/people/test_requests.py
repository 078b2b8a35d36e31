"""What the API makes of bad requests: a clear error, never a crash, and nothing of the input in it (R48)."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from libs.contracts.errors import PROBLEMS
from services.gateway.people.answers import STATUS

SERVICES = ("rooms",)
Calling = Callable[..., httpx.AsyncClient]


async def test_an_unknown_token_is_challenged(calling: Calling) -> None:
    for token in ("x", "prk_person_unknown"):
        refused = await calling(token).get("/people")
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == 'Bearer error="invalid_token"'
        assert refused.json()["error"]["code"] == "unauthenticated"
        assert "prk_" not in refused.text


@pytest.mark.parametrize("body", [b"{", b"[]", b'"x"', b'{"slug": NaN}', b'{"slug": "\xff"}', b"[" * 200 + b"]" * 200])
async def test_a_body_that_is_no_json_object_is_refused(calling: Calling, body: bytes) -> None:
    refused = await calling("operator").post("/teams", content=body)
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "body")


async def test_a_body_over_a_mebibyte_is_refused(calling: Calling) -> None:
    refused = await calling("operator").post("/teams", content=b" " * (1 << 20) + b"{}")
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "content_too_large")


@pytest.mark.parametrize("text", ["\\u0000", "\\ud800"])
async def test_nul_and_lone_surrogates_are_refused_with_their_field(calling: Calling, text: str) -> None:
    body = f'{{"agent_id": "maya/x", "display_name": "X", "capabilities": ["fine", "un{text}fine"]}}'
    refused = await calling("maya").post("/agents", content=body)
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "capabilities[1]")


async def test_nul_in_a_path_is_refused(calling: Calling) -> None:
    refused = await calling("maya").put("/projects/x/memory/a%00b", json={"value": "x"})
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "key")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"display_name": "Name"}, "agent_id"),
        ({"agent_id": "Wrong Spelling", "display_name": "Name"}, "agent_id"),
        ({"agent_id": "maya/x", "display_name": "Spelling" * 9}, "display_name"),
        ({"agent_id": "maya/x", "display_name": 7}, "display_name"),
        ({"agent_id": "maya/x", "display_name": "Name", "takes_tasks_from": "Spelling"}, "takes_tasks_from"),
    ],
)
async def test_a_wrong_field_is_named_and_not_quoted(calling: Calling, body: object, field: str) -> None:
    refused = await calling("maya").post("/agents", json=body)
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, field)
    assert "Spelling" not in refused.text


async def test_unknown_paths_and_methods_are_refused_like_everything_else(calling: Calling) -> None:
    missing = await calling("operator").get("/chocolate")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")
    wrong = await calling("operator").put("/teams")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (405, "method_not_allowed")


async def test_a_path_with_a_line_end_is_refused_like_everything_else(calling: Calling) -> None:
    for path in ("/teams/a%0Ab", "/runs%0A/x", "/projects/a%0Ab/messages"):
        refused = await calling("operator").get(path)
        assert refused.status_code in (400, 403, 404)
        assert refused.json()["error"]["code"] in ("invalid_input", "forbidden", "not_found")


@pytest.mark.parametrize("time", ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00%2B14:00"])
async def test_a_time_that_no_clock_in_utc_shows_is_refused(calling: Calling, time: str) -> None:
    refused = await calling("maya").get(f"/runs?since={time}")
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "since")


def test_every_refusal_has_a_status() -> None:
    assert set(PROBLEMS) <= set(STATUS)
