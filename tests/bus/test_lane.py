"""Commands over the real broker: answered, refused, crashed, repeated."""

from __future__ import annotations

import asyncio

import pytest

from libs.contracts.errors import Conflict, IdempotencyConflict, Unavailable
from tests.bus.parcels import SEEN, CountParcels, SendInBulk, SendParcel
from tests.harness import Hub, until

SERVICES = ("tests.bus.parcels",)


async def test_a_command_is_answered_over_the_reply_stream(hub: Hub) -> None:
    assert (await hub.ask(SendParcel(label="first"))).count == 1


async def test_a_refusal_reaches_the_caller_and_writes_nothing(hub: Hub) -> None:
    with pytest.raises(Conflict):
        await hub.ask(SendParcel(label="refused"))
    assert (await hub.ask(CountParcels(label="refused"))).count == 0


async def test_a_crash_is_answered_unavailable_without_its_text(hub: Hub) -> None:
    with pytest.raises(Unavailable) as caught:
        await hub.ask(SendParcel(label="crash"))
    assert "bug" not in caught.value.data.message


@pytest.mark.parametrize("command", [SendParcel, SendInBulk])
async def test_a_repeated_key_gets_the_first_answer_and_is_handled_once(hub: Hub, command: type[SendParcel]) -> None:
    """R40, also when the repeats arrive at once."""
    label = f"keyed-{command.__name__}"
    asks = [hub.ask(command(label=label), "ann", key="k", argument_hash="a") for _ in range(8)]
    assert {answer.count for answer in await asyncio.gather(*asks)} == {1}
    assert (await hub.ask(CountParcels(label=label))).count == 1


async def test_a_key_with_other_arguments_is_refused(hub: Hub) -> None:
    await hub.ask(SendParcel(label="other"), "ann", key="other", argument_hash="a")
    with pytest.raises(IdempotencyConflict):
        await hub.ask(SendParcel(label="other"), "ann", key="other", argument_hash="b")


async def test_a_key_belongs_to_its_caller(hub: Hub) -> None:
    await hub.ask(SendParcel(label="mine"), "ann", key="mine", argument_hash="a")
    assert (await hub.ask(SendParcel(label="mine"), "bob", key="mine", argument_hash="a")).count == 2


async def test_a_refused_command_of_a_batch_leaves_the_others_alone(hub: Hub) -> None:
    labels = [f"bulk-{number}" if number % 3 else f"refused-{number}" for number in range(30)]
    asks = [hub.ask(SendInBulk(label=label, to="bulk/agent")) for label in labels]
    answers = await asyncio.gather(*asks, return_exceptions=True)
    assert [isinstance(answer, Conflict) for answer in answers] == [label.startswith("refused") for label in labels]


async def test_a_crash_in_a_batch_takes_no_other_command_down(hub: Hub) -> None:
    labels = ["crash", *(f"beside-{number}" for number in range(10))]
    answers = await asyncio.gather(*(hub.ask(SendInBulk(label=label)) for label in labels), return_exceptions=True)
    assert isinstance(answers[0], Unavailable)
    assert [answer.count for answer in answers[1:]] == [1] * 10


async def test_an_announced_event_reaches_its_consumer_once(hub: Hub) -> None:
    await hub.ask(SendParcel(label="announced"))
    await until(lambda: "announced" in SEEN)
    assert SEEN.count("announced") == 1
