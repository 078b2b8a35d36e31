"""What the gateway remembers of a moment ago is no older than it says."""

from __future__ import annotations

from typing import Any

from libs.contracts.caller import Caller
from libs.contracts.policy import Policy
from libs.contracts.rooms import ProjectRooms
from services.gateway.facts import Facts
from tests.harness import caller


class SlowRooms:
    """Rooms that take their time to answer."""

    def __init__(self, seconds: float) -> None:
        self.now = 0.0
        self.asked = 0
        self._seconds = seconds

    async def ask(self, query: Any, by: Caller) -> ProjectRooms:
        self.now += self._seconds
        self.asked += 1
        return ProjectRooms(projects=[])

    def facts(self) -> Facts:
        """Facts of these rooms, remembered for two seconds."""
        return Facts(self.ask, Policy(facts_seconds=2.0), lambda: self.now)


async def test_facts_are_remembered_for_a_moment() -> None:
    rooms = SlowRooms(seconds=0.5)
    facts = rooms.facts()
    for _ in range(3):
        await facts.projects(caller("maya/codex"))
    assert rooms.asked == 1


async def test_the_age_of_a_fact_counts_from_the_question_not_from_the_answer() -> None:
    """An answer may be under way for ten seconds; what it says may have been so at their beginning."""
    rooms = SlowRooms(seconds=3.0)
    facts = rooms.facts()
    for _ in range(3):
        await facts.projects(caller("maya/codex"))
    assert rooms.asked == 3
