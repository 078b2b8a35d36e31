"""Claims and runs over HTTP, at two gateways: races, replays, silence, and devices that are no longer let in."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import count
from uuid import uuid4

import pytest

from tests.harness import until
from tests.site import MODERN, Refused
from tests.system.pair import PROOF, Pair
from tests.system.sockets import calling

GATEWAYS = 2
BOTH = (0, 1)
DEADLINE = 600
NUMBERS = count(1)
USED = {"input_tokens": None, "output_tokens": None, "turns": None, "duration_ms": 91000, "exit_code": 1}


@dataclass
class Device:
    """A device of bob's that runs his claude."""

    pair: Pair
    name: str = field(default_factory=lambda: f"laptop-{next(NUMBERS)}")
    device_id: str = ""

    async def register(self, slots: int = 1) -> Device:
        """Link it to bob's agent and the project."""
        self.device_id = await self.pair.site.device(self.name, [self.pair.bob], [self.pair.project], slots)
        return self

    async def claim(self, task_id: str, key: str = "", **at: int) -> str:
        """Claim a task; the run's token."""
        said = {"task_id": task_id, "idempotency_key": key or task_id, **at}
        claimed = await self.pair.call(self.name, "claim_task", **said)
        token: str = claimed["execution_credential"]["token"]
        return token


@pytest.fixture
async def device(pair: Pair) -> Device:
    return await Device(pair).register()


async def statuses(pair: Pair, token: str) -> list[int]:
    """How each gateway answers a run's call."""
    params = {"name": "check_inbox", "arguments": {}}
    calls = [await pair.site.post(token, "tools/call", params, era=MODERN, gateway=number) for number in BOTH]
    return [call.status_code for call in calls]


async def state(pair: Pair, task_id: str) -> tuple[str, int]:
    """A task's state and how many attempts it has had."""
    whole = await pair.whole(task_id)
    return whole["state"], whole["attempts_used"]


async def test_of_eight_devices_that_claim_a_task_at_once_exactly_one_wins_a_hundred_times(pair: Pair) -> None:
    """R5: the others learn who holds it; the winner's token is good at the other gateway too."""
    devices = [await Device(pair).register() for _ in range(8)]
    for number in range(100):
        task_id = await pair.hand_off()
        claims = [device.claim(task_id, gateway=turn % 2) for turn, device in enumerate(devices)]
        answers = await asyncio.gather(*claims, return_exceptions=True)
        (token,) = [answer for answer in answers if isinstance(answer, str)]
        lost = [answer.error for answer in answers if isinstance(answer, Refused)]
        assert [(error["code"], error["details"]) for error in lost] == [("conflict", {"holder": pair.bob})] * 7
        result = {"outcome": "done", "summary": "Counted.", "evidence": [PROOF]}
        returned = await pair.call(token, "return_result", task_id=task_id, **result, gateway=number % 2)
        assert returned["task"]["state"] == "returned"


async def test_of_two_claims_of_a_device_with_one_slot_at_two_gateways_one_wins(pair: Pair, device: Device) -> None:
    """R12: the other is refused, and the run that holds the slot goes on."""
    tasks = [await pair.hand_off() for _ in BOTH]
    claims = [device.claim(task_id, gateway=number) for number, task_id in enumerate(tasks)]
    answers = await asyncio.gather(*claims, return_exceptions=True)
    (token,) = [answer for answer in answers if isinstance(answer, str)]
    (refused,) = [answer for answer in answers if isinstance(answer, Refused)]
    assert refused.code == "limit_exceeded"
    held, left = tasks if isinstance(answers[0], str) else tasks[::-1]
    await pair.call(token, "checkpoint", task_id=held, summary="Still at it.")
    assert [await state(pair, task_id) for task_id in (held, left)] == [("working", 1), ("requested", 0)]


async def test_a_replayed_claims_former_token_is_dead_at_its_next_call_of_either_gateway(
    pair: Pair, device: Device
) -> None:
    """R10: a wait that was open under it delivers nothing any more."""
    task_id = await pair.hand_off()
    former = await device.claim(task_id, "run")
    assert await statuses(pair, former) == [200, 200]
    asked = {"timeout_seconds": 50, "cursor": (await pair.wait(former))["next_cursor"]}
    waits = [await pair.site.wait(former, gateway=number, **asked) for number in BOTH]
    fresh = await device.claim(task_id, "run", gateway=1)
    assert await statuses(pair, former) == [401, 401]
    await pair.mention_bob("for the run", task_id=task_id)
    for wait in waits:
        with pytest.raises(Refused, match="unauthenticated"):
            await wait
    assert await statuses(pair, fresh) == [200, 200]
    assert await state(pair, task_id) == ("working", 1)


