"""R47: services and gateways of two releases work side by side, so contracts only gain optional fields."""

from __future__ import annotations

import json

import pytest

from tests.contracts.growth import RELEASED, Fields, contracts

PROMISED: dict[str, Fields] = json.loads(RELEASED.read_text())
PRESENT = contracts()


@pytest.mark.parametrize("name", PROMISED)
def test_a_contract_of_the_last_release_loses_nothing_and_asks_for_nothing_more(name: str) -> None:
    promised, present = PROMISED[name], PRESENT[name]
    assert set(promised) <= set(present)
    assert {field for field, required in present.items() if required} <= set(promised)
    assert [field for field, required in promised.items() if present[field] and not required] == []
