"""Redis goes away and comes back as it was, with its last moments lost, or empty: nothing answered is lost (R43)."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from libs.runtime.valkey import EmbeddedValkey, free_port
from tests.harness import until
from tests.site import Refused
from tests.system.pair import Pair, ids

Lose = Callable[[], None]


@pytest.fixture(scope="module")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedValkey]:
    """A Valkey of this module's own, to be killed."""
    server = EmbeddedValkey(tmp_path_factory.mktemp("valkey"), free_port(), fsync="always")
    server.start()
    yield server
    server.stop()


@dataclass
class Snapshot:
    """What Redis held when the test began."""

    server: EmbeddedValkey

    def __post_init__(self) -> None:
        self._kept = self.server.directory.with_name("kept")
        shutil.rmtree(self._kept, ignore_errors=True)
        shutil.copytree(self.server.directory, self._kept)

    def restore(self) -> None:
        """Bring it back."""
        shutil.rmtree(self.server.directory)
        shutil.copytree(self._kept, self.server.directory)


@pytest.fixture(params=["as it was", "older", "empty"])
async def lose(request: pytest.FixtureRequest, valkey: EmbeddedValkey, pair: Pair) -> Lose:
    """Kill Redis and start it again with what it still has."""
    before = Snapshot(valkey)

    def kill_and_start() -> None:
        valkey.kill()
        if request.param == "older":
            before.restore()
        if request.param == "empty":
            shutil.rmtree(valkey.directory)
        valkey.start()

    return kill_and_start


async def is_answered(pair: Pair) -> bool:
    """Whether calls are answered again; while Redis is away they are refused."""
    try:
        await pair.call(pair.ann, "read_room", project=pair.project)
    except Refused as refused:
        if refused.code != "unavailable":
            raise
        return False
    return True


async def test_waits_that_sleep_through_it_miss_and_double_nothing(pair: Pair, lose: Lose) -> None:
    """R22, R43."""
    first = await pair.mention_bob("before")
    cursor = (await pair.wait())["next_cursor"]
    asleep = [await pair.site.wait(pair.bob, cursor=cursor, timeout_seconds=50) for _ in range(3)]
    await asyncio.to_thread(lose)
    await until(lambda: is_answered(pair), seconds=30)
    second = await pair.mention_bob("after")
    answers = [await wait for wait in asleep]
    assert [ids(answer) for answer in answers] == [[second]] * 3
    assert await pair.heard(cursor=answers[0]["next_cursor"]) == []
    room = await pair.call(pair.bob, "read_room", project=pair.project)
    assert [message["id"] for message in room["messages"]] == [first, second]


async def test_what_was_committed_but_lost_with_redis_is_delivered(
    pair: Pair, lose: Lose, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R43: services publish the last hour again when they meet another Redis."""
    asleep = await pair.site.wait(pair.bob, "wait_for_updates", timeout_seconds=50)
    await pair.wait()
    for service in ("rooms", "tasks"):
        monkeypatch.setattr(pair.site.hub.services[service].bus.executor, "_publish", lambda committed: None)
    task_id = await pair.hand_off()
    await asyncio.to_thread(lose)
    answer = await asleep
    assert [update["task"]["task_id"] for update in answer["updates"]] == [task_id]
    assert len(await pair.heard()) == 1


async def test_a_repeated_call_after_it_is_still_one(pair: Pair, lose: Lose) -> None:
    """R40: what makes a call once is kept where its effect is."""
    said = {"project": pair.project, "body": f"@{pair.bob} once", "idempotency_key": "once"}
    first = await pair.call(pair.ann, "post_message", **said)
    await asyncio.to_thread(lose)
    await until(lambda: is_answered(pair), seconds=30)
    assert await pair.call(pair.ann, "post_message", **said) == first
    assert await pair.heard() == [first["message"]["id"]]