async def test_a_run_whose_connection_broke_as_its_result_was_answered_gets_the_answer_when_it_repeats(
    pair: Pair, device: Device
) -> None:
    """R9, R10: with the credential that died of the result, and the key; nothing else is answered any more."""
    task_id = await pair.hand_off()
    token = await device.claim(task_id)
    said = {"task_id": task_id, "outcome": "done", "summary": "Counted.", "evidence": [PROOF]}
    async with calling(pair, token, "return_result", **said, idempotency_key=task_id) as line:
        await until(lambda: is_in(pair, task_id, "returned"))
        line.drop()
    again = await pair.call(token, "return_result", **said, idempotency_key=task_id, gateway=1)
    kept = (await pair.whole(task_id))["results"]
    assert [result["result_id"] for result in kept] == [again["result"]["result_id"]]
    for other in ({**said, "idempotency_key": "another"}, said):
        assert (await pair.refused(token, "return_result", **other)).code == "stale_attempt"


async def test_a_silent_build_of_twenty_minutes_lives_as_long_as_its_runner_waits(pair: Pair, device: Device) -> None:
    """R3: its agent makes no call meanwhile; when the runner is killed, the task is open again in time."""
    task_id = await pair.hand_off()
    token = await device.claim(task_id)
    for _ in range(24):
        pair.site.hub.clock.advance(seconds=50)
        await pair.wait(device.name, "wait_for_updates")
        await pair.site.hub.tick("tasks")
    assert await state(pair, task_id) == ("working", 1)
    pair.site.hub.clock.advance(seconds=DEADLINE + 1)
    await pair.site.hub.tick("tasks")
    assert await state(pair, task_id) == ("requested", 1)
    assert (await pair.refused(token, "check_inbox")).code == "stale_attempt"


async def test_a_report_with_a_revoked_device_key_is_refused_at_the_door_and_its_task_requeued_once(
    pair: Pair, device: Device
) -> None:
    """R4, R46: nothing but the lapse of the attempt opens the task again."""
    task_id, run_id = await pair.hand_off(), str(uuid4())
    await device.claim(task_id, run_id)
    await revoke_keys(pair, device)
    report = {"project": pair.project, "task_id": task_id, "run_id": run_id, **USED}
    for gateway in BOTH:
        params = {"name": "report_run", "arguments": report}
        response = await pair.site.post(device.name, "tools/call", params, gateway=gateway)
        assert response.status_code == 401
    assert await state(pair, task_id) == ("working", 1)
    pair.site.hub.clock.advance(seconds=DEADLINE + 1)
    for _ in range(3):
        await pair.site.hub.tick("tasks")
    assert await state(pair, task_id) == ("requested", 1)
    told = (await pair.wait(tool="wait_for_updates", kinds=["task_requested"], limit=50))["updates"]
    assert [update["task"]["task_id"] for update in told] == [task_id] * 2


async def revoke_keys(pair: Pair, device: Device) -> None:
    """End the keys of a device, as its owner does."""
    owner = pair.bob.partition("/")[0]
    for key in (await pair.api("GET", f"/devices/{device.device_id}/keys", owner)).json()["keys"]:
        assert (await pair.api("DELETE", f"/keys/{key['key_id']}", owner)).status_code == 204


async def test_a_run_whose_device_its_owner_removed_gets_a_final_word_at_its_next_call(
    pair: Pair, device: Device
) -> None:
    """R9: not "nothing to do"; the task is open again for another device."""
    task_id = await pair.hand_off()
    token = await device.claim(task_id)
    owner = pair.bob.partition("/")[0]
    assert (await pair.api("DELETE", f"/devices/{device.device_id}", owner)).status_code == 204
    await until(lambda: is_in(pair, task_id, "requested"))
    refusal = await pair.refused(token, "checkpoint", task_id=task_id, summary="Still at it.")
    assert (refusal.code, "device" in refusal.error["message"]) == ("stale_attempt", True)
    other = await Device(pair).register()
    assert await other.claim(task_id)


async def is_in(pair: Pair, task_id: str, wanted: str) -> bool:
    """Whether a task is in a state."""
    return (await state(pair, task_id))[0] == wanted
