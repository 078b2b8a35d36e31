"""A whole site for tests: the hub of `tests.harness` with gateways that answer MCP and HTTP on real ports."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import httpx
import orjson
import uvicorn
from jsonschema_rs import Draft202012Validator

from libs.contracts.caller import OPERATOR, SYSTEM, Caller
from libs.contracts.directory import CreateAgent, CreatePerson, CreateTeam, IssueKey, RegisterDevice
from libs.contracts.rooms import AddMember, CreateProject
from libs.contracts.tools import TOOLS
from libs.contracts.types import owner_of
from libs.runtime.valkey import free_port
from services.gateway.app import GatewayApp
from tests.harness import Hub, until
from tests.tables import prepare_directory

MODERN, LEGACY = "2026-07-28", "2025-11-25"
ERAS = (MODERN, LEGACY)
OUTPUTS = {name: Draft202012Validator(tool.output_schema) for name, tool in TOOLS.items()}
TEAM = "acme"


class Refused(Exception):
    """A tool's refusal, as an agent reads it."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["code"], error["message"])
        self.error = error
        self.code: str = error["code"]
        self.field: str | None = error.get("field")


@dataclass
class RunningGateway:
    """One gateway on a port of its own."""

    app: GatewayApp
    server: uvicorn.Server
    url: str

    async def stop(self) -> None:
        """Drain as SIGTERM does, then stop."""
        self.app.gateway.drain()
        self.server.should_exit = True


@dataclass
class Site:
    """A hub with a gateway, and the tokens of those who were introduced to it."""

    hub: Hub
    gateways: list[RunningGateway]
    http: httpx.AsyncClient
    tokens: dict[str, str] = field(default_factory=dict)
    ids: Any = field(default_factory=lambda: count(1))

    @property
    def gateway(self) -> RunningGateway:
        """The first gateway."""
        return self.gateways[0]

    async def introduce(self, project: str, *agents: str) -> None:
        """Make a project with agents and their owners as members, all in one team; again adds to it."""
        ask = self.gateway.app.gateway.ask
        owners = sorted({owner_of(agent) for agent in agents})
        if TEAM not in self.tokens:
            self.tokens[TEAM] = ""
            await ask(CreateTeam(slug=TEAM), OPERATOR)
        for handle in owners:
            if handle not in self.tokens:
                await ask(CreatePerson(handle=handle, team=TEAM, display_name=handle.title()), OPERATOR)
                self.tokens[handle] = await self.issue(handle, "person")
        await ask(
            CreateProject(slug=project, team=TEAM, owner=owners[0], owner_display_name=owners[0].title(), name=project),
            OPERATOR,
        )
        for address in [*owners, *agents]:
            if address not in self.tokens:
                create = CreateAgent(agent_id=address, display_name=address, takes_tasks_from="team")
                await ask(create, OPERATOR)
                self.tokens[address] = await self.issue(address, "client")
            name = address.title() if "/" not in address else address
            await ask(AddMember(project=project, address=address, display_name=name, team=TEAM), OPERATOR)

    async def device(self, name: str, agents: list[str], projects: list[str], slots: int = 1) -> str:
        """Register a device of the agents' owner, linked; its key and tasks key become the tokens of `name`."""
        ask = self.gateway.app.gateway.ask
        owner = Caller(kind="person", subject=owner_of(agents[0]))
        made = await ask(RegisterDevice(name=name, slots=slots, agents=agents, projects=projects), owner)
        self.tokens[name] = await self.issue(made.device_id, "device")
        self.tokens[f"{name}:tasks"] = await self.issue(made.device_id, "tasks")
        return made.device_id

    async def issue(self, subject: str, kind: Any, **limits: Any) -> str:
        """A new token for a person or an agent."""
        token = f"prk_{kind}_{secrets.token_urlsafe(32)}"
        digest = hashlib.sha256(token.encode()).hexdigest()
        command = IssueKey(subject=subject, kind=kind, token_sha256=digest, **limits)
        await self.gateway.app.gateway.ask(command, SYSTEM)
        return token

    def request(
        self, by: str, method: str, params: dict[str, Any], *, era: str = MODERN
    ) -> tuple[bytes, dict[str, str]]:
        """The body and headers of one JSON-RPC request; `by` is an address that was introduced, or a token."""
        headers = {
            "authorization": f"Bearer {self.tokens.get(by, by)}",
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
            "mcp-protocol-version": era,
        }
        if era == MODERN:
            headers["mcp-method"] = method
            headers |= {"mcp-name": params["name"]} if "name" in params else {}
            meta = {f"io.modelcontextprotocol/{name}": {} for name in ("clientCapabilities",)}
            own = {**meta, "io.modelcontextprotocol/protocolVersion": era}
            params = {**params, "_meta": own | params.get("_meta", {})}
        body = {"jsonrpc": "2.0", "id": next(self.ids), "method": method, "params": params}
        return orjson.dumps(body), headers

    async def post(
        self,
        by: str,
        method: str,
        params: dict[str, Any],
        *,
        era: str = MODERN,
        gateway: int = 0,
        content: bytes | None = None,
    ) -> httpx.Response:
        """Send one JSON-RPC request, or other `content` under its headers."""
        body, headers = self.request(by, method, params, era=era)
        return await self.http.post(self.gateways[gateway].url, content=content or body, headers=headers)

    async def call(
        self, by: str, tool: str, *, era: str = MODERN, gateway: int = 0, **arguments: Any
    ) -> dict[str, Any]:
        """What a tool returns, checked against its output schema; raises `Refused`."""
        response = await self.post(by, "tools/call", {"name": tool, "arguments": arguments}, era=era, gateway=gateway)
        return read_result(tool, response)

    async def wait(
        self, by: str, tool: str = "wait_for_mention", *, gateway: int = 0, **arguments: Any
    ) -> asyncio.Task[dict[str, Any]]:
        """An open wait, registered when this returns."""
        waits = self.gateways[gateway].app.gateway.waits
        before = len(waits.open_waits())
        task = asyncio.create_task(self.call(by, tool, gateway=gateway, **arguments))
        await until(lambda: task.done() or len(waits.open_waits()) > before)
        return task


