"""Everybody in these tests is new: no test hears of another's messages and tasks."""

from __future__ import annotations

import pytest

from tests.site import Site
from tests.system.pair import Pair


@pytest.fixture
async def pair(site: Site) -> Pair:
    """Two agents in a project of their own, on the module's site."""
    return await Pair.meet(site)
