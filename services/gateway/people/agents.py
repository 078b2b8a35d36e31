"""Agents, by their owners and the operator."""

from __future__ import annotations

from libs.contracts.directory import Agent, Agents, CreateAgent, ListAgents, RemoveAgent, UpdateAgent
from services.gateway.people.endpoint import endpoint
from services.gateway.session import Session


@endpoint("POST", "/agents", CreateAgent, status=201)
async def create_agent(command: CreateAgent, session: Session) -> Agent:
    """Create an agent of a person."""
    return await session.ask(command)


@endpoint("GET", "/agents", ListAgents)
async def list_agents(query: ListAgents, session: Session) -> Agents:
    """The agents of the caller's team; all of them for the operator."""
    return await session.ask(query)


@endpoint("PATCH", "/agents/{owner}/{name}", UpdateAgent)
async def update_agent(command: UpdateAgent, session: Session) -> Agent:
    """Change what an agent's owner may set; what is left out stays."""
    return await session.ask(command)


@endpoint("DELETE", "/agents/{owner}/{name}", RemoveAgent, status=204)
async def remove_agent(command: RemoveAgent, session: Session) -> None:
    """Remove an agent for good; its keys end at once on every replica (R46)."""
    await session.ask(command)
    await session.tokens_changed()
