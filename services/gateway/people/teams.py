"""Teams, by the operator."""

from __future__ import annotations

from libs.contracts.directory import CreateTeam, ListTeams, Team, Teams
from services.gateway.people.endpoint import endpoint
from services.gateway.session import Session


@endpoint("POST", "/teams", CreateTeam, status=201)
async def create_team(command: CreateTeam, session: Session) -> Team:
    """Create a team."""
    return await session.ask(command)


@endpoint("GET", "/teams", ListTeams)
async def list_teams(query: ListTeams, session: Session) -> Teams:
    """All teams."""
    return await session.ask(query)
