"""The client against a server of its own: refusals, broken connections, following mentions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from prickle import Hub, HubError
from starlette.responses import PlainTextResponse

from tests.client.relay import relayed
from tests.client.scripted import HANGS, ScriptedHub
from tests.serving import serving

TOKEN = "prk_client_token"
ERAS = ("auto", "legacy")


@asynccontextmanager
async def connected(server: ScriptedHub, mode: str = "auto") -> AsyncIterator[Hub]:
    async with serving(server) as url, Hub.connect(f"{url}/mcp", TOKEN, mode=mode) as hub:
        yield hub


@pytest.mark.parametrize("mode", ERAS)
async def test_a_call_gives_the_structured_answer(mode: str) -> None:
    async with connected(ScriptedHub(echo=lambda arguments: {"said": arguments}), mode) as hub:
        assert await hub.call("echo", body="hi", count=2) == {"said": {"body": "hi", "count": 2}}
        assert [tool.name for tool in await hub.tools()] == ["echo"]


@pytest.mark.parametrize("mode", ERAS)
async def test_a_refusal_is_raised_whole(mode: str) -> None:
    error = {
        "code": "conflict",
        "message": "Ask the holder.",
        "field": "task_id",
        "hint": "wait",
        "details": {"holder": "maya/codex"},
        "retry_after_seconds": 7,
    }
    async with connected(ScriptedHub(refuse=lambda arguments: {"error": error}), mode) as hub:
        with pytest.raises(HubError) as refused:
            await hub.call("refuse")
    assert {name: getattr(refused.value, name) for name in error} == error
    assert str(refused.value) == "Ask the holder."


@pytest.mark.parametrize("mode", ERAS)
async def test_an_unknown_tool_is_an_invalid_call_and_the_connection_lives_on(mode: str) -> None:
    async with connected(ScriptedHub(echo=lambda arguments: {"ok": True}), mode) as hub:
        with pytest.raises(HubError) as refused:
            await hub.call("chocolate")
        assert refused.value.code == "invalid_input"
        assert await hub.call("echo") == {"ok": True}


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("token", "code"), [("prk_client_ended", "unauthenticated"), ("prk_person_token", "forbidden")]
)
async def test_a_token_that_is_not_let_in_is_told_why(mode: str, token: str, code: str) -> None:
    async with serving(ScriptedHub()) as url:
        with pytest.raises(HubError) as refused:
            async with Hub.connect(url, token, mode=mode):
                pytest.fail("let in")
    assert refused.value.code == code
    assert token not in str(refused.value)


async def test_a_token_that_cannot_be_one_is_refused_without_being_quoted() -> None:
    with pytest.raises(HubError) as refused:
        async with Hub.connect("http://127.0.0.1:1", "prk_client_secret\n"):
            pytest.fail("let in")
    assert refused.value.code == "unauthenticated"
    assert "secret" not in str(refused.value)


async def test_a_hub_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(HubError) as refused:
        async with Hub.connect("http://127.0.0.1:1/mcp", TOKEN):
            pytest.fail("let in")
    assert refused.value.code == "unavailable"


async def test_what_goes_wrong_inside_the_block_comes_out_as_it_is() -> None:
    with pytest.raises(KeyError):
        async with connected(ScriptedHub()):
            raise KeyError("mine")


@pytest.mark.parametrize("mode", ERAS)
async def test_a_call_that_breaks_fails_and_a_later_one_connects_again(mode: str) -> None:
    server = ScriptedHub(echo=lambda arguments: {"ok": True}, wait_for_mention=lambda arguments: HANGS)
    async with serving(server) as target, relayed(target) as relay, Hub.connect(relay.url, TOKEN, mode=mode) as hub:
        hanging = asyncio.create_task(hub.call("wait_for_mention"))
        await server.hanging.wait()
        await relay.cut()
        for call in (hanging, hub.call("echo")):
            with pytest.raises(HubError) as refused:
                await call
            assert refused.value.code == "unavailable"
        await relay.mend()
        assert await hub.call("echo") == {"ok": True}


async def test_something_else_than_a_hub_is_unavailable() -> None:
    async with serving(PlainTextResponse("<html>bad gateway</html>", 502)) as url:
        with pytest.raises(HubError) as refused:
            async with Hub.connect(url, TOKEN):
                pytest.fail("let in")
    assert refused.value.code == "unavailable"
    assert "502" in str(refused.value)


async def test_mentions_come_in_order_and_are_acknowledged_when_taken() -> None:
    """R20: a page's cursor goes back only when everything of the page has been taken."""
    asked: list[dict[str, Any]] = []
    pages = {
        None: {"mentions": [{"id": "m1"}, {"id": "m2"}], "next_cursor": "c2"},
        "c2": {"mentions": [], "next_cursor": "c2b", "timed_out": True},
        "c2b": {"mentions": [{"id": "m3"}], "next_cursor": "c3"},
    }

    def wait(arguments: dict[str, Any]) -> dict[str, Any]:
        asked.append(arguments)
        return pages[arguments.get("cursor")]

    async with connected(ScriptedHub(wait_for_mention=wait)) as hub:
        mentions = hub.mentions(project="website-v2")
        assert [(await anext(mentions))["id"] for _ in range(2)] == ["m1", "m2"]
        assert [arguments.get("cursor") for arguments in asked] == [None]
        assert (await anext(mentions))["id"] == "m3"
    assert [arguments.get("cursor") for arguments in asked] == [None, "c2", "c2b"]
    assert all(arguments["project"] == "website-v2" for arguments in asked)


async def test_following_outlasts_a_hub_that_is_busy_but_not_a_refusal() -> None:
    said = [
        {"error": {"code": "unavailable", "message": "Try again.", "retry_after_seconds": 0.01}},
        {"error": {"code": "limit_exceeded", "message": "Slow down.", "retry_after_seconds": 0.01}},
        {"updates": [{"kind": "mention"}], "next_cursor": "c1"},
        {"error": {"code": "bad_cursor", "message": "Leave the cursor out."}},
    ]
    asked: list[dict[str, Any]] = []

    def wait(arguments: dict[str, Any]) -> dict[str, Any]:
        asked.append(arguments)
        return said.pop(0)

    async with connected(ScriptedHub(wait_for_updates=wait)) as hub:
        updates = hub.updates(kinds=["mention"])
        assert await anext(updates) == {"kind": "mention"}
        with pytest.raises(HubError) as refused:
            await anext(updates)
    assert refused.value.code == "bad_cursor"
    assert asked[0] == {"kinds": ["mention"]}
