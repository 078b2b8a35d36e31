"""Everybody in these tests is new: no test hears of another's messages and tasks."""

from __future__ import annotations

import pytest

from tests.site import MODERN, Site
from tests.system.pair import Pair


@pytest.fixture
async def pair(request: pytest.FixtureRequest, site: Site) -> Pair:
    """Two agents in a project of their own, on the module's site; a module marked `both_eras` gets one of each."""
    pair = await Pair.meet(site)
    pair.era = getattr(request, "param", MODERN)
    return pair
