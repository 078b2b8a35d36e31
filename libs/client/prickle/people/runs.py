"""What runs used."""

from __future__ import annotations

from prickle.people.line import Line
from prickle.views import RunPage, RunTotals


class RunsApi(Line):
    """What the runs of the caller's agents used."""

    async def list_runs(self, *, after: str | None = None, limit: int | None = None, **filters: str | None) -> RunPage:
        """A page of what the runs of the caller's agents used, newest first.

        Filters: `agent_id`, `task_id`, `project`, `since`, `until`. Pass `next` as `after` for the next page.
        """
        page: RunPage = await self._send("GET", "runs", after=after, limit=limit, **filters)
        return page

    async def sum_runs(self, by: str, **filters: str | None) -> RunTotals:
        """What the runs of the caller's agents used together, by `day`, `agent`, `task` or `outcome`; same filters."""
        totals: RunTotals = await self._send("GET", "runs", "totals", by=by, **filters)
        return totals
