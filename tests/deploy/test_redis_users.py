"""Each service under its own Redis user: what it does is allowed, and nothing else is."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import NoPermissionError

from libs.bus.envelope import FIELD
from libs.bus.handlers import CONSUMERS
from libs.bus.streams import commands, events, updates
from libs.runtime.backup.restoring import empty_streams
from libs.runtime.service import Service
from libs.runtime.valkey import EmbeddedValkey
from tests.harness import SERVICES, Hub, running_hub, until
from tests.site import running_site
from tests.system.pair import Pair, ids
from tests.tables import prepare

DEPLOY = Path(__file__).parents[2] / "deploy"
CREATE, TEMPLATE = DEPLOY / "secrets" / "create", DEPLOY / "redis" / "users.acl"
DATABASE = 255
USERS = ("gateway", *SERVICES)
QUICK = {"event_retry_seconds": 0.1, "event_retries": 2}
NOBODYS = (
    ("KEYS", "*"),
    ("SCAN", "0"),
    ("FLUSHALL",),
    ("FLUSHDB",),
    ("CONFIG", "GET", "*"),
    ("ACL", "LIST"),
    ("ACL", "SETUSER", "mallory"),
    ("CLIENT", "LIST"),
    ("CLIENT", "KILL", "TYPE", "normal"),
    ("MONITOR",),
    ("SHUTDOWN", "NOSAVE"),
    ("BGREWRITEAOF",),
    ("REPLICAOF", "NO", "ONE"),
    ("SCRIPT", "FLUSH"),
    ("FUNCTION", "LIST"),
    ("PUBLISH", "channel", "word"),
    ("DEL", "prickle:mark"),
    ("GET", "another"),
    ("SET", "another", "value"),
)
GATEWAYS_ALONE = (
    ("XREAD", "STREAMS", "prickle:replies:one", "0"),
    ("XRANGE", "prickle:replies:one", "-", "+"),
    ("XREAD", "STREAMS", "prickle:updates:rooms", "0"),
    ("GET", "prickle:auth"),
    ("SET", "prickle:auth", "forged"),
    ("HMGET", "prickle:calls:one", "left"),
    ("EVAL", "return 1", "0"),
)


@dataclass(frozen=True)
class Guarded:
    """A Valkey that knows the users, as the ACL file of the containers has them."""

    port: int
    passwords: dict[str, str]

    def url(self, user: str) -> str:
        """How a user connects."""
        return f"redis://prickle-{user}:{self.passwords[user]}@127.0.0.1:{self.port}/{DATABASE}"

    def operator(self) -> Redis:
        """A connection that may do everything."""
        return Redis.from_url(f"redis://127.0.0.1:{self.port}/{DATABASE}")


@pytest.fixture(scope="module")
async def guarded(valkey: EmbeddedValkey, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Guarded]:
    """The shared Valkey with the users of the containers."""
    made = tmp_path_factory.mktemp("secrets")
    await asyncio.to_thread(subprocess.run, [CREATE, made], check=True)
    guarded = Guarded(
        valkey.port or 0, {user: (made / f"passwords/redis-{user}").read_text() for user in ("owner", *USERS)}
    )
    async with guarded.operator() as operator:
        for line in (made / "users.acl").read_text().splitlines():
            _, name, *rules = line.split()
            if name != "default":
                await operator.execute_command("ACL", "SETUSER", name, "reset", *rules)
        yield guarded
        await operator.execute_command("ACL", "DELUSER", *(f"prickle-{user}" for user in (*USERS, "owner", "health")))


async def test_the_main_job_works_with_a_user_per_service_and_nothing_is_refused(
    guarded: Guarded, tmp_path: Path
) -> None:
    """Also what is left to the timers: retries, dead letters, abandoned commands and the cleaning."""
    gateways = guarded.url("gateway")
    async with guarded.operator() as operator, Redis.from_url(gateways) as gateway:
        await operator.execute_command("ACL", "LOG", "RESET")
        async with running_hub(gateways, tmp_path, (), **QUICK) as hub, running_site(hub) as site:
            await start_services(hub, guarded)
            for source in ("directory", "gateway"):
                await gateway.xadd(events(source), {FIELD: b"not an event"})
            await play(await Pair.meet(site))
            for service in hub.services.values():
                await service.bus.clean()
            await until(lambda: nothing_is_left(operator))
        assert await operator.execute_command("ACL", "LOG") == []


async def start_services(hub: Hub, guarded: Guarded) -> None:
    """Start each service under its own user."""
    for name in SERVICES:
        own = hub.settings.model_copy(update={"redis_url": guarded.url(name)})
        service: Service = import_module(f"services.{name}.app").service
        await prepare(service, own)
        hub.services[name] = await service.start(own, hub.clock)


async def play(pair: Pair) -> None:
    """Post and wait, hand off and accept, return and accept."""
    wait = await pair.site.wait(pair.bob)
    mention = await pair.mention_bob()
    assert ids(await wait) == [mention]
    task_id = await pair.hand_off()
    await pair.finish(await pair.take(task_id))
    accepted = await pair.call(pair.ann, "accept_result", task_id=task_id)
    assert accepted["task"]["state"] == "accepted"


async def nothing_is_left(redis: Redis) -> bool:
    """Whether every group has acknowledged all that it was given."""
    streams = [
        *((commands(service), service) for service in SERVICES),
        *((events(kind.source), service) for service in SERVICES for kind in CONSUMERS[service]),
    ]
    return not any([(await redis.xpending(stream, group))["pending"] for stream, group in streams])


@pytest.mark.parametrize("user", USERS)
async def test_nobody_looks_through_the_keys_or_manages_the_server(guarded: Guarded, user: str) -> None:
    async with Redis.from_url(guarded.url(user)) as redis:
        for command in NOBODYS:
            with pytest.raises(NoPermissionError):
                await redis.execute_command(*command)


@pytest.mark.parametrize("user", SERVICES)
async def test_only_a_gateway_writes_commands(guarded: Guarded, user: str) -> None:
    """A command names who calls, and is believed."""
    async with Redis.from_url(guarded.url(user)) as redis:
        for service in SERVICES:
            with pytest.raises(NoPermissionError):
                await redis.xadd(commands(service), {FIELD: b"forged"})


@pytest.mark.parametrize("user", USERS)
async def test_nobody_reads_the_commands_of_another(guarded: Guarded, user: str) -> None:
    async with Redis.from_url(guarded.url(user)) as redis:
        for service in {*SERVICES} - {user}:
            for read in (
                redis.xrange(commands(service)),
                redis.xread({commands(service): "0"}),
                redis.xreadgroup(service, "spy", {commands(service): "0"}),
            ):
                with pytest.raises(NoPermissionError):
                    await read


@pytest.mark.parametrize("user", SERVICES)
async def test_a_service_reads_no_replies_and_knows_nothing_of_tokens(guarded: Guarded, user: str) -> None:
    async with Redis.from_url(guarded.url(user)) as redis:
        for command in GATEWAYS_ALONE:
            with pytest.raises(NoPermissionError):
                await redis.execute_command(*command)


@pytest.mark.parametrize("user", USERS)
async def test_a_service_announces_its_own_events_alone(guarded: Guarded, user: str) -> None:
    own = {"gateway": ["gateway", "directory"]}.get(user, [user])
    async with Redis.from_url(guarded.url(user)) as redis:
        for source in {*USERS, "directory"} - {*own}:
            with pytest.raises(NoPermissionError):
                await redis.xadd(events(source), {FIELD: b"forged"})


@pytest.mark.parametrize("user", USERS)
async def test_a_service_wakes_for_its_own_mailboxes_alone(guarded: Guarded, user: str) -> None:
    """Entries ride along with wake-ups: whoever writes there can show agents what nobody sent."""
    async with Redis.from_url(guarded.url(user)) as redis:
        for service in {*USERS} - {user}:
            with pytest.raises(NoPermissionError):
                await redis.xadd(updates(service), {FIELD: b"forged"})


async def test_the_owner_empties_the_streams_before_a_restore_and_does_nothing_else(guarded: Guarded) -> None:
    async with guarded.operator() as operator, Redis.from_url(guarded.url("owner")) as owner:
        for key in ("prickle:replies:gone", "another"):
            await operator.set(key, "value")
        await asyncio.to_thread(empty_streams, guarded.url("owner"))
        assert [key async for key in operator.scan_iter(match="prickle:*")] == []
        assert await operator.get("another") == b"value"
        for command in (*NOBODYS, *GATEWAYS_ALONE, ("UNLINK", "another"), ("GET", "prickle:mark")):
            if command[0] != "SCAN":
                with pytest.raises(NoPermissionError):
                    await owner.execute_command(*command)


async def test_the_user_of_the_health_check_does_nothing_but_ping(guarded: Guarded) -> None:
    async with Redis(port=guarded.port, username="prickle-health", password="any") as redis:
        assert await redis.ping()
        with pytest.raises(NoPermissionError):
            await redis.info()


def test_whoever_names_no_user_is_let_in_nowhere() -> None:
    assert "\nuser default off\n" in TEMPLATE.read_text()
