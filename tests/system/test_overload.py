"""Overload is refused early, per credential, and says when to come back (R45)."""

from __future__ import annotations

from tests.site import Refused
from tests.system.pair import Pair, both_eras

GATEWAYS = 2
SETTINGS = {"calls_per_minute": 6, "calls_burst": 5}


async def spent(pair: Pair) -> Refused:
    """The refusal that ann gets once its calls are used up, at two gateways in turn."""
    for number in range(5):
        await pair.call(pair.ann, "post_message", project=pair.project, body="more", gateway=number % 2)
    return await pair.refused(pair.ann, "post_message", project=pair.project, body="too much")


@both_eras
async def test_too_many_calls_are_refused_and_write_nothing(pair: Pair) -> None:
    """R45: both gateways count together."""
    refusal = await spent(pair)
    assert refusal.code == "limit_exceeded"
    assert 1 <= refusal.error["retry_after_seconds"] <= 10
    room = await pair.call(pair.bob, "read_room", project=pair.project)
    assert [message["body"] for message in room["messages"]] == ["more"] * 5


async def test_a_wait_beyond_the_limit_is_refused_at_once(pair: Pair) -> None:
    await spent(pair)
    assert await pair.refusal("wait_for_mention", by=pair.ann, timeout_seconds=50) == ("limit_exceeded", None)


async def test_tokens_that_prove_nothing_leave_nothing_in_redis(pair: Pair) -> None:
    """Whoever makes up many would fill it."""
    redis = pair.site.hub.services["rooms"].bus.client
    before = await redis.keys("prickle:calls:*")
    for number in range(5):
        answer = await pair.site.post(f"prk_client_made-up-{number}", "tools/list", {}, era=pair.era)
        assert answer.status_code == 401
    assert await redis.keys("prickle:calls:*") == before


async def test_the_http_api_counts_too(pair: Pair) -> None:
    url = pair.site.gateway.url.removesuffix("/mcp") + "/api/v1/projects"
    headers = {"authorization": f"Bearer {pair.site.tokens[pair.ann.partition('/')[0]]}"}
    answers = [await pair.site.http.get(url, headers=headers) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert int(answers[-1].headers["retry-after"]) >= 1
