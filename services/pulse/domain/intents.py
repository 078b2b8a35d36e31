"""What agents are about to change (R29, R30)."""

from __future__ import annotations

from datetime import datetime, timedelta

import orjson
from sqlalchemy import String
from sqlmodel import Field

from libs.contracts.pulse import DeclaredIntent, IntentKind, Overlap
from libs.contracts.pulse import Intent as IntentView
from libs.storage import JsonValue, UtcDateTime
from services.pulse.domain.table import PulseTable
from services.pulse.domain.territories import Territory, territory


class Intent(PulseTable, table=True):
    """What an agent last announced in a project."""

    __tablename__ = "intents"

    agent_id: str = Field(primary_key=True)
    project: str = Field(primary_key=True, index=True)
    kind: IntentKind = Field(sa_type=String)
    paths: list[str] = Field(sa_type=JsonValue)
    areas: list[str] = Field(sa_type=JsonValue)
    expires_at: datetime = Field(sa_type=UtcDateTime)

    @staticmethod
    def declared(agent_id: str, project: str, said: DeclaredIntent, now: datetime) -> Intent:
        """What an agent says that it is about to change."""
        return Intent(
            agent_id=agent_id,
            project=project,
            kind=said.kind,
            paths=said.paths,
            areas=said.areas,
            expires_at=now + timedelta(seconds=said.expires_in_seconds),
        )

    def is_live(self, now: datetime) -> bool:
        """Whether it is shown and overlaps with others (R29)."""
        return self.expires_at > now

    def repeats(self, former: Intent | None, now: datetime) -> bool:
        """Whether a live one is only said again: whoever it overlaps with knows already (R30)."""
        if former is None or not former.is_live(now):
            return False
        return (former.kind, former.paths, former.areas) == (self.kind, self.paths, self.areas)

    @property
    def territory(self) -> Territory:
        """What it touches."""
        return territory(orjson.dumps(self.paths).decode(), orjson.dumps(self.areas).decode())

    def view(self) -> IntentView:
        """As agents see it."""
        return IntentView(kind=self.kind, paths=self.paths, areas=self.areas, expires_at=self.expires_at)

    def overlap_with(self, other: Intent) -> Overlap:
        """The other agent's intent as far as it meets this one."""
        mine, theirs = self.territory, other.territory
        paths, areas = theirs.paths_in(mine), theirs.areas_in(mine)
        return Overlap(agent_id=other.agent_id, intent=other.view(), paths=paths, areas=areas)


class ProjectTurn(PulseTable, table=True):
    """Locked while an intent is declared in a project, so that of two at once the second sees the first."""

    __tablename__ = "project_turns"

    project: str = Field(primary_key=True)
    taken: int = 0
