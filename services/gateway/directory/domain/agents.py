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
    version: int = 1
    """Rises with each name, so that those who hear of names tell old news from new (R42)."""

    def change(self, command: views.UpdateAgent) -> bool:
        """Take over what the owner set; what was left out stays. Whether that renamed it."""
        changes: dict[str, Any] = command.model_dump(exclude={"agent_id"}, exclude_none=True)
        renamed = bool(changes.get("display_name", self.display_name) != self.display_name)
        for name, value in changes.items():
            setattr(self, name, value)
        self.version += renamed
        return renamed

    def changed(self) -> views.AgentChanged:
        """What the services hear of a new name."""
        return views.AgentChanged(agent_id=self.agent_id, display_name=self.display_name, version=self.version)

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
