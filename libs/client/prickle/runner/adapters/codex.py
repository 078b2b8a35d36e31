"""Codex: `codex exec --json`, an event a line; its usage stands in `turn.completed`."""

from __future__ import annotations

from prickle.runner.adapters.adapter import Adapter, Output, Reading, Signs, Used, count, mapping, sign
from prickle.runner.failures import Step

SIGNS: Signs = (
    (r"\b401\b|unauthorized|not logged in|codex login|refresh token|invalid api key", "codex_sign_in"),
    (r"usage.?limit|quota exceeded|rate.?limit|\b429\b", "codex_usage_limit"),
    (
        r"stream disconnected|stream error|error sending request|high demand|at capacity|overloaded|status:? 5\d\d",
        "codex_service",
    ),
)


def read(output: Output) -> Reading:
    """The usage of the last turn that ended, which counts the thread so far, and the number of turns begun.

    An `error` alone may be a hiccup that Codex recovered from, so it counts only where the run failed.
    """
    turns, ended, used, failure, trouble = 0, False, Used(), None, ""
    for event in output.events():
        kind = event.get("type")
        if kind == "turn.started":
            turns += 1
        elif kind == "turn.completed":
            usage = mapping(event.get("usage"))
            used = Used(count(usage.get("input_tokens")), count(usage.get("output_tokens")))
            ended, failure = True, None
        elif kind == "turn.failed":
            ended, failure = True, sign(mapping(event.get("error")).get("message"), SIGNS, "agent_error")
        elif kind == "error":
            trouble = str(event.get("message"))
    counted = Used(used.input_tokens, used.output_tokens, (turns or None) if ended else None)
    return Reading(counted, failure or (_last_trouble(trouble, output) if output.failed else None))


def _last_trouble(said: str, output: Output) -> Step | None:
    return sign(said or output.tail, SIGNS)


ADAPTER = Adapter(
    name="codex",
    command=(
        *("codex", "exec", "--json", "--sandbox", "workspace-write", "--skip-git-repo-check"),
        *("-c", 'mcp_servers.prickle.url="{mcp_url}"'),
        *("-c", 'mcp_servers.prickle.bearer_token_env_var="PRICKLE_TOKEN"'),
        *("-c", 'mcp_servers.prickle.default_tools_approval_mode="approve"'),
        "-",
    ),
    mcp_format="codex",
    read=read,
    not_found="codex_not_found",
)
