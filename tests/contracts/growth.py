"""`python -m tests.contracts.growth`: write down what this release promises the next one (R47)."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import libs.contracts
from libs.contracts.base import Data

RELEASED = Path(__file__).with_name("released.json")

Fields = dict[str, bool]
"""Per field on the wire whether it must be there."""


def contracts() -> dict[str, Fields]:
    """Everything that travels between services, by its name."""
    for module in pkgutil.walk_packages(libs.contracts.__path__, "libs.contracts."):
        import_module(module.name)
    return {name_of(kind): fields_of(kind) for kind in kinds(Data)}


def name_of(kind: type[Data]) -> str:
    """Where a contract stands."""
    return f"{kind.__module__}.{kind.__qualname__}"


def fields_of(kind: type[Data]) -> Fields:
    """The fields of a contract."""
    return {field.alias or name: field.is_required() for name, field in kind.model_fields.items()}


def kinds(base: type[Data]) -> Iterator[type[Data]]:
    """Every contract below a base, without the generic forms of pydantic and those of tests."""
    for kind in base.__subclasses__():
        yield from kinds(kind)
        if "[" not in kind.__name__ and kind.__module__.startswith("libs.contracts."):
            yield kind


if __name__ == "__main__":
    RELEASED.write_text(json.dumps(contracts(), indent=1, sort_keys=True) + "\n")
