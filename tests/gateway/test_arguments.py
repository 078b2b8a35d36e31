"""Arguments at the edge: what is refused, with which field, and what becomes of the rest (R48)."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from libs.contracts.base import Data
from libs.contracts.errors import InvalidInput
from libs.contracts.errors import ProblemData as Refusal
from libs.contracts.tools import TOOLS, Tool
from services.gateway.arguments import argument_hash, parse
from tests.gateway.schema_values import allowed_object, broken_objects, example

ALL = pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
JUNK = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(st.characters(), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(), max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
RESULT = {"task_id": "task_1", "attempt_id": "att_1", "outcome": "done", "summary": "Built it."}
NOTE = {"kind": "note", "ref": "x"}


def refused(name: str, arguments: Any) -> Refusal:
    with pytest.raises(InvalidInput) as caught:
        parse(TOOLS[name], arguments)
    return caught.value.data


def parsed(name: str, **arguments: Any) -> Data:
    return parse(TOOLS[name], arguments)


@ALL
@given(data=st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_the_schema_allows_arrives_as_it_was_sent(tool: Tool, data: st.DataObject) -> None:
    """But for the case of a run's id, which means nothing (R38)."""
    arguments = data.draw(allowed_object(tool.input_schema))
    lower = {name: text.lower() for name, text in arguments.items() if name == "run_id"}
    assert parse(tool, arguments).model_dump(mode="json", by_alias=True, exclude_unset=True) == arguments | lower


@ALL
def test_each_broken_constraint_is_refused_with_its_field(tool: Tool) -> None:
    for field, arguments in broken_objects(tool.input_schema, ""):
        refusal = refused(tool.name, arguments)
        assert refusal.field == field, arguments
        assert refusal.message.endswith(".")


@ALL
@given(arguments=st.recursive(st.none() | st.floats() | st.text() | st.integers(), lambda inner: st.lists(inner)))
@settings(max_examples=25, deadline=None)
def test_anything_but_an_object_is_refused(tool: Tool, arguments: Any) -> None:
    assert refused(tool.name, arguments).field == "arguments"


@given(tool=st.sampled_from([*TOOLS.values()]), junk=st.lists(JUNK, min_size=12, max_size=12), more=JUNK)
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_junk_crashes_the_check(tool: Tool, junk: list[Any], more: Any) -> None:
    fields = dict(zip(tool.input_schema["properties"], junk, strict=False))
    try:
        parse(tool, {**example(tool.input_schema), **fields, "more": more})
    except InvalidInput as problem:
        json.dumps(problem.data.wire(), ensure_ascii=False).encode()


@ALL
@given(secret=st.text("XYZ", min_size=12, max_size=400))
@settings(max_examples=10, deadline=None)
def test_a_refusal_never_quotes_the_input(tool: Tool, secret: str) -> None:
    for name in tool.input_schema["properties"]:
        for value in ([{secret: secret}], secret * 1000):
            refusal = refused(tool.name, {**example(tool.input_schema), name: value})
            assert secret not in json.dumps(refusal.wire())


@pytest.mark.parametrize("limit", [0, -1, 20.5, True, "20", 10**400, float("nan"), float("inf")])
def test_a_limit_that_is_none_is_refused_by_name(limit: Any) -> None:
    refusal = refused("read_room", {"project": "website-v2", "limit": limit})
    assert refusal.field == "limit"
    assert refusal.message.startswith("limit must be ")


def test_twenty_point_zero_is_twenty() -> None:
    page = parsed("read_room", project="website-v2", limit=20.0)
    assert page.model_dump()["limit"] == 20
    assert isinstance(page.model_dump()["limit"], int)


def test_a_huge_timeout_is_a_whole_number_too() -> None:
    assert parsed("wait_for_mention", timeout_seconds=1e300).model_dump()["timeout_seconds"] == int(1e300)
    assert parsed("wait_for_mention", timeout_seconds=2**63).model_dump()["timeout_seconds"] == 2**63


@pytest.mark.parametrize("time", ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "2026-02-30T00:00:00Z"])
def test_a_time_that_no_clock_in_utc_shows_is_refused(time: str) -> None:
    """PostgreSQL and SQLite keep times in UTC, where there is no year 0 and no year 10000."""
    assert refused("handoff", {**example(TOOLS["handoff"].input_schema), "due_at": time}).field == "due_at"


def test_a_null_cursor_is_refused_with_the_hint_to_omit_it() -> None:
    refusal = refused("read_room", {"project": "website-v2", "cursor": None})
    assert (refusal.field, refusal.hint) == ("cursor", "omit it")


