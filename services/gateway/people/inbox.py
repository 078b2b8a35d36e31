"""What awaits a person: results to review, tasks to allow, requests to decide, proposals to approve."""

from __future__ import annotations

import asyncio
from itertools import chain

from libs.contracts.base import Data, View
from libs.contracts.rooms import ListProjects, ListProposals, Proposal
from libs.contracts.tasks import AwaitedReview, InboxPage, ListRequests, ReadInbox, Request, WholeTask
from libs.contracts.types import owner_of
from services.gateway.people.endpoint import endpoint
from services.gateway.session import Session

PAGE = 50
PROPOSALS_PER_PROJECT = 100


class AskedNothing(Data):
    """Whoever asks is all that matters."""


class WaitingTasks(View):
    """Tasks, newest first."""

    tasks: list[WholeTask]


class PersonInbox(View):
    """What awaits the caller, each list with the newest first."""

    reviews: list[AwaitedReview]
    """The newest 20 results to accept or reject."""
    tasks: list[WholeTask]
    """Tasks from outside to allow or refuse (R2)."""
    requests: list[Request]
    """What the caller's agents want, and questions about tasks that the caller's side handed off."""
    proposals: list[Proposal]
    """What to remember in the caller's projects."""


@endpoint("GET", "/inbox", AskedNothing)
async def read_inbox(asked: AskedNothing, session: Session) -> PersonInbox:
    """All that awaits the caller's word."""
    page, tasks, requests, proposals = await asyncio.gather(
        session.ask(ReadInbox(limit=1)), waiting_tasks(session), _requests(session), _proposals(session)
    )
    return PersonInbox(reviews=page.reviews, tasks=tasks, requests=requests, proposals=proposals)


@endpoint("GET", "/tasks/waiting", AskedNothing)
async def list_waiting_tasks(asked: AskedNothing, session: Session) -> WaitingTasks:
    """The tasks from outside that await the caller's word before an agent gets them (R2)."""
    return WaitingTasks(tasks=await waiting_tasks(session))


async def waiting_tasks(session: Session) -> list[WholeTask]:
    """All of them, newest first."""
    page = await _awaiting_some_owner(session, None)
    tasks = page.tasks
    while page.last is not None:
        page = await _awaiting_some_owner(session, page.last)
        tasks = tasks + page.tasks
    return [task for task in tasks if owner_of(task.assignee) == session.caller.subject]


async def _awaiting_some_owner(session: Session, after: str | None) -> InboxPage:
    """A page of what awaits the caller's word, or is of the caller's agents and awaits another's."""
    return await session.ask(ReadInbox(role="owner", states=["awaiting_owner"], after=after, limit=PAGE))


async def _requests(session: Session) -> list[Request]:
    page = await session.ask(ListRequests(limit=PAGE))
    requests = page.requests
    while page.last is not None:
        page = await session.ask(ListRequests(after=page.last, limit=PAGE))
        requests = requests + page.requests
    return requests


async def _proposals(session: Session) -> list[Proposal]:
    rooms = (await session.ask(ListProjects(member=session.caller.subject))).projects
    queries = [ListProposals(project=room.project.slug, limit=PROPOSALS_PER_PROJECT) for room in rooms]
    found = await asyncio.gather(*(session.ask(query) for query in queries))
    proposals = chain.from_iterable(page.proposals for page in found)
    return sorted(proposals, key=lambda proposal: (proposal.at, proposal.proposal_id), reverse=True)
