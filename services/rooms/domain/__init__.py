"""What rooms are made of, and the rules: no I/O."""

from services.rooms.domain.devices import Device, LinkedAgent, LinkedProject, Links
from services.rooms.domain.memory import FormerValue, MemoryEntry
from services.rooms.domain.messages import Message, NewMessage, fitting
from services.rooms.domain.projects import (
    Member,
    Project,
    Roster,
    no_such_project,
    runs_the_hub,
    whose_projects,
)
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
    "Project",
    "Room",
    "RoomsTable",
    "Roster",
    "TaskRequest",
    "fitting",
    "no_such_project",
    "runs_the_hub",
    "whose_projects",
]
