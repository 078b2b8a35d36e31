"""No result exceeds 64 KiB: pages end early, and nothing is lost between them."""

from __future__ import annotations

from typing import Any

import orjson

from libs.contracts.caller import OPERATOR
from libs.contracts.directory import UpdateAgent
from libs.contracts.rooms import WriteMemory
from tests.harness import caller
from tests.system.pair import PROOF, Pair

MOST_BYTES = 64 * 1024
LARGEST = "\x01" * 8000
"""Each character takes six bytes as JSON."""


def small(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer that keeps within the limit."""
    structured = {name: value for name, value in answer.items() if name != "_meta"}
    assert len(orjson.dumps(structured)) <= MOST_BYTES
    return answer


async def pages(pair: Pair, tool: str, items: str, **arguments: Any) -> list[dict[str, Any]]:
    """Everything that a paged tool shows bob."""
    page = small(await pair.call(pair.bob, tool, **arguments))
    found: list[dict[str, Any]] = page[items]
    while page["next_cursor"] is not None:
        assert page[items]
        page = small(await pair.call(pair.bob, tool, **arguments, cursor=page["next_cursor"]))
        found += page[items]
    return found


async def test_a_room_of_large_messages_is_read_in_more_pages(pair: Pair) -> None:
    sent = [(await pair.post(pair.ann, LARGEST))["id"] for _ in range(3)]
    found = await pages(pair, "read_room", "messages", project=pair.project)
    assert [message["id"] for message in found] == sent


async def test_waits_over_large_messages_and_tasks_lose_nothing(pair: Pair) -> None:
    """Both mailboxes together are larger than one answer."""
    mentions, tasks = [], []
    for _ in range(25):
        mentions.append(await pair.mention_bob("x" * 1500))
        tasks.append(await pair.hand_off(title="é" * 120, context={"branch": "é" * 200}))
    updates, page = [], small(await pair.wait(tool="wait_for_updates", limit=50))
    while not page["timed_out"]:
        updates += page["updates"]
        page = small(await pair.wait(tool="wait_for_updates", limit=50, cursor=page["next_cursor"]))
    assert [update["message"]["id"] for update in updates if "message" in update] == mentions
    assert [update["task"]["task_id"] for update in updates if "task" in update] == tasks


async def test_the_largest_mention_fits(pair: Pair) -> None:
    mention = await pair.post(pair.ann, LARGEST[:-60], mentions=[pair.bob])
    for tool, items in (("wait_for_mention", "mentions"), ("wait_for_updates", "updates")):
        assert len(small(await pair.wait(tool=tool))[items]) == 1
    assert await pair.heard() == [mention["id"]]


async def test_agents_with_many_capabilities_are_listed_in_more_pages(pair: Pair) -> None:
    ann = pair.ann.partition("/")[0]
    many = [f"{ann}/agent-{number}" for number in range(10)]
    await pair.site.introduce(pair.project, *many)
    labels = [f"{number:02}" + "🦔" * 78 for number in range(50)]
    for agent in many:
        await pair.site.gateway.app.gateway.ask(UpdateAgent(agent_id=agent, capabilities=labels), OPERATOR)
    found = await pages(pair, "discover_team_agents", "agents", limit=50)
    assert [agent["agent_id"] for agent in found] == sorted([pair.ann, pair.bob, *many])


async def test_a_context_leaves_out_memory_first_and_counts_it(pair: Pair) -> None:
    ann = pair.ann.partition("/")[0]
    for number in range(8):
        pair.site.hub.clock.advance(seconds=1)
        entry = WriteMemory(project=pair.project, key=f"fact-{number}", value="\x01" * 4000)
        await pair.site.gateway.app.gateway.ask(entry, caller(ann))
    context = small(await pair.call(pair.bob, "get_project_context", project=pair.project))
    assert [entry["key"] for entry in context["memory"]] == ["fact-7", "fact-6"]
    assert context["_meta"]["memory_omitted"] == 6
    assert len(context["members"]) == 4


async def test_a_task_with_a_long_story_is_shown_within_the_limit_and_the_rest_is_counted(pair: Pair) -> None:
    named = await pair.take(await pair.hand_off(objective="\x01" * 3000))
    for number in range(12):
        await pair.call(pair.bob, "checkpoint", **named, summary=f"{number} " + "\x01" * 1000)
    await pair.finish(named, summary="\x01" * 3000, evidence=[PROOF])
    answer = small(await pair.call(pair.ann, "check_inbox", task_id=named["task_id"]))
    task = answer["tasks"][0]
    assert task["results"][0]["summary"] == "\x01" * 3000
    assert task["checkpoints"][0]["summary"].startswith("11 ")
    assert answer["_meta"]["checkpoints_omitted"] == 12 - len(task["checkpoints"])


async def test_inputs_are_bounded_and_the_longest_field_is_named(pair: Pair) -> None:
    """24 KiB as JSON."""
    said = {"project": pair.project, "to": pair.bob, "title": "Count", "acceptance": ["Done"]}
    refusal = await pair.refusal("handoff", by=pair.ann, **said, objective="\x01" * 5000)
    assert refusal == ("invalid_input", "objective")
    named = await pair.take()
    words = {"outcome": "done", "summary": "It works.", "evidence": [{**PROOF, "note": "\x01" * 500}] * 50}
    assert await pair.refusal("return_result", **named, **words) == ("invalid_input", "evidence")
