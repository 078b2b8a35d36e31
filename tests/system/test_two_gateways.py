"""Two gateways in front of one hub: what happens at one counts at the other at once."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from libs.contracts.caller import OPERATOR
from libs.contracts.directory import RevokeKey
from libs.contracts.types import owner_of
from tests.site import MODERN, Refused, Site
from tests.system.pair import Pair, both_eras, ids

GATEWAYS = 2
BOTH = (0, 1)


async def revoke(pair: Pair, agent: str) -> None:
    """End the oldest key of an agent, as its owner does, at the first gateway."""
    owner = owner_of(agent)
    key = (await pair.api("GET", f"/agents/{agent}/keys", owner)).json()["keys"][0]
    assert (await pair.api("DELETE", f"/keys/{key['key_id']}", owner)).status_code == 204


async def statuses(site: Site, token: str, era: str) -> list[int]:
    """How each gateway answers a call with a token."""
    params = {"name": "check_inbox", "arguments": {}}
    calls = [await site.post(token, "tools/call", params, era=era, gateway=number) for number in BOTH]
    return [call.status_code for call in calls]


async def ending(wait: Any) -> str:
    """The code of the refusal that an open wait ends with, long before its timeout."""
    with pytest.raises(Refused) as refused:
        async with asyncio.timeout(15):
            await wait
    return refused.value.code


async def test_a_wait_at_one_gateway_is_woken_by_a_post_at_the_other(pair: Pair) -> None:
    waits = [await pair.site.wait(pair.bob, gateway=number) for number in BOTH]
    mention = await pair.mention_bob(idempotency_key="one")
    assert [ids(await wait) for wait in waits] == [[mention], [mention]]
    wait = await pair.site.wait(pair.ann, gateway=1)
    posted = await pair.site.call(pair.bob, "post_message", project=pair.project, body=f"@{pair.ann} hello")
    assert ids(await wait) == [posted["message"]["id"]]


async def test_a_cursor_of_one_gateway_is_good_at_the_other(pair: Pair) -> None:
    """R20: they share the signing key."""
    mentions = [await pair.mention_bob() for _ in range(4)]
    heard, cursor = [], {}
    for turn in range(4):
        answer = await pair.wait(limit=1, gateway=turn % 2, **cursor)
        heard += ids(answer)
        cursor = {"cursor": answer["next_cursor"]}
    assert heard == mentions


async def test_a_key_repeated_at_the_other_gateway_gets_the_first_answer(pair: Pair) -> None:
    """R40."""
    said = {"project": pair.project, "body": "once", "idempotency_key": "one"}
    first = await pair.call(pair.ann, "post_message", **said)
    assert await pair.call(pair.ann, "post_message", **said, gateway=1) == first


@both_eras
async def test_a_revoked_token_is_refused_by_the_next_call_at_each_gateway(pair: Pair) -> None:
    """R46: they had looked it up before."""
    assert await statuses(pair.site, pair.bob, pair.era) == [200, 200]
    await revoke(pair, pair.bob)
    assert await statuses(pair.site, pair.bob, pair.era) == [401, 401]


@both_eras
async def test_the_open_waits_of_a_revoked_token_end_and_those_of_others_go_on(pair: Pair) -> None:
    """R25, R46: also at the gateway that revoked it, and although other calls noticed the revocation first."""
    waits = [await pair.site.wait(pair.bob, gateway=number, era=pair.era, timeout_seconds=50) for number in BOTH]
    second = await pair.site.issue(pair.bob, "client")
    others = [await pair.site.wait(second, gateway=number, era=pair.era, timeout_seconds=50) for number in BOTH]
    await revoke(pair, pair.bob)
    for number in BOTH:
        await pair.call(pair.ann, "check_inbox", gateway=number)
    assert [await ending(wait) for wait in waits] == ["unauthenticated"] * 2
    assert not any(wait.done() for wait in others)
    mention = await pair.mention_bob()
    assert [ids(await wait) for wait in others] == [[mention]] * 2


async def test_an_open_wait_of_a_revoked_token_delivers_nothing_any_more(pair: Pair) -> None:
    """R46: it looks again before it delivers."""
    waits = [await pair.site.wait(pair.bob, gateway=number, timeout_seconds=50) for number in BOTH]
    await revoke(pair, pair.bob)
    await pair.mention_bob("for your eyes only")
    assert [await ending(wait) for wait in waits] == ["unauthenticated"] * 2


async def test_a_revocation_that_nobody_heard_of_counts_after_a_minute(pair: Pair) -> None:
    """R46: no gateway trusts what it looked up for longer."""
    assert await statuses(pair.site, pair.bob, MODERN) == [200, 200]
    keys = (await pair.api("GET", f"/agents/{pair.bob}/keys", owner_of(pair.bob))).json()["keys"]
    await pair.site.gateway.app.gateway.ask(RevokeKey(key_id=keys[0]["key_id"]), OPERATOR)
    pair.site.hub.clock.advance(seconds=60)
    assert await statuses(pair.site, pair.bob, MODERN) == [401, 401]


async def test_a_revocation_counts_at_once_though_redis_has_lost_the_value_that_tells_of_it(pair: Pair) -> None:
    """R46: who finds it missing sets a new one, which is another."""
    redis = pair.site.hub.services["rooms"].bus.client
    assert await statuses(pair.site, pair.bob, MODERN) == [200, 200]
    await revoke(pair, pair.bob)
    await redis.delete("prickle:auth")
    assert await statuses(pair.site, pair.ann, MODERN) == [200, 200]
    assert await redis.exists("prickle:auth")
    assert await statuses(pair.site, pair.bob, MODERN) == [401, 401]


async def test_an_open_wait_ends_when_its_token_expires(pair: Pair) -> None:
    """R25."""
    clock = pair.site.hub.clock
    token = await pair.site.issue(pair.bob, "client", expires_at=clock.now + timedelta(seconds=60))
    waits = [await pair.site.wait(token, gateway=number, timeout_seconds=50) for number in BOTH]
    clock.advance(seconds=59)
    assert await statuses(pair.site, token, MODERN) == [200, 200]
    clock.advance(seconds=1)
    assert await statuses(pair.site, token, MODERN) == [401, 401]
    assert [await ending(wait) for wait in waits] == ["unauthenticated"] * 2
