"""`prickle keys`: the keys of agents and devices, and the tokens of people."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from prickle.commands.showing import Column, columns, moment, new_token, sentence
from prickle.commands.talking import asks_api
from prickle.people import PeopleApi

KEYS = columns(
    Column("key_id", "key_id"),
    Column("kind", "kind"),
    Column("project", "project"),
    Column("created_at", "created (UTC)", moment),
    Column("expires_at", "expires (UTC)", moment),
    Column("last_used_at", "last used (UTC)", moment),
    Column("revoked_at", "revoked (UTC)", moment),
)

Subject = Annotated[
    str, typer.Argument(metavar="SUBJECT", help="An agent's address, a device's id, or a person's handle.")
]
Kind = Annotated[
    Literal["client", "project", "oauth", "device", "tasks", "person"] | None,
    typer.Option(help="Of an agent: client (the default), project or oauth; of a device: device or tasks."),
]
Project = Annotated[str | None, typer.Option(help="The one project of a project key.")]
ExpiresAt = Annotated[
    str | None, typer.Option(metavar="TIME", help="When it ends by itself, such as 2026-12-31T23:59:59Z.")
]

keys = typer.Typer(no_args_is_help=True, help="Keys of your agents and devices, and your own tokens.")


def register(app: typer.Typer) -> None:
    """Add the group to the command line."""
    app.add_typer(keys, name="keys")


@keys.command("issue")
@asks_api(shows=new_token)
async def issue_key(
    api: PeopleApi, subject: Subject, kind: Kind = None, project: Project = None, expires_at: ExpiresAt = None
) -> Any:
    """Issue a key and print its token, this once."""
    if is_agent(subject):
        return await api.issue_agent_key(subject, kind=kind or "client", project=project, expires_at=expires_at)
    if project is not None:
        raise typer.BadParameter("name a project for a project key of an agent only", param_hint="--project")
    if is_device(subject):
        return await api.issue_device_key(subject, kind=kind or "device", expires_at=expires_at)
    if kind not in (None, "person"):
        raise typer.BadParameter("people have tokens of kind person only", param_hint="--kind")
    return await api.issue_person_token(subject, expires_at=expires_at)


def is_agent(subject: str) -> bool:
    """Whether it is an agent's address."""
    return "/" in subject


def is_device(subject: str) -> bool:
    """Whether it is a device's id: no handle has an underscore."""
    return "_" in subject


@keys.command("list")
@asks_api(shows=KEYS)
async def list_keys(api: PeopleApi, subject: Subject) -> Any:
    """List keys, ended ones too."""
    if is_agent(subject):
        return await api.list_agent_keys(subject)
    return await (api.list_device_keys(subject) if is_device(subject) else api.list_person_tokens(subject))


@keys.command("revoke")
@asks_api(shows=sentence("Revoked; it is refused from the next call on."))
async def revoke_key(
    api: PeopleApi, key_id: Annotated[str, typer.Argument(metavar="KEY_ID", help="The key's id, as listed.")]
) -> Any:
    """End a key at once; again changes nothing."""
    return await api.revoke_key(key_id)
