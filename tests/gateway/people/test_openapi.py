"""The description of the API says what the API does."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import httpx
from jsonschema_rs import Draft202012Validator

from services.gateway.people.endpoint import ENDPOINTS

SERVICES = ("rooms",)
Calling = Callable[..., httpx.AsyncClient]


async def described(calling: Calling) -> dict[str, Any]:
    """The description, for which nobody needs a token."""
    answer = await calling("anybody").get("/openapi.json")
    assert answer.status_code == 200
    paths: dict[str, Any] = answer.json()["paths"]
    return paths


async def test_every_endpoint_is_described_with_all_parts_of_its_path(calling: Calling) -> None:
    paths = await described(calling)
    operations = [operation for methods in paths.values() for operation in methods.values()]
    assert {operation["operationId"] for operation in operations} == {endpoint.act.__name__ for endpoint in ENDPOINTS}
    assert len(operations) == len(ENDPOINTS)
    for path, methods in paths.items():
        for operation in methods.values():
            in_path = [one["name"] for one in operation["parameters"] if one["in"] == "path"]
            assert in_path == re.findall(r"{(\w+)}", path)
            assert operation["summary"]


async def test_the_description_is_a_page_to_read_too(calling: Calling) -> None:
    answer = await calling("anybody").get("/docs")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    for path, methods in (await described(calling)).items():
        for method in methods:
            assert f"<h2><code>{method.upper()} {path}</code></h2>" in answer.text
    assert "<td><code>takes_tasks_from</code></td>\n<td>body</td>\n<td>no</td>\n<td>owner or team</td>" in answer.text


async def test_answers_are_as_described(calling: Calling) -> None:
    paths, operator = await described(calling), calling("operator")
    for path, body in (
        ("/teams", {"slug": "wasps"}),
        ("/people", {"handle": "lea", "team": "wasps", "display_name": "Lea"}),
        ("/agents", {"agent_id": "lea/codex", "display_name": "Codex"}),
        ("/projects", {"slug": "nest", "owner": "lea", "name": "Nest"}),
        ("/devices", {"name": "Box", "owner": "lea", "agents": ["lea/codex"], "projects": ["nest"]}),
    ):
        operation = paths[f"/api/v1{path}"]["post"]
        Draft202012Validator(_schema(operation["requestBody"])).validate(body)
        created = await operator.post(path, json=body)
        Draft202012Validator(_schema(operation["responses"]["201"])).validate(created.json())
        listed = await operator.get(path)
        Draft202012Validator(_schema(paths[f"/api/v1{path}"]["get"]["responses"]["200"])).validate(listed.json())


async def test_what_the_path_says_is_no_part_of_the_body(calling: Calling) -> None:
    paths = await described(calling)
    body = _schema(paths["/api/v1/agents/{owner}/{name}/keys"]["post"]["requestBody"])
    assert (sorted(body["properties"]), body["required"]) == (["expires_at", "kind", "project"], ["kind"])
    assert "requestBody" not in paths["/api/v1/projects/{project}/members/{address}"]["put"]


async def test_what_a_query_may_say_is_described(calling: Calling) -> None:
    described_parameters = (await described(calling))["/api/v1/tasks"]["get"]["parameters"]
    fields = {one["name"]: one["schema"]["type"] for one in described_parameters if one["in"] == "query"}
    assert (fields["states"], fields["limit"], fields["cursor"]) == ("array", "integer", "string")
    assert not any(one["required"] for one in described_parameters)


async def test_an_answer_that_may_be_a_page_is_described_as_both(calling: Calling) -> None:
    export = (await described(calling))["/api/v1/projects/{project}/memory"]["get"]["responses"]["200"]["content"]
    assert set(export) == {"application/json", "text/markdown"}
    assert export["text/markdown"]["schema"] == {"type": "string"}


def _schema(part: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = part["content"]["application/json"]["schema"]
    return schema
