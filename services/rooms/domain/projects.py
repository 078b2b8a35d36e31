"""Projects and who is in them (R1)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Field

from libs.contracts.caller import Caller
from libs.contracts.errors import Conflict, Forbidden, InvalidInput, NotFound
from libs.contracts.rooms import AddMember, CreateProject, ListProjects, MemoryEntry, ProjectRoom, ProjectView
from libs.contracts.rooms import Member as MemberView
from libs.contracts.types import RESERVED_SLUGS, is_agent, owner_of
from libs.storage.columns import UtcDateTime
from services.rooms.domain.mentions import ALL
from services.rooms.domain.table import RoomsTable


def no_such_project() -> NotFound:
    """The one refusal for projects that are not there and those that the caller is not in: no probing."""
    return NotFound("Ask for one of your projects: this one does not exist, or you are not a member.", field="project")


def runs_the_hub(caller: Caller) -> bool:
    """Whether the caller is in no project but sees and manages all."""
    return caller.kind in ("operator", "system")


def whose_projects(query: ListProjects, caller: Caller) -> str | None:
    """Whose projects are listed, None for all: one's own, one's agents' or, for those who run the hub, anyone's."""
    if runs_the_hub(caller):
        return query.member
    asked = query.member or caller.subject
    if caller.subject not in (asked, owner_of(asked)):
        raise Forbidden("Ask for your own projects, or for those of your agents.", field="member")
    return asked


class Project(RoomsTable, table=True):
    """A project of a team; its conversation is the room. Slugs are never given out again."""

    slug: str = Field(primary_key=True)
    team: str
    owner: str
    name: str
    description: str
    last_number: int = 0
    """The number of the newest message: whoever stores one locks this row until the commit (R19)."""
    created_at: datetime = Field(sa_type=UtcDateTime)

    @classmethod
    def create(cls, command: CreateProject, now: datetime) -> Project:
        """A new project; refuses reserved slugs."""
        if command.slug in RESERVED_SLUGS:
            raise InvalidInput("Choose another slug: this one is reserved.", field="slug")
        return cls(**command.model_dump(exclude={"owner_display_name"}), created_at=now)

    def refuse_other_data(self, command: CreateProject) -> None:
        """Creating a project again is harmless with the same data only."""
        if any(getattr(self, name) != getattr(command, name) for name in ("team", "owner", "name", "description")):
            raise Conflict("Choose another slug: a project with this one exists already.", field="slug")

    def view(self) -> ProjectView:
        return ProjectView(slug=self.slug, team=self.team, name=self.name, description=self.description)


class Member(RoomsTable, table=True):
    """A person or agent that is, or was, in a project: the row survives a removal."""

    project: str = Field(primary_key=True, foreign_key="project.slug")
    address: str = Field(primary_key=True, index=True)
    display_name: str
    joined_at: datetime = Field(sa_type=UtcDateTime)
    removed_at: datetime | None = Field(default=None, sa_type=UtcDateTime)
    rejoins: int = 0
    """How often it was added again (R26)."""
    name_version: int = 0
    """Of the name heard last; news of a lower one is old (R42)."""

    @property
    def active(self) -> bool:
        """Whether it is in the project now."""
        return self.removed_at is None

    def leave(self, now: datetime) -> None:
        """End the membership; a former one stays as it ended."""
        self.removed_at = self.removed_at or now

    def rejoin(self, display_name: str, now: datetime) -> None:
        """Begin the membership again; a current one stays as it began."""
        if self.active:
            return
        self.display_name = display_name
        self.joined_at, self.removed_at = now, None
        self.rejoins += 1

    def view(self) -> MemberView:
        return MemberView(
            kind="agent" if is_agent(self.address) else "person",
            address=self.address,
            display_name=self.display_name,
            joined_at=self.joined_at,
        )


@dataclass(frozen=True)
class Roster:
    """A project with everyone who is or was in it, oldest members first."""

    project: Project
    rows: list[Member]

    def member(self, address: str) -> Member | None:
        """The current member with this address."""
        return next((row for row in self.rows if row.address == address and row.active), None)

    def own_member(self, caller: Caller) -> Member:
        """The member that the caller is."""
        member = self.member(caller.subject)
        if member is None:
            raise no_such_project()
        return member

    def assignee(self, address: str) -> Member:
        """The member agent that a task is handed to."""
        member = self.member(address)
        if member is None:
            raise NotFound("Hand the task to an agent of this project, as get_project_context lists them.", field="to")
        return member

    @property
    def agents(self) -> list[str]:
        """The addresses of the agents in it."""
        return [row.address for row in self.rows if row.active and is_agent(row.address)]

    def refuse_outsiders(self, caller: Caller, behind: str | None = None) -> None:
        """Only members see a project, those `behind` whom one stands, and those who run the hub."""
        if not runs_the_hub(caller) and not self.member(behind or caller.subject):
            raise no_such_project()

    def agents_among(self, mentions: list[str]) -> list[str]:
        """The agents in it that the mentions of a message name."""
        return [agent for agent in self.agents if agent in mentions or ALL in mentions]

    def refuse_all_but_owner(self, caller: Caller) -> None:
        """Only the project's owner says who is in it, and those who run the hub."""
        self.refuse_outsiders(caller)
        if not runs_the_hub(caller) and caller.subject != self.project.owner:
            raise Forbidden("Ask the project's owner, who alone adds and removes members.")

    def refuse_all_but_persons(self, caller: Caller) -> None:
        """Only a person of the project approves what its memory holds (R17)."""
        self.refuse_outsiders(caller)
        if caller.kind != "person":
            raise Forbidden("Ask a person of the project to write it into memory; agents read it.")

    def add(self, command: AddMember, now: datetime) -> Roster:
        """The roster with a person or agent of the project's team in it; agents need their owner there (R1)."""
        if command.team != self.project.team:
            raise InvalidInput("Add people and agents of the project's own team.", field="team")
        if is_agent(command.address) and not self.member(owner_of(command.address)):
            raise Conflict("Add the agent's owner to the project first.", field="address")
        former = next((row for row in self.rows if row.address == command.address), None)
        if former is None:
            return self.with_new(command.address, command.display_name, now).with_owner()
        former.rejoin(command.display_name, now)
        return self.with_owner()

    def with_new(self, address: str, display_name: str, now: datetime) -> Roster:
        """The roster with somebody who was never in it."""
        new = Member(project=self.project.slug, address=address, display_name=display_name, joined_at=now)
        return Roster(self.project, [*self.rows, new])

    def remove(self, address: str, now: datetime) -> None:
        """End a membership, and with a person's those of its agents (R1); again changes nothing."""
        if address == self.project.owner:
            raise Conflict("Keep the project's owner as a member and remove others.", field="address")
        leaving = [row for row in self.rows if address in (row.address, owner_of(row.address))]
        if all(row.address != address for row in leaving):
            raise NotFound("Name a member by its address, as the project lists it.", field="address")
        for row in leaving:
            row.leave(now)

    def forget(self, handle: str, now: datetime) -> None:
        """End the memberships of a person who is no more, and of their agents; what they owned is handed on."""
        for row in self.rows:
            if handle in (row.address, owner_of(row.address)):
                row.leave(now)
        self.with_owner()

    def with_owner(self) -> Roster:
        """Make the person who is in it longest the owner, unless the owner is; with nobody in it, it keeps its last."""
        persons = [row.address for row in self.rows if row.active and not is_agent(row.address)]
        if persons and self.project.owner not in persons:
            self.project.owner = persons[0]
        return self

    def view(self, memory: list[MemoryEntry]) -> ProjectRoom:
        members = [row.view() for row in self.rows if row.active]
        return ProjectRoom(project=self.project.view(), owner=self.project.owner, members=members, memory=memory)
