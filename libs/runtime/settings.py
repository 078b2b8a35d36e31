"""Settings, from the environment: `PRICKLE_<NAME>`; every duration of the rules is one too.

What the environment does not say may stand in a file named like the variable (`prickle_redis_url`), as container
platforms hand out secrets: in the directory `PRICKLE_SECRETS_DIR`, or `/run/secrets` where there is one.
"""

from __future__ import annotations

import logging
import os
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from redis.connection import parse_url
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from libs.contracts.policy import Count, Policy, Seconds

USUAL_SECRETS = Path("/run/secrets")
PREFIX = "PRICKLE_"
Port = Annotated[int, Field(ge=0, le=65_535)]
DRIVERS = ("postgresql+asyncpg", "sqlite+aiosqlite")


class SecretsUnreadable(RuntimeError):
    """Why the files with secrets cannot be taken as they are, in one sentence for people."""


class Settings(Policy, BaseSettings):
    """What an installation chooses."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore")

    redis_url: str = "redis://127.0.0.1:6379/0"
    database_url: str = ""
    """PostgreSQL, `postgresql+asyncpg://…`; empty: one SQLite file per service in the data directory."""
    database_pool: Count = 5
    data_dir: Path = Path(".prickle")
    host: str = "127.0.0.1"
    port: Port = 8400
    health_port: Port = 0
    """Where a process answers `/healthz`, `/readyz` and `/metrics`, beside the gateway's own port; 0: nowhere."""
    listener: int | None = None
    """The descriptor of an inherited socket that listens already, in the place of a port to listen on."""
    public_url: str = ""
    """How agents reach the gateway, when that is not its own host and port."""
    allowed_hosts: list[str] = []
    """Host headers the gateway answers to; empty: loopback names only; `*`: any, for hubs that are thrown away."""
    allowed_origins: list[str] = []
    operator_token_file: Path | None = None
    """A file with the operator's token, made known to the directory when the gateway starts."""
    log_level: str = "info"
    log_format: Literal["json", "console"] = "json"
    drain_seconds: Seconds = 10.0
    """How long a process may take to finish what it began after SIGTERM."""

    @field_validator("log_level")
    @classmethod
    def _a_level(cls, level: str) -> str:
        if level.upper() not in logging.getLevelNamesMapping():
            raise ValueError("name a level such as info or debug")
        return level

    @field_validator("redis_url")
    @classmethod
    def _a_redis(cls, url: str) -> str:
        parse_url(url)  # type: ignore[no-untyped-call]
        return url

    @field_validator("database_url")
    @classmethod
    def _a_database(cls, url: str) -> str:
        """Refused without being quoted: there may be a password in it."""
        try:
            known = not url or make_url(url).drivername in DRIVERS
        except (ArgumentError, ValueError):
            known = False
        if not known:
            raise ValueError(f"name a database as one of {', '.join(f'{driver}://…' for driver in DRIVERS)}")
        return url

    def database_of(self, service: str) -> str:
        """The URL of a service's database."""
        file = URL.create("sqlite+aiosqlite", database=str(self.data_dir.absolute() / f"{service}.db"))
        return self.database_url or file.render_as_string()

    @property
    def address(self) -> str:
        """The URL at which the gateway is reached."""
        return self.public_url or f"http://{self.host}:{self.port}"

    @cached_property
    def policy(self) -> Policy:
        """The durations and limits among the settings."""
        return Policy(**{name: getattr(self, name) for name in Policy.model_fields})


def load_settings(**given: Any) -> Settings:
    """The settings of this process: those `given`, then the environment, then the files with secrets.

    Raises `SecretsUnreadable`: a hub without one of its secrets would begin anew elsewhere.
    """
    return Settings(_secrets_dir=_secrets(), **given)


def _secrets() -> Path | None:
    named = os.environ.get("PRICKLE_SECRETS_DIR")
    if not named and not USUAL_SECRETS.is_dir():
        return None
    directory = Path(named) if named else USUAL_SECRETS
    try:
        for path in directory.iterdir():
            if path.name.upper().startswith(PREFIX):
                path.read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise SecretsUnreadable(
            f"let this user read {directory} (PRICKLE_SECRETS_DIR), with a file of UTF-8 text for each prickle_… in it"
        ) from error
    return directory
