"""Inputs may have 24 KiB."""

from __future__ import annotations

import pytest

from libs.contracts.errors import InvalidInput
from libs.contracts.tasks import Handoff
from services.tasks.domain.inputs import MAX_INPUT_BYTES, refuse_large_input
from tests.tasks.given import a_handoff, a_message, facts


def handoff_of(bytes_in_all: int) -> Handoff:
    """A handoff whose input has exactly so many bytes as JSON: the last criterion makes up for what is missing."""
    long = ["€" * 286] * 19
    plain = a_handoff(objective="o" * 8000, acceptance=[*long, "a"]).model_dump_json(exclude_unset=True)
    missing = bytes_in_all - len(plain.encode())
    return a_handoff(objective="o" * 8000, acceptance=[*long, "a" * (1 + missing)])


def test_an_input_of_exactly_24_kib_is_taken() -> None:
    refuse_large_input(handoff_of(MAX_INPUT_BYTES))


def test_one_byte_more_is_refused_and_the_longest_field_is_named() -> None:
    with pytest.raises(InvalidInput) as refused:
        refuse_large_input(handoff_of(MAX_INPUT_BYTES + 1))
    assert refused.value.data.field == "acceptance"


def test_the_facts_that_the_gateway_adds_do_not_count() -> None:
    messages = [a_message(number, "m" * 8000) for number in range(20)]
    refuse_large_input(a_handoff(facts=facts(messages=messages)))
