"""The real gateway, read by the TypeScript SDK's client."""

from __future__ import annotations

import json
from typing import Any

import pytest

from libs.contracts.tools import TOOLS
from libs.contracts.tools.rights import RIGHTS
from tests.site import Site
from tests.typescript.client import CallTool


async def called(call_tool: CallTool, site: Site, tool: str, **arguments: Any) -> dict[str, Any]:
    """What the client shows its agent."""
    await site.introduce("website-v2", "maya/codex", "jonas/claude")
    return await call_tool(site.gateway.url, site.tokens["maya/codex"], tool, arguments)


async def test_it_lists_what_its_key_may_call_with_both_schemas(call_tool: CallTool, site: Site) -> None:
    seen = await called(call_tool, site, "get_project_context", project="website-v2")
    assert [tool["name"] for tool in seen["tools"]] == [tool for tool in TOOLS if "client" in RIGHTS[tool]]
    assert all(tool["outputSchema"]["type"] == "object" for tool in seen["tools"])


async def test_it_takes_a_result_as_valid(call_tool: CallTool, site: Site) -> None:
    seen = await called(call_tool, site, "post_message", project="website-v2", body="hello @jonas/claude")
    assert seen["result"]["structuredContent"]["notified"] == ["jonas/claude"]


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "field"),
    [
        ("post_message", {"project": "website-v2"}, "invalid_input", "body"),
        ("read_room", {"project": "elsewhere"}, "not_found", "project"),
        ("wait_for_mention", {"timeout_seconds": 0, "cursor": "made-up"}, "bad_cursor", "cursor"),
        ("accept_task", {"task_id": "task_none"}, "not_found", "task_id"),
    ],
)
async def test_it_shows_the_agent_our_refusal_and_not_its_own_complaint(
    call_tool: CallTool, site: Site, tool: str, arguments: dict[str, Any], code: str, field: str
) -> None:
    seen = await called(call_tool, site, tool, **arguments)
    assert "error" not in seen
    assert seen["result"]["isError"] is True
    error = json.loads(seen["result"]["content"][0]["text"])["error"]
    assert (error["code"], error.get("field")) == (code, field)
