"""Facts that the gateway collects for other services, at most two seconds old."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from libs.contracts.caller import Caller
from libs.contracts.policy import Policy
from libs.contracts.rooms import ListProjects, ProjectRooms

Ask = Callable[[Any, Caller], Awaitable[Any]]
KEPT_AT_MOST = 10_000


class Facts:
    """Who is in which project, remembered for a moment."""

    def __init__(self, ask: Ask, policy: Policy, time: Callable[[], float]) -> None:
        self._ask = ask
        self._policy = policy
        self._time = time
        self._projects: dict[str, tuple[float, list[str]]] = {}

    async def is_member(self, caller: Caller, project: str) -> bool:
        """Whether the caller is in a project."""
        return project in await self.projects(caller, including=project)

    async def projects(self, caller: Caller, *, including: str | None = None) -> list[str]:
        """The caller's projects; they are looked up anew when the one that must be among them is not remembered."""
        known = self._projects.get(caller.subject)
        if known is not None and known[0] > self._time() and (including is None or including in known[1]):
            return known[1]
        return await self.look_up(caller)

    async def look_up(self, caller: Caller) -> list[str]:
        """The caller's projects as they are now."""
        good_until = self._time() + self._policy.facts_seconds
        rooms: ProjectRooms = await self._ask(ListProjects(member=caller.subject), caller)
        slugs = [room.project.slug for room in rooms.projects]
        if len(self._projects) >= KEPT_AT_MOST:
            self._projects.clear()
        self._projects[caller.subject] = (good_until, slugs)
        return slugs
