"""Projects and their members."""

from __future__ import annotations

from prickle.people.line import Line
from prickle.views import Project


class ProjectsApi(Line):
    """Projects and who is in them."""

    async def create_project(self, slug: str, owner: str, name: str, *, description: str | None = None) -> Project:
        """Create a project of a person (operator)."""
        wanted = {"slug": slug, "owner": owner, "name": name, "description": description}
        project: Project = await self._send("POST", "projects", **wanted)
        return project

    async def list_projects(self) -> list[Project]:
        """The caller's projects, without their memory; all of them for the operator."""
        projects: list[Project] = (await self._send("GET", "projects"))["projects"]
        return projects

    async def get_project(self, slug: str) -> Project:
        """A project with its members and memory."""
        project: Project = await self._send("GET", "projects", slug)
        return project

    async def add_member(self, project: str, address: str) -> Project:
        """Add a person or agent to a project; again changes nothing."""
        changed: Project = await self._send("PUT", "projects", project, "members", *address.split("/"))
        return changed

    async def remove_member(self, project: str, address: str) -> None:
        """Remove a member; with a person go its agents."""
        await self._send("DELETE", "projects", project, "members", *address.split("/"))
