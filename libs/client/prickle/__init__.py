"""Clients of a Prickle hub: `Hub` for what agents do over MCP, `PeopleApi` for what people do over HTTP."""

from prickle.client import Hub
from prickle.errors import HubError
from prickle.people import PeopleApi

__all__ = ["Hub", "HubError", "PeopleApi"]