def read_response(response: httpx.Response) -> dict[str, Any]:
    """The JSON-RPC response in an HTTP response, JSON or event stream."""
    text = response.text
    if response.headers["content-type"].startswith("text/event-stream"):
        text = [line[6:] for line in text.splitlines() if line.startswith("data: ")][-1]
    said: dict[str, Any] = orjson.loads(text)
    return said


def read_result(tool: str, response: httpx.Response) -> dict[str, Any]:
    """The structured content of a `tools/call` response; raises `Refused`."""
    result = read_response(response)["result"]
    said: dict[str, Any] = orjson.loads(result["content"][0]["text"])
    if result.get("isError"):
        assert "structuredContent" not in result
        raise Refused(said["error"])
    assert said == result["structuredContent"]
    OUTPUTS[tool].validate(said)
    return said | ({"_meta": result["_meta"]} if "_meta" in result else {})


def read_list(response: httpx.Response) -> list[dict[str, Any]]:
    """The tools of a `tools/list` response."""
    tools: list[dict[str, Any]] = response.json()["result"]["tools"]
    return tools


@asynccontextmanager
async def running_site(hub: Hub, gateways: int = 1) -> AsyncIterator[Site]:
    """Gateways in front of a hub, in this process."""
    await prepare_directory(hub.settings)
    running = [await _start_gateway(hub) for _ in range(gateways)]
    async with httpx.AsyncClient(timeout=70, limits=httpx.Limits(max_connections=None)) as http:
        yield Site(hub, [gateway for gateway, _ in running], http)
    for gateway, _ in running:
        await gateway.stop()
    await asyncio.gather(*(task for _, task in running))


async def _start_gateway(hub: Hub) -> tuple[RunningGateway, asyncio.Task[None]]:
    app, port = GatewayApp(hub.settings, hub.clock), free_port()
    await app.gateway.open()
    config = uvicorn.Config(app, port=port, http="httptools", log_config=None, timeout_graceful_shutdown=5)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server._serve())
    while not server.started:
        if task.done():
            task.result()
        await asyncio.sleep(0.01)
    return RunningGateway(app, server, f"http://127.0.0.1:{port}/mcp"), task
