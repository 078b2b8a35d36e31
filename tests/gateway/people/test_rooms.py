"""Rooms over HTTP: persons post, read page by page, follow, and redact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.site import Site

SERVICES = ("rooms", "tasks", "pulse")
Calling = Callable[..., httpx.AsyncClient]
ROOM = "/projects/garden/messages"

pytestmark = pytest.mark.usefixtures("garden")


def bodies(page: httpx.Response) -> list[str]:
    assert page.status_code == 200
    return [message["body"] for message in page.json()["messages"]]


async def said(calling: Calling, who: str, body: str, **rest: Any) -> dict[str, Any]:
    """A message that was posted."""
    posted = await calling(who).post(ROOM, json={"body": body, **rest})
    assert posted.status_code == 201
    message: dict[str, Any] = posted.json()["message"]
    return message


async def test_what_a_person_says_reaches_the_agents_it_mentions(town: Site, calling: Calling) -> None:
    posted = await calling("jonas").post(ROOM, json={"body": "@maya/codex use clay, @nobody"})
    assert (posted.status_code, posted.json()["notified"]) == (201, ["maya/codex"])
    message = posted.json()["message"]
    assert (message["author"]["handle"], message["provenance"]) == ("jonas", None)
    mentions = (await town.call("maya/codex", "wait_for_mention", timeout_seconds=0))["mentions"]
    assert message in mentions


async def test_only_a_person_instructs_and_says_nothing_as_an_agent(calling: Calling) -> None:
    """R17."""
    assert (await said(calling, "maya", "Plant roses.", provenance="owner_instruction"))[
        "provenance"
    ] == "owner_instruction"
    refused = await calling("maya").post(ROOM, json={"body": "Weeds.", "provenance": "agent_generated"})
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "provenance")


async def test_a_room_is_read_page_by_page_and_followed_from_its_end(calling: Calling) -> None:
    jonas = calling("jonas")
    sent = [(await said(calling, "maya", f"Row {number}"))["body"] for number in range(5)]
    page = await jonas.get(ROOM, params={"limit": 2})
    read = bodies(page)
    while (cursor := page.json()["next_cursor"]) is not None:
        page = await jonas.get(ROOM, params={"limit": 2, "cursor": cursor})
        read += bodies(page)
    assert read[-5:] == sent
    follow = {"cursor": page.json()["resume_cursor"]}
    assert bodies(await jonas.get(ROOM, params=follow)) == []
    last = await said(calling, "maya", "One more")
    assert bodies(await jonas.get(ROOM, params=follow)) == ["One more"]
    await said(calling, "maya", "And another")
    assert bodies(await jonas.get(ROOM, params={"cursor": last["id"]})) == ["And another"]


async def test_a_repeated_post_with_the_same_key_is_one_message(calling: Calling) -> None:
    """R40."""
    first, again = [await said(calling, "maya", "Once", idempotency_key="once") for _ in range(2)]
    assert first == again
    other = await calling("maya").post(ROOM, json={"body": "Twice", "idempotency_key": "once"})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "idempotency_conflict")


async def test_outsiders_find_no_room(calling: Calling) -> None:
    message = await said(calling, "maya", "Ours")
    rosa = calling("rosa")
    for answer in (
        await rosa.get(ROOM),
        await rosa.post(ROOM, json={"body": "Hello"}),
        await rosa.get("/projects/garden/pulse"),
        await rosa.post(f"{ROOM}/{message['id']}/redact"),
    ):
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("params", "field"),
    [({"limit": 0}, "limit"), ({"limit": 101}, "limit"), ({"cursor": ""}, "cursor"), ({"cursor": "a b"}, "cursor")],
)
async def test_a_wrong_question_names_its_field(calling: Calling, params: dict[str, Any], field: str) -> None:
    refused = await calling("maya").get(ROOM, params=params)
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, field)


async def test_a_cursor_of_another_person_is_refused(calling: Calling) -> None:
    """R20."""
    cursor = (await calling("maya").get(ROOM)).json()["resume_cursor"]
    refused = await calling("jonas").get(ROOM, params={"cursor": cursor})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad_cursor")


async def test_a_redacted_message_keeps_author_and_time_and_nothing_of_what_it_said(calling: Calling) -> None:
    message = await said(calling, "jonas", "The password is rosebud")
    path = f"{ROOM}/{message['id']}/redact"
    redacted = await calling("maya").post(path, json={"reason": "a secret"})
    assert redacted.status_code == 200
    after = redacted.json()["message"]
    kept = ("id", "author", "created_at")
    assert {name: after[name] for name in kept} == {name: message[name] for name in kept}
    assert "rosebud" not in (await calling("jonas").get(ROOM)).text
    assert (await calling("jonas").post(path)).json()["message"] == after


async def test_a_member_redacts_nothing_of_others(calling: Calling) -> None:
    message = await said(calling, "maya", "Stays")
    refused = await calling("jonas").post(f"{ROOM}/{message['id']}/redact")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")


async def test_a_person_sees_what_every_agent_of_a_project_does(town: Site, calling: Calling) -> None:
    await town.call("maya/codex", "update_pulse", project="garden", doing="Digging")
    pulses = (await calling("jonas").get("/projects/garden/pulse")).json()["pulses"]
    assert {pulse["agent_id"]: pulse["doing"] for pulse in pulses} == {"maya/codex": "Digging", "jonas/claude": ""}
