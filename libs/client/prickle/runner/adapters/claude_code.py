"""Claude Code: `claude -p`, with `--output-format json` or `stream-json`; both end with one `result` object."""

from __future__ import annotations

from prickle.runner.adapters.adapter import Adapter, Event, Output, Reading, Signs, Used, count, mapping, sign, sum_of
from prickle.runner.failures import Step

SIGNS: Signs = (
    (r"invalid api key|/login|not logged in|authentication.?(failed|error)|oauth token", "claude_code_sign_in"),
    (r"organization has (been )?disabled", "claude_code_sign_in"),
    (r"(usage|session|weekly|opus|5-hour) limit|rate.?limit|credit balance|\b429\b", "claude_code_usage_limit"),
    (r"overloaded|api error:? \(?5\d\d|internal server error|unable to connect|timed out", "claude_code_service"),
)


def read(output: Output) -> Reading:
    """The numbers of the last result. Cached input counts as input, as the other clients count it."""
    results = [event for event in output.events() if event.get("type") == "result"]
    if not results:
        return Reading(step=sign(output.tail, SIGNS) if output.failed else None)
    last = results[-1]
    usage = mapping(last.get("usage"))
    read_and_written = (usage.get("cache_creation_input_tokens"), usage.get("cache_read_input_tokens"))
    used = Used(
        input_tokens=sum_of(usage.get("input_tokens"), *read_and_written),
        output_tokens=count(usage.get("output_tokens")),
        turns=count(last.get("num_turns")),
    )
    return Reading(used, _step(last))


def _step(result: Event) -> Step | None:
    if result.get("subtype") == "error_max_turns":
        return "claude_code_max_turns"
    if not result.get("is_error"):
        return None
    errors = result.get("errors")
    said = " ".join(str(part) for part in (result.get("result"), *(errors if isinstance(errors, list) else ())))
    return _step_of_status(result.get("api_error_status")) or sign(said, SIGNS, "agent_error")


def _step_of_status(status: object) -> Step | None:
    if not isinstance(status, int):
        return None
    if status in (401, 403):
        return "claude_code_sign_in"
    return "claude_code_usage_limit" if status == 429 else "claude_code_service" if status >= 500 else None


ADAPTER = Adapter(
    name="claude_code",
    command=(
        *("claude", "-p", "--output-format", "stream-json", "--verbose"),
        *("--mcp-config", "{mcp_config}", "--strict-mcp-config"),
        *("--permission-mode", "acceptEdits", "--allowedTools", "mcp__prickle"),
    ),
    mcp_format="claude_code",
    read=read,
    not_found="claude_code_not_found",
)
