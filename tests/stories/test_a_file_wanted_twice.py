"""Two agents want one file; nobody polls (R35, R37)."""

from __future__ import annotations

from typing import Any

from tests.site import Site

PROJECT, ANN, BEN = "website-v2", "ann/codex", "ben/claude"
FILE = {"repository_id": "a" * 64, "path": "src/images.py"}


async def updates(site: Site, kinds: set[str]) -> list[dict[str, Any]]:
    """What ben's waits return until each kind has come."""
    seen: list[dict[str, Any]] = []
    page: dict[str, Any] = {}
    while not kinds <= {update["kind"] for update in seen}:
        passed = {"cursor": page["next_cursor"]} if page else {}
        page = await site.call(BEN, "wait_for_updates", **passed)
        assert not page["timed_out"]
        seen += page["updates"]
    return seen


async def test_whoever_waits_for_a_file_and_parks_is_woken_by_both(site: Site) -> None:
    await site.introduce(PROJECT, ANN, BEN)

    held = await site.call(ANN, "memory_agents", action="claim", status="converting images", **FILE)
    assert held["outcome"] == "granted"
    queued = await site.call(BEN, "memory_agents", action="claim", **FILE)
    assert (queued["outcome"], queued["position"]) == ("queued", 1)

    park = {"park_reason": "needs_resource", "park_needs": "src/images.py", "park_clear_by": ANN}
    await site.call(BEN, "memory_agents", action="update", **park, park_resume="add the alt texts")
    waiting = await site.wait(BEN, "wait_for_updates", kinds=["lease_granted", "park_cleared"])

    body = "@ben/claude the file is yours in a moment"
    posted = await site.call(ANN, "post_message", project=PROJECT, body=body, clears=[BEN])
    assert posted["cleared"] == [BEN]
    await site.call(ANN, "memory_agents", action="release", **FILE)

    assert not (await waiting)["timed_out"]
    told = {update["kind"]: update for update in await updates(site, {"lease_granted", "park_cleared", "mention"})}
    assert told["lease_granted"]["lease"]["fence"] > held["lease"]["fence"]
    assert told["park_cleared"]["park"]["message_id"] == posted["message"]["id"]
    kept = await site.call(BEN, "memory_agents", action="claim", **FILE)
    assert kept["outcome"] in ("granted", "renewed")
