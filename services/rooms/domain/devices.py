"""Devices and what they are linked to, as the directory last told of them (R19)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Field

from services.rooms.domain.table import RoomsTable


class Device(RoomsTable, table=True):
    """A person's machine that runs agents; a removed one stays, linked to nothing."""

    device_id: str = Field(primary_key=True)
    owner: str
    version: int
    """Of the change heard last; news of a lower one is old (R42)."""


class LinkedAgent(RoomsTable, table=True):
    """An agent that a device runs."""

    agent: str = Field(primary_key=True)
    device_id: str = Field(primary_key=True, foreign_key="device.device_id", index=True)


class LinkedProject(RoomsTable, table=True):
    """A project in which a device runs its agents."""

    project: str = Field(primary_key=True)
    device_id: str = Field(primary_key=True, foreign_key="device.device_id", index=True)


@dataclass(frozen=True, slots=True)
class Links:
    """Whose a device is, and in which projects it runs agents: in none when nothing is known of it."""

    owner: str
    projects: frozenset[str]
