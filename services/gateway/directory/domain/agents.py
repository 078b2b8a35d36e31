"""Agents of people."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from sqlmodel import Field

from libs.contracts import directory as views
from libs.contracts.errors import InvalidInput
from libs.contracts.types import TakesTasksFrom
from libs.storage import JsonValue, UtcDateTime
from services.gateway.directory.domain.table import DirectoryTable

LONGEST_SLUG = 39


class Agent(DirectoryTable, table=True):
    """An agent of a person. A removed one stays, so that its address is never given out again."""

    __tablename__ = "agents"

    agent_id: str = Field(primary_key=True)
    owner: str = Field(foreign_key="people.handle", index=True)
    display_name: str
    capabilities: list[str] = Field(sa_type=JsonValue)
    takes_tasks_from: str
    created_at: datetime = Field(sa_type=UtcDateTime)
    removed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    def change(self, command: views.UpdateAgent) -> None:
        """Take over what the owner set; what was left out stays."""
        changes: dict[str, Any] = command.model_dump(exclude={"agent_id"}, exclude_none=True)
        for name, value in changes.items():
            setattr(self, name, value)

    def remove(self, now: datetime) -> None:
        """End the agent for good."""
        self.removed_at = now

    def view(self, team: str) -> views.Agent:
        """The agent as its team sees it; the team is its owner's."""
        return views.Agent(
            agent_id=self.agent_id,
            owner=self.owner,
            team=team,
            display_name=self.display_name,
            capabilities=self.capabilities,
            takes_tasks_from=cast(TakesTasksFrom, self.takes_tasks_from),
            created_at=self.created_at,
        )


def check_agent_name(agent_id: str) -> None:
    """Refuse a name behind the slash that is longer than a slug."""
    if len(agent_id.partition("/")[2]) > LONGEST_SLUG:
        raise InvalidInput(f"Shorten the agent's name to {LONGEST_SLUG} characters.", field="agent_id")
