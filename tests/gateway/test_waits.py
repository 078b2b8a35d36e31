"""Waits through the public endpoint (R20-R26)."""

from __future__ import annotations

from tests.site import Site


async def test_an_open_wait_returns_a_mention(site: Site) -> None:
    await site.introduce("website-v2", "maya/codex", "jonas/claude")
    waiting = await site.wait("jonas/claude")
    await site.call("maya/codex", "post_message", project="website-v2", body="hello @jonas/claude")
    answer = await waiting
    assert [message["body"] for message in answer["mentions"]] == ["hello @jonas/claude"]
    assert not answer["timed_out"]
