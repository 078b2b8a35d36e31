"""R40: a writing command is handled once, however often it arrives, on either database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from libs.bus.envelope import Order
from libs.contracts.base import Command
from libs.contracts.errors import Conflict, IdempotencyConflict
from libs.runtime.valkey import EmbeddedValkey
from libs.storage import new_id
from tests.bus.parcels import Count, CountParcels, SendInBulk, SendParcel, TakeParcel
from tests.bus.running import held, replica, running_parcels
from tests.databases import one_waits_for_a_lock
from tests.harness import Hub, caller, until

DAY = 86400.0


@pytest.fixture
async def parcels(database_url: str, own_valkey: EmbeddedValkey, tmp_path: Path) -> AsyncIterator[Hub]:
    async with running_parcels(own_valkey.url, tmp_path, database_url=database_url) as hub:
        yield hub


@pytest.fixture
async def two_replicas(
    request: pytest.FixtureRequest, own_valkey: EmbeddedValkey, tmp_path: Path
) -> AsyncIterator[Hub]:
    url = await request.getfixturevalue("postgres").new_database()
    async with running_parcels(own_valkey.url, tmp_path, database_url=url) as hub, replica(hub):
        yield hub


async def send(hub: Hub, key: str | None = None, command: Command[Count] | None = None) -> int:
    return (await hub.ask(command or SendParcel(label="parcel"), "ann", key=key, argument_hash="a")).count


async def test_a_key_is_remembered_for_seven_days(parcels: Hub) -> None:
    assert await send(parcels, "key") == 1
    parcels.clock.advance(7 * DAY - 1)
    await parcels.services["parcels"].bus.clean()
    assert await send(parcels, "key") == 1
    parcels.clock.advance(2)
    assert await send(parcels, "key") == 2
    assert await send(parcels, "key") == 2


async def test_a_command_without_a_key_is_remembered_for_an_hour(parcels: Hub) -> None:
    """As long as its stream entry could come back."""
    order = Order(new_id("cmd"), SendParcel(label="parcel"), caller("ann"), reply_to=parcels.follower.reply_stream)
    await parcels.asker.send(order)
    parcels.clock.advance(3599)
    await parcels.services["parcels"].bus.clean()
    await parcels.asker.send(order)
    assert (await parcels.ask(CountParcels(label="parcel"))).count == 1
    parcels.clock.advance(2)
    await parcels.services["parcels"].bus.clean()
    await parcels.asker.send(order)
    assert (await parcels.ask(CountParcels(label="parcel"))).count == 2


async def test_a_refusal_is_not_remembered(parcels: Hub) -> None:
    with pytest.raises(Conflict):
        await send(parcels, "key", SendParcel(label="refused"))
    assert await send(parcels, "key") == 1


async def test_a_key_serves_each_tool_apart(parcels: Hub) -> None:
    assert await send(parcels, "key") == 1
    assert await send(parcels, "key", SendInBulk(label="parcel")) == 2


async def test_what_the_gateway_refused_is_carried_out_by_no_batch(parcels: Hub) -> None:
    """Unless the order repeats one that succeeded."""
    sent = SendInBulk(label="parcel")
    await parcels.ask(sent, "ann", key="before", argument_hash="a")
    asks = [parcels.ask(SendInBulk(label=f"beside-{number}")) for number in range(20)]
    refused = [
        parcels.asker.ask(sent, caller("ann"), key=key, argument_hash="a", refusal=Conflict("No."))
        for key in ("before", "now")
    ]
    answers = await asyncio.gather(*refused, *asks, return_exceptions=True)
    assert answers[0] == Count(count=1)
    assert isinstance(answers[1], Conflict)
    assert (await parcels.ask(CountParcels(label="parcel"))).count == 1


@pytest.mark.parametrize("command", [SendParcel, SendInBulk])
async def test_replicas_that_get_one_key_at_once_answer_alike(two_replicas: Hub, command: type[SendParcel]) -> None:
    for number in range(5):
        label = f"parcel-{number}"
        sending = [send(two_replicas, label, command(label=label)) for _ in range(16)]
        assert set(await asyncio.gather(*sending)) == {1}
        assert (await two_replicas.ask(CountParcels(label=label))).count == 1


async def test_a_twin_that_runs_into_the_work_of_the_first_gets_its_answer(two_replicas: Hub) -> None:
    """R5: the second waits for the row, finds the parcel taken by itself, and is told that it has it."""
    await send(two_replicas)
    with held("parcel") as first:
        taking = [asyncio.create_task(send(two_replicas, "take", TakeParcel(label="parcel"))) for _ in range(2)]
        await first.begun.wait()
        await until(lambda: one_waits_for_a_lock(two_replicas.services["parcels"].database))
        first.released.set()
        assert await asyncio.gather(*taking) == [1, 1]
    with pytest.raises(Conflict):
        await send(two_replicas, "other", TakeParcel(label="parcel"))


async def test_a_twin_with_other_arguments_is_refused_as_such(two_replicas: Hub) -> None:
    await send(two_replicas)
    asks = [
        two_replicas.ask(TakeParcel(label="parcel"), "ann", key="take", argument_hash=argument_hash)
        for argument_hash in "ab"
    ]
    answers = await asyncio.gather(*asks, return_exceptions=True)
    assert {type(answer) for answer in answers} == {Count, IdempotencyConflict}
