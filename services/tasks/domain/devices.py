"""Devices: which of them are told of which tasks (R12, R19)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Field

from libs.contracts.directory import DeviceChanged
from libs.storage import JsonValue
from services.tasks.domain.table import TasksTable
from services.tasks.domain.tasks import Task


@dataclass(frozen=True)
class Links:
    """The agents and projects that a device is linked to."""

    agents: frozenset[str]
    projects: frozenset[str]

    def cover(self, task: Task) -> bool:
        """Whether the device is told of the task."""
        return task.assignee in self.agents and task.project in self.projects


class Device(TasksTable, table=True):
    """A machine that runs agents, as the directory announced it last; its row is the lock of its slots (R12)."""

    __tablename__ = "devices"

    device_id: str = Field(primary_key=True)
    owner: str = Field(index=True)
    agents: list[str] = Field(default_factory=list, sa_type=JsonValue)
    projects: list[str] = Field(default_factory=list, sa_type=JsonValue)
    version: int = 0
    """0 until the directory announced it."""

    @property
    def links(self) -> Links:
        """What it is linked to now."""
        return Links(frozenset(self.agents), frozenset(self.projects))

    def learn(self, event: DeviceChanged) -> bool:
        """Take over what the directory announced; False when that is old news (R42)."""
        if event.version <= self.version:
            return False
        self.version = event.version
        self.agents = [] if event.removed else event.agents
        self.projects = [] if event.removed else event.projects
        return True


class Assignee(TasksTable, table=True):
    """An agent that tasks are handed to; its row is locked by whoever links it or requests a task of it.

    So a device learns of each requested task from one of the two (R19).
    """

    __tablename__ = "assignees"

    agent_id: str = Field(primary_key=True)
