"""The clients that the runner knows: a file each, found by its name, with an `ADAPTER` in it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from prickle.runner.adapters.adapter import Adapter


@cache
def adapters() -> dict[str, Adapter]:
    """All adapters by name."""
    modules = (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__) if found.name != "adapter")
    return {module.ADAPTER.name: module.ADAPTER for module in modules}
