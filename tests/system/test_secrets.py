"""Tokens through a whole flow at debug level, with refusals and crashes: none is left anywhere (Faults, Secrets).

The data directory keeps two files of tokens for its owner; everything else knows their SHA-256 at most.
"""

import hashlib
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from libs.runtime.valkey import free_port
from tests.process_tree import command_line, environment, frozen
from tests.runtime.running import PROJECT, Up, running
from tests.site import MODERN

KEPT_ON_PURPOSE = {"operator.token", "demo.tokens"}
TASK = {"title": "Count", "objective": "Count the pages.", "acceptance": ["They are counted"]}
PROOF = {"kind": "note", "ref": "There are 12."}
DEVICE, RUN = "maya-laptop", "maya/codex"
RUN_ID = "4f7c2a9e-3b1d-4c8e-9a6f-0d2e5b7c1a3f"
USED = {"input_tokens": None, "output_tokens": None, "turns": None, "duration_ms": 91000, "exit_code": 0}


@dataclass
class Caller:
    """Calls that note which tokens they carried and what was answered."""

    up: Up
    http: httpx.Client
    health_port: int
    tokens: set[str] = field(default_factory=set)
    statuses: set[int] = field(default_factory=set)
    refusals: list[str] = field(default_factory=list)

    def api(self, method: str, path: str, token: str, **body: Any) -> dict[str, Any]:
        """What the HTTP API answers."""
        return self._send(method, f"/api/v1/{path}", token, body)

    def tool(self, token: str, name: str, **arguments: Any) -> dict[str, Any]:
        """What a tool answers."""
        meta = {"io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/protocolVersion": MODERN}
        params = {"name": name, "arguments": arguments, "_meta": meta}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": name}
        said = self._send("POST", "/mcp", token, call, **headers)
        result: dict[str, Any] = said.get("result", said)
        if result.get("isError"):
            self.refusals.append(result["content"][0]["text"])
        return result.get("structuredContent", {})

    def _send(self, method: str, path: str, token: str, body: dict[str, Any], **headers: str) -> dict[str, Any]:
        self.tokens.add(token)
        headers |= {"authorization": f"Bearer {token}", "accept": "application/json"}
        response = self.http.request(method, path, json=body or None, headers=headers)
        self.statuses.add(response.status_code)
        if response.is_error:
            self.refusals.append(response.text)
        said: dict[str, Any] = response.json() if response.content else {}
        return said


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A caller to whom all of it has happened."""
    variables = {"PRICKLE_LOG_LEVEL": "debug", "PRICKLE_HEALTH_PORT": str(free_port())}
    with running(tmp_path_factory.mktemp("secrets"), "--demo", **variables) as up:
        url = up.told["url"].removesuffix("/mcp")
        with httpx.Client(base_url=url, timeout=30) as http:
            caller = Caller(up, http, int(variables["PRICKLE_HEALTH_PORT"]))
            work(caller)
            run(caller)
            be_refused(caller)
            meet_faults(caller)
            yield caller


def work(caller: Caller) -> None:
    """A task from handoff to review, and new tokens of every kind that is issued."""
    told = caller.up.told
    maya, jonas = told["agents"]["maya/codex"], told["agents"]["jonas/claude"]
    caller.tool(maya, "get_project_context", project=PROJECT)
    caller.tool(maya, "post_message", project=PROJECT, body="@jonas/claude hello")
    caller.tool(jonas, "wait_for_mention", timeout_seconds=0)
    task = caller.tool(maya, "handoff", project=PROJECT, to="jonas/claude", **TASK)["task"]
    attempt = caller.tool(jonas, "accept_task", task_id=task["task_id"])["attempt"]
    named = {"task_id": task["task_id"], "attempt_id": attempt["attempt_id"]}
    caller.tool(jonas, "return_result", **named, outcome="done", summary="12", evidence=[PROOF])
    caller.tool(maya, "accept_result", task_id=task["task_id"])
    person = caller.api("POST", "people/jonas/tokens", told["operator"])
    key = caller.api("POST", "agents/jonas/claude/keys", person["token"], kind="client")
    caller.tool(key["token"], "check_inbox")
    caller.api("DELETE", f"keys/{key['key_id']}", person["token"])


def run(caller: Caller) -> None:
    """A task and a message run by a device, with its two keys, and the narrower keys of an agent."""
    told = caller.up.told
    device, narrow, jonas = told["devices"][DEVICE], told["tasks_keys"][DEVICE], told["agents"]["jonas/claude"]
    task = caller.tool(jonas, "handoff", project=PROJECT, to=RUN, **TASK)["task"]
    named = {"task_id": task["task_id"], "idempotency_key": RUN_ID}
    for key in (device, narrow):
        token = caller.tool(key, "claim_task", **named)["execution_credential"]["token"]
        caller.tool(token, "checkpoint", task_id=task["task_id"], summary="Half.")
    caller.tool(token, "return_result", task_id=task["task_id"], outcome="partial", summary="Half.")
    caller.tool(device, "report_run", project=PROJECT, task_id=task["task_id"], run_id=RUN_ID, **USED)
    message = caller.tool(jonas, "post_message", project=PROJECT, body=f"@{RUN} hello")["message"]
    wanted = {"project": PROJECT, "message_id": message["id"], "idempotency_key": "talk"}
    talk = caller.tool(device, "claim_discussion", **wanted)["execution_credential"]["token"]
    caller.tool(talk, "read_room", project=PROJECT)
    for kind, limits in (("project", {"project": PROJECT}), ("oauth", {})):
        key = caller.api("POST", f"agents/{RUN}/keys", told["operator"], kind=kind, **limits)
        caller.tool(key["token"], "check_inbox")


def be_refused(caller: Caller) -> None:
    """Tokens that are unknown, ended, at the wrong door or in the wrong place."""
    told = caller.up.told
    for token in (f"prk_client_{secrets.token_urlsafe(32)}", *caller.tokens):
        caller.tool(token, "check_inbox")
        caller.api("GET", "teams", token)
        caller.api("DELETE", f"keys/{token}", told["operator"])
        caller.api("GET", f"no/such/path/{token}", token)
        caller.tool(token, "no_such_tool")
        caller.tool(token, "read_room", project=7)
        caller.api("POST", "teams", token, slug=[token])


def meet_faults(caller: Caller) -> None:
    """Handlers and the gateway itself crash, a service and the broker do not answer."""
    told = caller.up.told
    agent, person, operator = told["agents"]["maya/claude"], told["persons"]["maya"], told["operator"]
    with without_table(caller.up.data / "rooms.db", "message"):
        caller.tool(agent, "post_message", project=PROJECT, body="into a crash")
    with frozen(caller.up.pids["rooms"]):
        caller.api("GET", f"projects/{PROJECT}", person)
    with frozen(caller.up.pids["valkey"]):
        caller.tool(agent, "check_inbox")
    with without_table(caller.up.data / "tasks.db", "attempts"):
        for token in [token for token in caller.tokens if kind_of(token) in ("device", "tasks", "run")]:
            caller.tool(token, "claim_task", task_id="task_1", idempotency_key="crash")
    with without_table(caller.up.data / "gateway.db", "keys"):
        for token in (*told["devices"].values(), agent, person, operator, f"prk_person_{secrets.token_urlsafe(32)}"):
            caller.api("GET", "teams", token)
            caller.tool(token, "check_inbox")


def kind_of(token: str) -> str:
    """What a token is for, as its prefix says."""
    return token.split("_")[1]


@contextmanager
def without_table(database: Path, table: str) -> Iterator[None]:
    """A table that is missing for a while."""
    with closing(sqlite3.connect(database, timeout=10)) as connection:
        connection.execute(f"ALTER TABLE {table} RENAME TO hidden")
        yield
        connection.execute(f"ALTER TABLE hidden RENAME TO {table}")


def test_refusals_and_crashes_did_happen(caller: Caller) -> None:
    assert {200, 201, 204, 400, 401, 403, 404, 503} <= caller.statuses
    for service in ("rooms", "tasks", "gateway"):
        assert "Traceback" in (caller.up.data / "logs" / f"{service}.log").read_text()


def test_tokens_of_every_kind_were_used(caller: Caller) -> None:
    kinds = {"client", "project", "oauth", "device", "tasks", "run", "person", "operator"}
    assert {kind_of(token) for token in caller.tokens} == kinds


def test_no_file_holds_a_token_but_the_two_that_are_for_its_owner(caller: Caller) -> None:
    holding = {
        path.name
        for path in caller.up.data.rglob("*")
        if path.is_file() and any(token.encode() in path.read_bytes() for token in caller.tokens)
    }
    assert holding == KEPT_ON_PURPOSE


def test_the_directory_knows_the_sha256_of_a_token(caller: Caller) -> None:
    digest = hashlib.sha256(caller.up.told["operator"].encode()).hexdigest()
    kept = b"".join(path.read_bytes() for path in caller.up.data.glob("gateway.db*"))
    assert digest.encode() in kept


def test_no_refusal_repeats_a_token(caller: Caller) -> None:
    assert caller.refusals
    assert [text for text in caller.refusals if any(token in text for token in caller.tokens)] == []


def test_no_metric_shows_a_token_or_whose_it_is(caller: Caller) -> None:
    shown = httpx.get(f"http://127.0.0.1:{caller.health_port}/metrics").text
    assert 'call="claim_task",door="mcp",outcome="ok"' in shown
    told = {*caller.tokens, *(hashlib.sha256(token.encode()).hexdigest() for token in caller.tokens)}
    assert not [one for one in (*told, "prk_", "maya", PROJECT, DEVICE, RUN_ID) if one in shown]


def test_no_process_shows_a_token_in_its_arguments_or_variables(caller: Caller) -> None:
    for pid in (caller.up.process.pid, *caller.up.pids.values()):
        shown = " ".join(command_line(pid)) + environment(pid)
        assert "python" in shown or "valkey" in shown
        assert not any(token in shown for token in caller.tokens)


def test_a_token_of_the_callers_terminal_is_not_handed_to_the_services(tmp_path: Path) -> None:
    token = f"prk_person_{secrets.token_urlsafe(32)}"
    with running(tmp_path, PRICKLE_TOKEN=token) as up:
        assert not any(token in environment(pid) for pid in up.pids.values())
