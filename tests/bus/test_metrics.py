"""What a platform team reads of a service's bus at `/metrics`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from prometheus_client import generate_latest

from libs.bus import streams
from libs.bus.bus import ServiceBus
from libs.bus.envelope import FIELD, Reply
from libs.bus.tables import OUTBOX
from libs.contracts.errors import Conflict, Unavailable
from libs.runtime.valkey import EmbeddedValkey
from tests.bus.parcels import FAILURES, SEEN, CountParcels, SendInBulk, SendParcel
from tests.bus.running import held, running_parcels
from tests.counted import added, measured
from tests.harness import Hub, until

OURS = {"service": "parcels"}


@pytest.fixture(autouse=True)
def nothing_fails() -> Iterator[None]:
    SEEN.clear()
    yield
    FAILURES.clear()


@pytest.fixture
async def parcels(own_valkey: EmbeddedValkey, tmp_path: Path) -> AsyncIterator[Hub]:
    async with running_parcels(own_valkey.url, tmp_path, event_retry_seconds=0.1, resend_after_seconds=0.3) as hub:
        yield hub


def bus(hub: Hub) -> ServiceBus:
    return hub.services["parcels"].bus


@pytest.mark.parametrize(
    ("label", "refusal", "outcome"),
    [("well", None, "answered"), ("refused", Conflict, "conflict"), ("crash", Unavailable, "unavailable")],
)
@pytest.mark.parametrize("kind", [SendParcel, SendInBulk], ids=["alone", "in bulk"])
async def test_commands_are_counted_and_timed_by_outcome(
    parcels: Hub, kind: type[SendParcel], label: str, refusal: type[Exception] | None, outcome: str
) -> None:
    of = OURS | {"command": kind.type_name}
    handled = added("prickle_commands_handled_total", **of, outcome=outcome)
    timed = added("prickle_command_seconds_count", **of)
    read = added("prickle_command_batch_size_sum", **OURS)
    asked = [parcels.ask(kind(label=f"{label}-{number}" if refusal is Conflict else label)) for number in range(3)]
    said = await asyncio.gather(*asked, return_exceptions=True)
    assert [isinstance(one, refusal) for one in said if refusal] == [True] * 3 * bool(refusal)
    assert (handled(), timed(), read()) == (3, 3, 3)


async def test_commands_that_wait_and_events_that_are_behind_are_measured_by_looking(parcels: Hub) -> None:
    with held("slow") as slow:
        asked = asyncio.create_task(parcels.ask(CountParcels(label="slow")))
        await slow.begun.wait()
        await bus(parcels).sample()
        assert measured("prickle_commands_waiting", **OURS) == 1
    await asked
    FAILURES["again"] = 2
    lane = bus(parcels)._events[0]
    await lane.subscriber.stop()
    await parcels.ask(SendParcel(label="again"))
    await until(lambda: bus(parcels).client.xlen(streams.events("parcels")))
    await bus(parcels).sample()
    of = OURS | {"source": "parcels"}
    assert measured("prickle_commands_waiting", **OURS) == 0
    assert (measured("prickle_events_unread", **of), measured("prickle_events_pending", **of)) == (1, 0)
    failed, consumed = (added("prickle_events_handled_total", **OURS, outcome=one) for one in ("failed", "consumed"))
    await lane.subscriber.start()
    await until(lambda: SEEN == ["again"])
    assert (failed(), consumed()) == (2, 1)


async def test_a_dead_letter_shows(parcels: Hub) -> None:
    FAILURES["broken"] = 1000
    died = added("prickle_events_handled_total", **OURS, outcome="dead_letter")
    await parcels.ask(SendParcel(label="broken"))
    await until(lambda: died() == 1)
    await bus(parcels).sample()
    assert measured("prickle_dead_letters", **OURS) == 1


async def test_the_oldest_unsent_event_shows_its_age(parcels: Hub) -> None:
    row = {"event_id": "evt", "event": "unheard_of", "body": {}, "created_at": parcels.clock.now}
    async with bus(parcels).executor.database.write() as session:
        await session.execute(OUTBOX.insert(), [row])
    parcels.clock.advance(42)
    await bus(parcels).sample()
    assert measured("prickle_outbox_unsent_seconds", **OURS) == 42


async def test_wake_ups_re_sends_and_replies_that_come_late_are_counted(parcels: Hub) -> None:
    woken, resent, late = (
        added("prickle_wakeups_total", **OURS),
        added("prickle_commands_resent_total", **OURS),
        added("prickle_replies_late_total"),
    )
    with held("slow") as slow:
        asked = asyncio.create_task(parcels.ask(SendParcel(label="slow")))
        await slow.begun.wait()
        await until(lambda: resent() == 1)
    await asked
    await until(lambda: late() == 1)
    assert woken() == 1
    data = await Reply().encode("cmd_unheard_of")
    await bus(parcels).client.xadd(parcels.follower.reply_stream, {FIELD: data})
    await until(lambda: late() == 2)


async def test_what_is_not_understood_or_comes_late_is_counted(parcels: Hub) -> None:
    unclear = added("prickle_commands_dropped_total", **OURS, why="not_understood")
    await bus(parcels).client.xadd(streams.commands("parcels"), {FIELD: b"nonsense"})
    await until(lambda: unclear() == 1)


async def test_no_label_is_from_people(parcels: Hub) -> None:
    """Text, addresses and ids would tell what is not for everybody, and make series without end."""
    await parcels.ask(SendParcel(label="my secret label", to="zoe/codex"), by="zara/claude")
    shown = generate_latest().decode()
    assert not [word for word in ("my secret label", "zoe", "zara", "cmd_", "evt_") if word in shown]
