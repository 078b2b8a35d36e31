"""Following the directory: agents and people that are removed for good."""

from __future__ import annotations

from collections.abc import Sequence

from libs.bus import Work, consumes
from libs.contracts.directory import AgentRemoved, PersonRemoved
from libs.contracts.types import owner_of
from services.tasks.domain.tasks import Stopped
from services.tasks.handlers.notices import tell, tell_cancelled
from services.tasks.store.discussions import live_discussions
from services.tasks.store.requests import close_requests, close_requests_of
from services.tasks.store.tasks import lock_open_tasks_of

AGENT_REMOVED = "Its agent was removed."
PERSON_REMOVED = "Its agent was removed with its owner; hand the task to another agent."


@consumes(AgentRemoved, by="tasks")
async def end_work_of_agent(event: AgentRemoved, work: Work) -> None:
    """Cancel what a removed agent was asked for and has not returned."""
    await _end_work([event.agent_id], owner_of(event.agent_id), AGENT_REMOVED, "cancelled", work)


@consumes(PersonRemoved, by="tasks")
async def end_work_of_person(event: PersonRemoved, work: Work) -> None:
    """Give back to their requesters what a removed person's agents were asked for and have not returned."""
    await _end_work(event.agents, event.handle, PERSON_REMOVED, "declined", work)


async def _end_work(agents: Sequence[str], by: str, reason: str, state: Stopped, work: Work) -> None:
    tasks = await lock_open_tasks_of(work, agents)
    await close_requests(work, *tasks)
    await close_requests_of(work, agents)
    for task in tasks:
        was_held = task.state == "awaiting_owner"
        attempt = task.stop(by, reason, work.now, state)
        if not was_held:
            tell_cancelled(work, task, attempt)
        tell(work, task.requester, "task_updated", task)
    for agent_id in agents:
        for discussion in await live_discussions(work, agent_id=agent_id):
            discussion.end("revoked", work.now)
