"""Projects and their members."""

from __future__ import annotations

from itertools import groupby

from sqlalchemy import bindparam
from sqlmodel import col, select, update
from sqlmodel.sql.expression import SelectOfScalar

from libs.bus import Work
from libs.contracts.directory import AgentChanged
from services.rooms.domain import Member, Project, Roster, no_such_project

MEMBERSHIPS = select(Member).where(Member.address == bindparam("address")).order_by(Member.project)
BY_AGE = (col(Member.project), col(Member.joined_at), col(Member.address))
"""Project by project, oldest members first."""


async def find_project(work: Work, slug: str) -> Project | None:
    """A project by its slug."""
    return await work.session.get(Project, slug)


async def read_roster(work: Work, slug: str) -> Roster:
    """A project with everyone who is or was in it; refuses unknown ones."""
    return await _roster(work, select(Project).where(Project.slug == slug))


async def lock_roster(work: Work, slug: str) -> Roster:
    """The same to decide on: nobody joins, leaves or stores a message there until the transaction ends."""
    return await _roster(work, select(Project).where(Project.slug == slug).with_for_update())


async def _roster(work: Work, query: SelectOfScalar[Project]) -> Roster:
    project = (await work.session.exec(query)).one_or_none()
    if project is None:
        raise no_such_project()
    members = select(Member).where(Member.project == project.slug).order_by(*BY_AGE)
    return Roster(project, list(await work.session.exec(members)))


async def list_rosters(work: Work, member: str | None) -> list[Roster]:
    """The projects that an address is in, or all of them, by slug."""
    query = select(Project).order_by(Project.slug)
    if member is not None:
        query = query.where(col(Project.slug).in_(_places(member)))
    projects = list(await work.session.exec(query))
    slugs = [project.slug for project in projects]
    rows = await work.session.exec(select(Member).where(col(Member.project).in_(slugs)).order_by(*BY_AGE))
    members = {slug: list(group) for slug, group in groupby(rows, key=lambda row: row.project)}
    return [Roster(project, members[project.slug]) for project in projects]


def _places(address: str) -> SelectOfScalar[str]:
    return select(Member.project).where(Member.address == address, col(Member.removed_at).is_(None))


async def is_member(work: Work, project: str, address: str) -> bool:
    """Whether an address is in a project now."""
    member = await work.session.get(Member, (project, address))
    return member is not None and member.active


async def memberships(work: Work, address: str) -> list[Member]:
    """Every project that an address is or was in, by slug."""
    return list((await work.session.scalars(MEMBERSHIPS, {"address": address})).all())


async def rename(work: Work, news: AgentChanged) -> None:
    """Give an agent its new name in all projects, unless a newer one was heard of."""
    older = update(Member).where(col(Member.address) == news.agent_id, col(Member.name_version) < news.version)
    await work.session.exec(older.values(display_name=news.display_name, name_version=news.version))


async def keep_project(work: Work, roster: Roster) -> None:
    """Insert a new project before its members."""
    work.session.add(roster.project)
    await work.session.flush()
    keep_members(work, roster)


def keep_members(work: Work, roster: Roster) -> None:
    """Insert the members that are new."""
    work.session.add_all(roster.rows)