def test_a_required_field_that_is_null_is_not_to_be_omitted() -> None:
    refusal = refused("read_room", {"project": None})
    assert (refusal.field, refusal.hint) == ("project", None)


def test_null_takes_back_what_the_pulse_said() -> None:
    update = parsed("update_pulse", project="website-v2", doing=None)
    assert update.model_fields_set == {"project", "doing"}


def test_a_missing_inner_field_is_named_by_itself() -> None:
    refusal = refused("return_result", {**RESULT, "evidence": [NOTE, NOTE, {"kind": "note"}]})
    assert refusal.field == "evidence[2].ref"
    assert refusal.message == "Give evidence[2].ref: it is required."


def test_a_nullable_list_is_refused_at_the_item_that_is_wrong() -> None:
    refusal = refused("update_pulse", {"project": "website-v2", "files": ["a.py", 3]})
    assert (refusal.field, refusal.message) == ("files[1]", "files[1] must be a string.")


def test_a_nullable_field_of_a_wrong_type_is_told_both_types() -> None:
    assert refused("update_pulse", {"project": "a", "doing": 3}).message == "doing must be a string or null."


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "tail \udfff"])
def test_nul_and_lone_surrogates_are_refused_with_the_field(text: str) -> None:
    assert refused("post_message", {"project": "website-v2", "body": text}).field == "body"
    assert refused("return_result", {**RESULT, "evidence": [{"kind": "note", "ref": text}]}).field == "evidence[0].ref"
    assert refused("post_message", {"project": "website-v2", "body": "x", "other": {text: 1}}).field == "other"
    assert refused("check_inbox", {text: "x"}).field == "arguments"


def test_pairs_of_surrogates_are_text() -> None:
    assert parsed("post_message", project="website-v2", body="\U0001f600").model_dump()["body"] == "\U0001f600"


def test_lengths_are_counted_in_code_points() -> None:
    assert parsed("post_message", project="website-v2", body="\U0001f600" * 8000)
    assert refused("post_message", {"project": "website-v2", "body": "\U0001f600" * 8001}).field == "body"


def test_a_hundred_thousand_levels_are_refused() -> None:
    deep: dict[str, Any] = {}
    inner = deep
    for _ in range(100_000):
        inner["in"] = inner = {}
    assert refused("check_inbox", {"other": deep}).field == "other"


def test_unknown_fields_are_ignored() -> None:
    assert parsed("check_inbox", agent_id="someone/else", other=[None]) == parsed("check_inbox")


def test_facts_that_a_caller_sends_along_are_ignored() -> None:
    """Only the gateway says what the directory knows: a caller would open doors for itself."""
    facts = {"project_owner": "mallory", "takes_tasks_from": "team", "messages": []}
    handoff = {**example(TOOLS["handoff"].input_schema), "facts": facts}
    assert parse(TOOLS["handoff"], handoff).model_dump()["facts"] is None


def test_a_field_name_of_a_million_characters_is_not_sent_back() -> None:
    assert len(refused("check_inbox", {"x" * 1_000_000: "\0"}).field or "") <= 100


def test_the_same_arguments_with_other_keys_spelling_and_ignored_fields_have_one_hash() -> None:
    tool = TOOLS["return_result"]
    former = parse(tool, {**RESULT, "idempotency_key": "one"})
    again = parse(tool, {**RESULT, "idempotency_key": "two", "evidence": [], "other": 1})
    assert argument_hash(tool.input_schema, former) == argument_hash(tool.input_schema, again)
    checkpoint = {"task_id": "task_1", "attempt_id": "att_1", "summary": "Half.", "progress": 50}
    floating = {**checkpoint, "progress": 50.0}
    tool = TOOLS["checkpoint"]
    assert argument_hash(tool.input_schema, parse(tool, checkpoint)) == argument_hash(
        tool.input_schema, parse(tool, floating)
    )


def test_null_and_nothing_are_different_arguments() -> None:
    tool = TOOLS["update_pulse"]
    said, kept = parse(tool, {"project": "a", "doing": None}), parse(tool, {"project": "a"})
    assert argument_hash(tool.input_schema, said) != argument_hash(tool.input_schema, kept)


@given(data=st.data())
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
def test_different_arguments_have_different_hashes(data: st.DataObject) -> None:
    tool = TOOLS["post_message"]
    one, two = data.draw(allowed_object(tool.input_schema)), data.draw(allowed_object(tool.input_schema))
    one.pop("idempotency_key", None)
    two.pop("idempotency_key", None)
    assume(one != two)
    assert argument_hash(tool.input_schema, parse(tool, one)) != argument_hash(tool.input_schema, parse(tool, two))
