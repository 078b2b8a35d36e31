"""Two gateways in front of two replicas of each service, all on one PostgreSQL server."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from libs.bus import Asked, Work
from libs.bus.mailbox import number_and_store
from libs.contracts.directory import Resolved
from libs.contracts.rooms import PostMessage
from libs.storage import Database
from services.gateway.app import GatewayApp
from services.rooms.handlers.posts import post_messages
from tests.databases import one_waits_for_a_lock
from tests.harness import caller, until
from tests.site import Site
from tests.system.pair import Pair, ids
from tests.system.test_two_gateways import revoke, statuses

REPLICAS = GATEWAYS = 2
POOL = 5
SETTINGS = {"database_pool": POOL}
KEYS, WAITS = 7, 50


@asynccontextmanager
async def post_under_way(pair: Pair, body: str) -> AsyncIterator[Work]:
    """A transaction of one replica of rooms that writes a mention of bob, in another project, and then commits."""
    project = f"{pair.project}-b"
    await pair.site.introduce(project, pair.ann, pair.bob)
    async with pair.site.hub.services["rooms"].bus.executor.begin() as work:
        await post_messages([Asked(PostMessage(project=project, body=f"@{pair.bob} {body}"), caller(pair.ann))], work)
        yield work


def said(pair: Pair, answer: dict[str, Any]) -> list[str]:
    """What the messages say that a wait of bob returned."""
    return [message["body"].removeprefix(f"@{pair.bob} ") for message in answer["mentions"]]


async def test_what_is_written_first_and_committed_last_is_returned_by_the_next_wait(pair: Pair) -> None:
    """R19, R22: A writes, B writes and commits, a wait returns; A commits; the next wait returns A's entry too."""
    async with post_under_way(pair, "A"):
        await pair.mention_bob("B")
        first = await pair.wait(timeout_seconds=20)
        assert said(pair, first) == ["B"]
    second = await pair.wait(cursor=first["next_cursor"], gateway=1)
    assert said(pair, second) == ["A"]
    assert await pair.heard(cursor=second["next_cursor"]) == []


async def test_no_cursor_passes_a_number_that_is_given_but_not_committed(pair: Pair) -> None:
    """R19, R22: who writes later for the same mailbox waits, and a wait meanwhile returns neither."""
    async with post_under_way(pair, "A") as work:
        await number_and_store(work.session, work.deliveries, work.now)
        work.deliveries.clear()
        later = asyncio.create_task(pair.mention_bob("B"))
        await until(lambda: one_waits_for_a_lock(pair.site.hub.services["rooms"].database))
        meanwhile = await pair.wait()
        assert said(pair, meanwhile) == []
    await later
    assert said(pair, await pair.wait(cursor=meanwhile["next_cursor"], gateway=1)) == ["A", "B"]


async def test_fifty_open_waits_hold_no_connection_of_a_pool_of_five(pair: Pair) -> None:
    """R25: so another agent is answered while all of them stay open."""
    keys = [await pair.site.issue(pair.bob, "client") for _ in range(KEYS)]
    who = [(keys[number % KEYS], number % GATEWAYS) for number in range(WAITS)]
    waits = [await pair.site.wait(key, gateway=gateway, timeout_seconds=50) for key, gateway in who]
    await until(lambda: connections_in_use(pair.site) == 0)
    for gateway in range(GATEWAYS):
        context = await pair.call(pair.ann, "get_project_context", project=pair.project, gateway=gateway)
        assert context["project"]["slug"] == pair.project
    assert not any(wait.done() for wait in waits)
    mention = await pair.mention_bob()
    assert [ids(await wait) for wait in waits] == [[mention]] * WAITS


async def test_a_token_revoked_at_one_gateway_is_refused_by_the_next_call_at_the_other(pair: Pair) -> None:
    """R46: on PostgreSQL as on SQLite."""
    assert await statuses(pair.site, pair.bob, pair.era) == [200, 200]
    await revoke(pair, pair.bob)
    assert await statuses(pair.site, pair.bob, pair.era) == [401, 401]


async def test_gateways_that_start_at_once_all_know_the_operator(
    pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them looks for the operator before the other has made the token known, and comes second."""
    token = f"prk_operator_{secrets.token_urlsafe(32)}"
    (tmp_path / "token").write_text(token)
    settings = pair.site.hub.settings.model_copy(update={"operator_token_file": tmp_path / "token"})
    first, second = (GatewayApp(settings, pair.site.hub.clock).gateway for _ in range(2))
    nobody = asyncio.Future[Resolved]()
    nobody.set_result(Resolved(caller=None))
    monkeypatch.setattr(second, "_resolve", lambda query: nobody)
    for gateway in (first, second):
        await gateway.start()
        assert (await gateway.session(token)).caller.kind == "operator"
        await gateway.stop()


def test_a_gateway_has_as_many_connections_as_it_is_told(pair: Pair) -> None:
    settings = pair.site.hub.settings.model_copy(update={"database_pool": POOL + 2})
    pool: Any = GatewayApp(settings).gateway._database._writer.pool
    assert pool.size() == POOL + 2


def connections_in_use(site: Site) -> int:
    """How many connections to the database are lent out, of all pools."""
    gateways = [gateway.app.gateway._database for gateway in site.gateways]
    services = [service.database for service in site.hub.services.values()]
    return sum(lent(database) for database in [*gateways, *services])


def lent(database: Database) -> int:
    pool: Any = database._writer.pool
    assert pool.size() == POOL
    in_use: int = pool.checkedout()
    return in_use
