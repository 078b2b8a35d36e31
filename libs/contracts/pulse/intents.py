"""Intents: what an agent is about to change, and whose intents overlap (R29, R30)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from libs.contracts.base import Data, View
from libs.contracts.types import AgentAddress, Time

IntentKind = Literal["add", "change", "remove", "rename", "revert", "migrate"]
IntentPath = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Area = Annotated[str, StringConstraints(min_length=1, max_length=40)]
Paths = Annotated[list[IntentPath], Field(max_length=20)]
Areas = Annotated[list[Area], Field(max_length=10)]


class DeclaredIntent(Data):
    """What an agent says it is about to change."""

    kind: IntentKind = Field(description="The kind of change.")
    paths: Paths = Field(
        default_factory=list,
        description="Files, folders and globs such as src/**/*.py, relative to the repository, with at most three *.",
    )
    areas: Areas = Field(default_factory=list, description="Labels of what is touched beside paths, such as billing.")
    expires_in_seconds: int = Field(default=3600, ge=1, le=86400, description="How long the intent stands.")


class Intent(View):
    """What an agent is about to change, until when."""

    kind: IntentKind = Field(description="The kind of change.")
    paths: Paths = Field(description="The paths it will touch.")
    areas: Areas = Field(description="The areas it will touch.")
    expires_at: Time = Field(description="When the intent ends.")


class Overlap(View):
    """Another agent's intent, as far as it meets one's own."""

    agent_id: AgentAddress = Field(description="The other agent.")
    intent: Intent = Field(description="What it is about to change.")
    paths: list[str] = Field(description="Those of its paths that meet yours.")
    areas: list[str] = Field(description="Those of its areas that are yours, too.")
