"""The pages that `prickle tools --markdown` prints."""

import json

import pytest

from libs.contracts.markdown import reference_page
from libs.contracts.tools import TOOLS


@pytest.mark.parametrize("name", TOOLS)
def test_a_page_has_the_description_and_both_schemas(name: str) -> None:
    tool, page = TOOLS[name], reference_page(TOOLS[name])
    assert page.startswith(f"# {name}\n")
    assert tool.description in page
    blocks = [json.loads(part.split("```")[0]) for part in page.split("```json\n")[1:]]
    assert blocks == [tool.input_schema, tool.output_schema]


def test_the_table_names_inner_fields_by_their_path() -> None:
    page = reference_page(TOOLS["return_result"])
    assert "| `evidence[].ref` | yes | string, 1 to 500 characters |" in page
    assert "| `evidence[].criterion` | no | integer, 0 to 19 |" in page


def test_the_table_says_what_may_be_null_and_what_is_the_default() -> None:
    assert "| `doing` | no | string, at most 200 characters or null |" in reference_page(TOOLS["update_pulse"])
    assert "integer, at least 0, default `25`" in reference_page(TOOLS["wait_for_mention"])
