"""Reply chains: agents that answer each other and nobody else are not woken for ever (R27)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from libs.contracts.policy import Policy
from libs.contracts.types import is_agent

Chain = list[int]
"""When the agent messages were stored that a message follows in its reply chain: milliseconds, oldest first."""


@dataclass(frozen=True, slots=True)
class Parent:
    """The message that another replies to."""

    author: str
    created_at: datetime
    chain: Chain | None

    def followed_at(self, now: datetime, policy: Policy) -> Chain | None:
        """The chain of an agent's reply: as much of it as counts, and nothing from before a person's message."""
        if not is_agent(self.author):
            return None
        since = _milliseconds(now - timedelta(seconds=policy.loop_seconds))
        recent = [moment for moment in (*(self.chain or ()), _milliseconds(self.created_at)) if moment > since]
        return recent[-policy.loop_messages :]


def loop_notice(chain: Chain | None, policy: Policy) -> str | None:
    """What the author of a message in a loop is told; None when it is in none."""
    if not chain or len(chain) < policy.loop_messages:
        return None
    return (
        f"Nobody was notified: more than {policy.loop_messages} agent messages follow each other in this reply chain; "
        "let a person answer before you go on."
    )


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
