"""Cursors at the public endpoint: good for their own agent, tool, filter and time, and for nothing else (R20)."""

from __future__ import annotations

from services.gateway.cursors import Binding, Cursors, Positions
from tests.system.pair import Pair, both_eras, ids

pytestmark = both_eras

TOOLS = ["wait_for_mention", "wait_for_updates", "check_inbox", "discover_team_agents"]
BAD = ("bad_cursor", "cursor")
MADE_UP = ["x", "A" * 46, "=" * 8, "ab cd", "\n", "é", "🦔", "a" * 200, "../..", "%00", "-1", "None"]


async def test_a_made_up_cursor_is_refused_by_every_tool(pair: Pair) -> None:
    """R20."""
    for cursor in MADE_UP:
        for tool in TOOLS:
            assert await pair.refusal(tool, cursor=cursor) == BAD, cursor
        assert await pair.refusal("read_room", project=pair.project, cursor=cursor) == BAD, cursor


async def test_what_cannot_be_a_cursor_is_invalid(pair: Pair) -> None:
    for tool in TOOLS:
        for cursor in ("", "a" * 201, 7, None, {}):
            assert await pair.refusal(tool, cursor=cursor) == ("invalid_input", "cursor"), cursor


async def test_a_null_cursor_is_refused_with_the_hint_to_omit_it(pair: Pair) -> None:
    refused = await pair.refused(pair.bob, "wait_for_mention", cursor=None)
    assert refused.error["hint"] == "omit it"


async def test_a_cursor_is_good_for_its_own_agent_tool_and_filter_only(pair: Pair) -> None:
    """R20, R21."""
    await pair.mention_bob()
    plain, narrow = await pair.wait(), await pair.wait(project=pair.project)
    kind = await pair.wait(tool="wait_for_updates", kinds=["mention"])
    assert await pair.refusal("wait_for_mention", by=pair.ann, cursor=plain["next_cursor"]) == BAD
    assert await pair.refusal("wait_for_updates", cursor=plain["next_cursor"]) == BAD
    assert await pair.refusal("wait_for_mention", cursor=narrow["next_cursor"]) == BAD
    assert await pair.refusal("wait_for_mention", cursor=plain["next_cursor"], project=pair.project) == BAD
    assert await pair.refusal("wait_for_updates", cursor=kind["next_cursor"]) == BAD
    assert await pair.refusal("wait_for_updates", cursor=kind["next_cursor"], kinds=["memory_changed"]) == BAD
    assert await pair.refusal("read_room", cursor=plain["next_cursor"], project=pair.project) == BAD


async def test_the_order_of_kinds_makes_no_other_filter(pair: Pair) -> None:
    mention = await pair.mention_bob()
    both = {"tool": "wait_for_updates", "kinds": ["mention", "checkpoint"]}
    answer = await pair.wait(**both)
    assert [update["message"]["id"] for update in answer["updates"]] == [mention]
    turned = {**both, "kinds": ["checkpoint", "mention", "mention"], "cursor": answer["next_cursor"]}
    assert (await pair.wait(**turned))["timed_out"]


async def test_a_rooms_cursor_belongs_to_its_reader_and_project(pair: Pair) -> None:
    await pair.mention_bob()
    await pair.mention_bob()
    page = await pair.call(pair.bob, "read_room", project=pair.project, limit=1)
    other = f"{pair.project}-b"
    await pair.site.introduce(other, pair.ann, pair.bob)
    assert await pair.refusal("read_room", project=other, cursor=page["next_cursor"]) == BAD
    mine = {"project": pair.project, "cursor": page["next_cursor"]}
    assert await pair.refusal("read_room", by=pair.ann, **mine) == BAD


async def test_a_cursor_from_the_future_is_refused(pair: Pair) -> None:
    """R20: its mailbox has not got so far; only a data set that was lost can have given it."""
    cursors = pair.site.gateway.app.gateway.cursors
    for positions in (Positions(rooms=1), Positions(tasks=2**62)):
        binding = Binding("wait_for_updates", pair.bob)
        future = cursors.write_positions(binding, positions)
        assert await pair.refusal("wait_for_updates", cursor=future) == BAD


async def test_a_cursor_from_before_a_restore_starts_at_what_remains_and_says_so(pair: Pair) -> None:
    """R20: a restore changes the epoch."""
    cursors = pair.site.gateway.app.gateway.cursors
    former = Cursors(cursors._key.decode(), "the epoch before")
    mention = await pair.mention_bob()
    answer = await pair.wait(cursor=former.write_positions(Binding("wait_for_mention", pair.bob), Positions(rooms=77)))
    assert (ids(answer), answer["resync"], answer["timed_out"]) == ([mention], True, False)
    assert "resync" not in await pair.wait(cursor=answer["next_cursor"])
