"""How contracts become schemas."""

from typing import Annotated, Literal

from pydantic import Field

from libs.contracts.base import Data, View, absent, internal
from libs.contracts.schema import schema_of


class Inner(View):
    """Said of the inner one (R0)."""

    kind: Literal["inner"] = "inner"
    title: str = Field(description="A title.")


class Other(View):
    kind: Literal["other"] = "other"


class Outer(View):
    """Said of the outer one."""

    either: Annotated[Inner | Other, Field(discriminator="kind")] = Field(description="One of two.")
    omittable: Inner | None = absent("May be left out.")
    nullable: int | None = Field(default=None, description="May be null.")
    listed: list[Inner] = Field(default_factory=list, description="Some.")
    hidden: str = internal(default="")


def test_a_field_that_may_be_left_out_is_never_null() -> None:
    schema = schema_of(Outer, "validation")
    assert schema["properties"]["omittable"]["type"] == "object"
    assert schema["properties"]["omittable"]["description"] == "May be left out."
    assert schema["properties"]["nullable"]["anyOf"] == [{"type": "integer"}, {"type": "null"}]
    assert schema["required"] == ["either"]


def test_an_internal_field_is_hidden() -> None:
    assert "hidden" not in schema_of(Outer, "validation")["properties"]


def test_a_discriminated_field_is_one_of_its_branches() -> None:
    either = schema_of(Outer, "validation")["properties"]["either"]
    assert [branch["properties"]["kind"]["const"] for branch in either["oneOf"]] == ["inner", "other"]
    assert "discriminator" not in either


def test_a_view_always_has_its_fields() -> None:
    schema = schema_of(Outer, "serialization")
    assert schema["required"] == ["either", "nullable", "listed"]
    assert schema["properties"]["listed"]["items"]["required"] == ["kind", "title"]
    assert "default" not in schema["properties"]["listed"]


def test_docstrings_and_titles_are_for_programmers() -> None:
    schema = schema_of(Outer, "validation")
    assert "description" not in schema
    assert "title" not in schema
    assert schema["properties"]["listed"]["items"]["properties"]["title"] == {
        "type": "string",
        "description": "A title.",
    }
    assert "description" not in schema["properties"]["listed"]["items"]


def test_a_list_that_may_be_left_out_shows_its_default() -> None:
    assert schema_of(Outer, "validation")["properties"]["listed"]["default"] == []


def test_a_model_without_fields_is_still_an_object() -> None:
    class Nothing(Data):
        pass

    assert schema_of(Nothing, "validation")["type"] == "object"
