"""Grok's CLI: `--output-format json` prints one object, `streaming-json` an event a line that ends with `end`.

It reads its MCP servers from its own configuration only: `prickle mcp-config grok` prints what belongs there, with
the token taken from the environment of each run.
"""

from __future__ import annotations

from prickle.runner.adapters.adapter import Adapter, Event, Output, Reading, Signs, Used, count, mapping, sign
from prickle.runner.failures import Step

SIGNS: Signs = (
    (r"\b401\b|unauthorized|not (logged|signed) in|not authenticated|grok login|xai_api_key|api key", "grok_sign_in"),
    (r"\b5\d\d\b|overloaded|unavailable|connection|network|timed out", "grok_service"),
)


def read(output: Output) -> Reading:
    """The numbers of the object that says why it stopped; many versions print none."""
    last: Event | None = None
    failure: Step | None = None
    for event in output.events():
        if event.get("type") == "error":
            failure = sign(event.get("message"), SIGNS, "agent_error")
        elif "stopReason" in event:
            last = event
    if last is None:
        return Reading(step=failure or (sign(output.tail, SIGNS) if output.failed else None))
    return Reading(_used(last), failure or ("agent_error" if last["stopReason"] == "Cancelled" else None))


def _used(last: Event) -> Used:
    usage = mapping(last.get("usage"))
    return Used(count(usage.get("input_tokens")), count(usage.get("output_tokens")), count(last.get("num_turns")))


ADAPTER = Adapter(
    name="grok",
    command=("grok", "--prompt-file", "{prompt_file}", "--output-format", "streaming-json", "--always-approve"),
    mcp_format="grok",
    read=read,
    prompt="file",
)
