"""What is served for the reference's tools is the reference, word for word, but for the descriptions."""

import json
from importlib.resources import files
from typing import Any

import pytest

from libs.contracts.reference import execution_credential, message, reference_schema
from libs.contracts.tools import TOOLS

SERVED = ["get_project_context", "read_room", "claim_task", "report_run"]


def given(tool: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((files("libs.contracts") / "reference" / f"{tool}.json").read_text("utf-8"))
    return data


def without_descriptions(schema: Any) -> Any:
    """The schema without its `description` keywords; a property of that name stays."""
    if isinstance(schema, list):
        return [without_descriptions(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: without_descriptions(value) for key, value in schema.items() if key != "description"}
    if isinstance(schema.get("properties"), dict):
        plain["properties"] = {name: without_descriptions(field) for name, field in schema["properties"].items()}
    return plain


def messages_in(schema: Any) -> list[Any]:
    """Every object schema that looks like a message."""
    if isinstance(schema, list):
        return [found for item in schema for found in messages_in(item)]
    if not isinstance(schema, dict):
        return []
    here = [schema] if {"mentions", "in_reply_to"} <= set(schema.get("properties", {})) else []
    return here + [found for value in schema.values() for found in messages_in(value)]


@pytest.mark.parametrize("name", SERVED)
def test_a_reference_tool_lists_the_schemas_of_the_reference(name: str) -> None:
    listed = TOOLS[name].listed()
    assert without_descriptions(listed["inputSchema"]) == given(name)["input_schema"]
    assert without_descriptions(listed["outputSchema"]) == given(name)["output_schema"]


def test_the_property_named_description_stays_in_the_reference() -> None:
    project = reference_schema("get_project_context", "output")["properties"]["project"]
    assert project["properties"]["description"]["maxLength"] == 2000


def test_both_claims_show_the_credential_of_the_reference() -> None:
    for name in ("claim_task", "claim_discussion"):
        assert (
            TOOLS[name].output_schema["properties"]["execution_credential"]["properties"]
            == (execution_credential()["properties"])
        )


def test_the_input_of_report_run_is_closed() -> None:
    assert TOOLS["report_run"].input_schema["additionalProperties"] is False


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("claim_task", "claim a task routed to your agent before launching a run for it"),
        ("claim_task", "A mention is never a run's cause."),
        ("report_run", "send null when it isn't known, never 0"),
        ("report_run", "only a task's run is reported, never a reply"),
        ("report_run", "Only the agent's owner reads the record."),
    ],
)
def test_the_descriptions_keep_the_sentences_of_the_reference(name: str, sentence: str) -> None:
    assert sentence in TOOLS[name].description


def test_the_board_takes_the_input_of_the_reference_and_answers_in_our_own_words() -> None:
    listed = TOOLS["memory_agents"].listed()
    assert without_descriptions(listed["inputSchema"]) == given("memory_agents")["input_schema"]
    assert given("memory_agents")["output_schema"] is None
    assert len(listed["inputSchema"]["properties"]) == 16


def test_the_fields_of_the_board_have_the_texts_of_the_reference() -> None:
    texts = json.loads((files("libs.contracts") / "reference" / "descriptions.json").read_text("utf-8"))
    shown = TOOLS["memory_agents"].input_schema["properties"]
    assert {name: field["description"] for name, field in shown.items()} == texts["memory_agents"]["input"]
    assert shown["expect"]["description"].endswith("marks overdue, not a timer or lease TTL.")


@pytest.mark.parametrize("name", SERVED)
def test_the_descriptions_name_only_fields_that_exist(name: str) -> None:
    texts = json.loads((files("libs.contracts") / "reference" / "descriptions.json").read_text("utf-8"))[name]
    for side in ("input", "output"):
        assert set(texts[side]) == set(paths_of(given(name)[f"{side}_schema"], ""))


def paths_of(schema: dict[str, Any], path: str) -> list[str]:
    fields = {f"{path}.{name}".removeprefix("."): field for name, field in schema.get("properties", {}).items()}
    inner = [found for name, field in fields.items() for found in paths_of(field, name)]
    inner += paths_of(schema["items"], f"{path}[]") if "items" in schema else []
    inner += [found for branch in schema.get("oneOf", []) for found in paths_of(branch, path)]
    return [*fields, *inner]


def test_every_message_that_a_tool_returns_has_the_schema_of_read_room() -> None:
    item = given("read_room")["output_schema"]["properties"]["messages"]["items"]
    assert without_descriptions(message()) == item
    found = {name: messages_in(tool.output_schema) for name, tool in TOOLS.items()}
    assert {name for name, messages in found.items() if messages} == {
        "read_room", "post_message", "wait_for_mention", "wait_for_updates", "handoff", "check_inbox", "preview_packet",
    }  # fmt: skip
    assert all(without_descriptions(shown) == item for messages in found.values() for shown in messages)
