"""What rooms are made of, and the rules: no I/O."""

from services.rooms.domain.chains import Parent
from services.rooms.domain.devices import Device, LinkedAgent, LinkedProject, Links
from services.rooms.domain.memory import FormerValue, MemoryEntry, check_approved, histories, nothing_remembered
from services.rooms.domain.messages import Message, NewMessage, fitting
from services.rooms.domain.projects import (
    Member,
    Project,
    Roster,
    no_such_project,
    runs_the_hub,
    whose_projects,
)
from services.rooms.domain.proposals import Proposal, check_decision
from services.rooms.domain.rooms import Room, TaskRequest
from services.rooms.domain.table import RoomsTable

__all__ = [
    "Device",
    "FormerValue",
    "LinkedAgent",
    "LinkedProject",
    "Links",
    "Member",
    "MemoryEntry",
    "Message",
    "NewMessage",
    "Parent",
    "Project",
    "Proposal",
    "Room",
    "RoomsTable",
    "Roster",
    "TaskRequest",
    "check_approved",
    "check_decision",
    "fitting",
    "histories",
    "no_such_project",
    "nothing_remembered",
    "runs_the_hub",
    "whose_projects",
]
