"""The command line as people use it, against a real site."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any

from prickle.cli import build
from typer.testing import CliRunner, Result

from tests.site import Site


@dataclass(frozen=True)
class Prickle:
    """Runs commands as somebody who was introduced to a site."""

    site: Site
    by: str = "maya"

    async def run(self, *arguments: str, by: str = "") -> Result:
        """The result of a command, whatever it is."""
        token = self.site.tokens[by or self.by]
        environment = {"PRICKLE_URL": self.site.gateway.url, "PRICKLE_TOKEN": token, "COLUMNS": "200"}
        return await asyncio.to_thread(CliRunner().invoke, build(), list(arguments), env=environment)

    async def shows(self, *arguments: str, by: str = "") -> str:
        """What a command that succeeds prints for people."""
        result = await self.run(*arguments, by=by)
        assert (result.exit_code, result.stderr) == (0, ""), result.output
        return result.stdout

    async def says(self, *arguments: str, by: str = "") -> Any:
        """What a command that succeeds prints as JSON."""
        return json.loads(await self.shows(*arguments, "--json", by=by))

    async def refuses(self, *arguments: str, by: str = "") -> str:
        """The sentence with which a command fails."""
        result = await self.run(*arguments, by=by)
        assert (result.exit_code, result.stdout) == (1, ""), result.output
        (line,) = result.stderr.splitlines()
        return line
