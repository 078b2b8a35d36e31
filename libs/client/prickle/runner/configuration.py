"""What the owner of a device allows its runner: `runner.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from prickle.runner.adapters import adapters
from prickle.runner.adapters.adapter import Adapter
from prickle.runner.errors import RunnerError

Seconds = Annotated[float, Field(gt=0)]


class Section(BaseModel):
    """A table of the file; what it does not know is a mistake."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class CrossOwner(Section):
    """What may run for people other than the agent's owner, when `allowed`: only what is named here."""

    allowed: bool = False
    repositories: list[Path] = []
    commands: list[str] = []
    """The first words of the commands that may run."""


class AgentSettings(Section):
    """How one agent is run on this machine."""

    client: str
    """The name of an adapter."""
    command: list[str] = []
    """In place of the adapter's command."""
    arguments: list[str] = []
    """Behind the adapter's command, or the one given here."""
    repositories: dict[str, list[Path]] = {}
    """The repositories it may work in, by project; the first one is used."""
    slots: Annotated[int, Field(ge=1, le=64)] = 1
    """Tasks at once; the device's own slots at the hub hold besides."""
    discussions: bool = True
    """Whether it answers messages that mention it."""
    time_limit_seconds: Seconds = 3000.0
    reply_time_limit_seconds: Seconds = 600.0
    grace_seconds: Annotated[float, Field(ge=0)] = 20.0
    """From being asked to end until being made to."""
    retry_seconds: Annotated[float, Field(ge=0)] = 60.0
    """How long a task whose run failed is left before it is claimed again."""
    cross_owner: CrossOwner = CrossOwner()

    @field_validator("client")
    @classmethod
    def _is_known(cls, name: str) -> str:
        if name not in adapters():
            raise ValueError(f"name one of {', '.join(sorted(adapters()))}")
        return name

    @property
    def adapter(self) -> Adapter:
        return adapters()[self.client]

    @property
    def argv(self) -> list[str]:
        """The command, before its placeholders are filled."""
        return [*(self.command or self.adapter.command), *self.arguments]

    def repository(self, project: str, *, cross_owner: bool) -> Path | None:
        """Where it works in a project; None where it has no repository, or none that others may use."""
        allowed = self.repositories.get(project, [])
        if cross_owner:
            allowed = [path for path in allowed if path in self.cross_owner.repositories]
        return allowed[0] if allowed else None

    def takes_from_others(self, project: str) -> bool:
        """Whether it may run for somebody else than its owner in a project."""
        if not self.cross_owner.allowed or self.argv[0] not in self.cross_owner.commands:
            return False
        return not self.repositories.get(project) or self.repository(project, cross_owner=True) is not None


class Configuration(Section):
    """The whole file."""

    agents: dict[str, AgentSettings]
    worktrees: Path | None = None
    """Where worktrees are made; among the runner's own things by default."""
    kept_runs: Annotated[int, Field(ge=0)] = 5
    """How many failed runs are kept to look at, with their worktrees."""
    kept_gigabytes: Annotated[float, Field(ge=0)] = 5.0
    """What the kept runs may take on disk."""


def load_configuration(path: Path) -> Configuration:
    """The configuration, or `RunnerError` naming the field that is wrong."""
    try:
        return Configuration.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise RunnerError(f'Write {path} first: a table [agents."owner/name"] with a client for each agent.') from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise RunnerError(f"Mend {path}: it is not TOML.") from None
    except ValidationError as error:
        wrong = error.errors(include_input=False, include_url=False)[0]
        field = ".".join(map(str, wrong["loc"]))
        raise RunnerError(f"Mend {path}: {field}: {wrong['msg']}.") from None
