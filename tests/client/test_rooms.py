"""`prickle say`, `tail`, `redact` and `pulse` against a real site."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import httpx2
import pytest
from prickle import PeopleApi
from prickle.access import api_url, bearer

from tests.client.prickle_command import Prickle
from tests.client.relay import relayed
from tests.harness import until
from tests.site import Site

SERVICES = ("rooms", "pulse")
SECONDS = 20
MAIN = "from prickle.cli import main; main()"


@pytest.fixture(scope="module")
async def garden(site: Site) -> Site:
    """Maya's and jonas's agents in one project."""
    await site.introduce("garden", "maya/codex", "jonas/claude")
    return site


@pytest.fixture
def prickle(garden: Site) -> Prickle:
    """Commands of maya."""
    return Prickle(garden)


@asynccontextmanager
async def tailing(site: Site, url: str, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """`prickle tail` as a process of its own, which hears Ctrl-C also where the tests run in the background."""
    environment = {**os.environ, "PRICKLE_URL": url, "PRICKLE_TOKEN": site.tokens["maya"]}
    command = (sys.executable, "-c", MAIN, "tail", *arguments)
    process = await asyncio.create_subprocess_exec(
        *command,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def line(process: asyncio.subprocess.Process) -> str:
    """The next line that a process prints."""
    assert process.stdout is not None
    return (await asyncio.wait_for(process.stdout.readline(), SECONDS)).decode()


async def body(process: asyncio.subprocess.Process) -> Any:
    """What the next message says."""
    return json.loads(await line(process))["body"]


async def test_a_person_says_something_and_sees_who_was_told(prickle: Prickle) -> None:
    printed = await prickle.shows("say", "garden", "@maya/codex @jonas/claude dig")
    assert printed.startswith("Posted as msg_")
    assert printed.endswith("; told: maya/codex, jonas/claude.\n")
    assert "nobody was told" in await prickle.shows("say", "garden", "Rain")


@pytest.mark.parametrize(("word", "stored"), [("instruction", "owner_instruction"), ("approved", "owner_approved")])
async def test_a_person_says_it_as_an_owner(prickle: Prickle, word: str, stored: str) -> None:
    said = await prickle.says("say", "garden", "Use clay.", "--as", word)
    assert said["message"]["provenance"] == stored


async def test_a_reply_names_its_message(prickle: Prickle) -> None:
    first = (await prickle.says("say", "garden", "Who digs?"))["message"]["id"]
    assert (await prickle.says("say", "garden", "I do.", "--reply-to", first))["message"]["in_reply_to"] == first


async def test_a_redacted_message_is_read_no_more(prickle: Prickle, garden: Site) -> None:
    message_id = (await prickle.says("say", "garden", "The password is rosebud"))["message"]["id"]
    assert (await prickle.shows("redact", "garden", message_id)).startswith("Redacted")
    async with tailing(garden, garden.gateway.url, "garden", "--last", "1") as process:
        head, text = await line(process), await line(process)
    assert message_id in head
    assert "rosebud" not in text
    await prickle.refuses("redact", "garden", "msg_unknown")


async def test_a_tail_begins_with_the_last_messages_and_prints_each_new_one_once(
    prickle: Prickle, garden: Site
) -> None:
    """Also while the hub is away for a moment."""
    for text in ("one", "two", "three"):
        await prickle.shows("say", "garden", text)
    async with (
        relayed(garden.gateway.url) as relay,
        tailing(garden, relay.url, "garden", "--last", "2", "--json") as process,
    ):
        assert [await body(process) for _ in range(2)] == ["two", "three"]
        await prickle.shows("say", "garden", "four")
        assert await body(process) == "four"
        await relay.cut()
        await prickle.shows("say", "garden", "five")
        await relay.mend()
        await prickle.shows("say", "garden", "six")
        assert [await body(process) for _ in range(2)] == ["five", "six"]


async def test_whoever_follows_a_room_keeps_asking_while_the_hub_is_away(prickle: Prickle, garden: Site) -> None:
    tries: list[httpx2.Request] = []

    async def note(request: httpx2.Request) -> None:
        tries.append(request)

    last = (await prickle.says("say", "garden", "before"))["message"]["id"]
    async with relayed(garden.gateway.url) as relay:
        settings = {"base_url": api_url(relay.url), "headers": bearer(garden.tokens["maya"])}
        async with httpx2.AsyncClient(**settings, event_hooks={"request": [note]}) as http:
            await relay.cut()
            following = asyncio.ensure_future(anext(PeopleApi(http).follow_messages("garden", last)))
            await until(lambda: len(tries) > 1)
            await prickle.shows("say", "garden", "meanwhile")
            await relay.mend()
            assert (await following)["body"] == "meanwhile"


async def test_ctrl_c_ends_a_tail_well(prickle: Prickle, garden: Site) -> None:
    await prickle.shows("say", "garden", "Good night")
    async with tailing(garden, garden.gateway.url, "garden", "-n", "1") as process:
        assert "maya" in await line(process)
        process.send_signal(signal.SIGINT)
        _, errors = await asyncio.wait_for(process.communicate(), SECONDS)
    assert (process.returncode, errors) == (0, b"")


async def test_a_room_of_others_is_no_tail(prickle: Prickle, garden: Site) -> None:
    await garden.introduce("shed", "lea/codex")
    async with tailing(garden, garden.gateway.url, "shed") as process:
        printed, errors = await asyncio.wait_for(process.communicate(), SECONDS)
    assert (process.returncode, printed, len(errors.splitlines())) == (1, b"", 1)


async def test_a_message_is_shown_without_control_characters(prickle: Prickle, garden: Site) -> None:
    await prickle.says("say", "garden", "first\nsecond \x1b[31mred")
    async with tailing(garden, garden.gateway.url, "garden", "-n", "1") as process:
        _, first, second = [await line(process) for _ in range(3)]
    assert first == "  first\n"
    assert second == "  second \N{REPLACEMENT CHARACTER}[31mred\n"


async def test_the_pulse_of_a_project_is_a_line_per_agent(prickle: Prickle, garden: Site) -> None:
    intent = {"kind": "change", "paths": ["src/"], "areas": ["paths"], "expires_in_seconds": 600}
    await garden.call("maya/codex", "update_pulse", project="garden", doing="Digging", branch="pond", intent=intent)
    titles, *lines = (await prickle.shows("pulse", "garden")).splitlines()
    assert titles.split()[:3] == ["agent", "availability", "doing"]
    (mine,) = [one for one in lines if one.startswith("maya/codex")]
    assert "Digging" in mine
    assert "change: src/, paths" in mine
    assert len(lines) == 2
