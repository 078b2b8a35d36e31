"""A device's key: which hub this machine runs agents for, and as which device."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from prickle.client import Hub
from prickle.errors import HubError
from prickle.runner.errors import RunnerError
from prickle.runner.places import read_private, write_private


@dataclass(frozen=True)
class Pairing:
    """A hub's URL and the key of a device there."""

    url: str
    token: str = field(repr=False)

    @classmethod
    def load(cls, path: Path) -> Pairing:
        """The stored pairing."""
        try:
            said = json.loads(read_private(path))
            return cls(said["url"], said["token"])
        except FileNotFoundError:
            raise RunnerError("Pair this machine first: prickle runner pair.") from None
        except (ValueError, KeyError, TypeError, UnicodeDecodeError):
            raise RunnerError("Pair this machine again with prickle runner pair; its key file is damaged.") from None

    def store(self, path: Path) -> None:
        """Keep it, for its owner's eyes only."""
        write_private(path, json.dumps({"url": self.url, "token": self.token}) + "\n")

    async def check(self) -> None:
        """Raise `HubError` unless the hub knows the key and lets it claim tasks."""
        async with Hub.connect(self.url, self.token) as hub:
            if "claim_task" not in {tool.name for tool in await hub.tools()}:
                raise HubError("forbidden", "Give a device's key; this one belongs to something that runs no tasks.")
