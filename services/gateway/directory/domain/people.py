"""Teams and people."""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Field

from libs.contracts import directory as views
from libs.contracts.errors import InvalidInput
from libs.contracts.types import RESERVED_SLUGS
from libs.storage import UtcDateTime
from services.gateway.directory.domain.table import DirectoryTable


class Team(DirectoryTable, table=True):
    """A team; its slug never changes."""

    __tablename__ = "teams"

    slug: str = Field(primary_key=True)
    created_at: datetime = Field(sa_type=UtcDateTime)

    def view(self) -> views.Team:
        """The team as it is shown."""
        return views.Team(slug=self.slug, created_at=self.created_at)


class Person(DirectoryTable, table=True):
    """A person, in exactly one team (R1). A removed one stays, so that the handle is never given out again."""

    __tablename__ = "people"

    handle: str = Field(primary_key=True)
    team: str = Field(foreign_key="teams.slug", index=True)
    display_name: str
    created_at: datetime = Field(sa_type=UtcDateTime)
    removed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)

    def remove(self, now: datetime) -> None:
        """End the person's part in the team for good."""
        self.removed_at = now

    def view(self) -> views.Person:
        """The person as the team sees it."""
        return views.Person(
            handle=self.handle, team=self.team, display_name=self.display_name, created_at=self.created_at
        )


def check_slug(slug: str, field: str) -> None:
    """Refuse the names that mean something else in addresses."""
    if slug in RESERVED_SLUGS:
        raise InvalidInput("Choose another name; `all` and `operator` are reserved.", field=field)
