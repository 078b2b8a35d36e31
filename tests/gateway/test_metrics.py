"""What a platform team reads of a gateway at `/metrics`."""

from __future__ import annotations

import asyncio

import pytest
from prometheus_client import generate_latest

from services.gateway.waits import Early
from tests.counted import added, measured
from tests.harness import until
from tests.site import Refused, Site

SERVICES = ("rooms", "tasks", "pulse")
SETTINGS = {"calls_per_minute": 60, "calls_burst": 30}
PROJECT = "metered"
MAYA, JONAS = "metered-maya/codex", "metered-jonas/claude"


@pytest.fixture(scope="module")
async def met(site: Site) -> Site:
    await site.introduce(PROJECT, MAYA, JONAS)
    return site


async def test_calls_are_counted_and_timed_by_tool_and_outcome(met: Site) -> None:
    of = {"door": "mcp", "call": "post_message"}
    well, refused = (added("prickle_gateway_calls_total", **of, outcome=one) for one in ("ok", "not_found"))
    timed = added("prickle_gateway_call_seconds_count", **of)
    await met.call(MAYA, "post_message", project=PROJECT, body="hello")
    with pytest.raises(Refused):
        await met.call(MAYA, "post_message", project="no-such-project", body="hello")
    assert (well(), refused(), timed()) == (1, 1, 2)


async def test_a_tool_that_does_not_exist_makes_no_series(met: Site) -> None:
    await met.post(MAYA, "tools/call", {"name": "no_such_tool", "arguments": {}})
    assert "no_such_tool" not in generate_latest().decode()


async def test_calls_of_the_http_api_are_counted_by_endpoint(met: Site) -> None:
    of = {"door": "api", "call": "list_teams"}
    refused = added("prickle_gateway_calls_total", **of, outcome="unauthenticated")
    url = met.gateway.url.removesuffix("/mcp") + "/api/v1/teams"
    await met.http.get(url, headers={"authorization": "Bearer prk_person_unknown"})
    assert refused() == 1


async def test_tokens_are_counted_as_cached_looked_up_or_unknown(met: Site) -> None:
    await met.call(MAYA, "post_message", project=PROJECT, body="known now")
    cached, looked_up, unknown = (
        added("prickle_gateway_tokens_total", found=one) for one in ("cached", "looked_up", "unknown")
    )
    await met.call(MAYA, "post_message", project=PROJECT, body="known still")
    await met.post("prk_client_unknown", "tools/list", {})
    assert (cached(), looked_up(), unknown()) == (2, 0, 1)


async def test_waits_show_while_they_are_open_and_how_they_end(met: Site) -> None:
    open_before = measured("prickle_gateway_open_waits")
    delivered, departed, timed_out = (
        added("prickle_gateway_waits_total", end=one) for one in ("delivered", "departed", "timed_out")
    )
    waiting = await met.wait(JONAS)
    assert measured("prickle_gateway_open_waits") - open_before == 1
    await met.call(MAYA, "post_message", project=PROJECT, body=f"@{JONAS} hello")
    cursor = (await waiting)["next_cursor"]
    assert (await met.call(JONAS, "wait_for_mention", cursor=cursor, timeout_seconds=0))["timed_out"]
    leaving = await met.wait(JONAS, cursor=cursor)
    leaving.cancel()
    await until(lambda: departed() == 1)
    assert (delivered(), timed_out(), measured("prickle_gateway_open_waits") - open_before) == (1, 1, 0)


@pytest.mark.parametrize("why", ["drained", "crowded", "revoked"])
async def test_a_wait_that_ends_early_says_why(met: Site, why: Early) -> None:
    ended = added("prickle_gateway_waits_total", end=why)
    waiting = await met.wait(MAYA)
    (wait,) = met.gateway.app.gateway.waits.open_waits()
    wait.end(why)
    assert (await waiting)["timed_out"]
    assert ended() == 1


async def test_calls_beyond_the_limit_are_counted(met: Site) -> None:
    refused = added("prickle_gateway_rate_limited_total")
    calls = [met.call(JONAS, "read_room", project=PROJECT) for _ in range(40)]
    said = await asyncio.gather(*calls, return_exceptions=True)
    assert refused() == len([one for one in said if isinstance(one, Refused) and one.code == "limit_exceeded"]) > 0


async def test_no_label_is_from_people(met: Site) -> None:
    await met.call(MAYA, "post_message", project=PROJECT, body="a private word", idempotency_key="their key")
    shown = generate_latest().decode()
    secrets = ("a private word", "their key", PROJECT, "metered-maya", "prk_", met.tokens[MAYA])
    assert not [word for word in secrets if word in shown]
