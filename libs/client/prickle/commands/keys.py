"""`prickle keys`: the keys of agents and the tokens of people."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from prickle.commands.showing import new_token, rows, sentence
from prickle.commands.talking import asks_api
from prickle.people import PeopleApi

KEY_FIELDS = ("key_id", "kind", "created_at", "expires_at", "last_used_at", "revoked_at")

Address = Annotated[str, typer.Argument(help="An agent's address for its keys, a person's handle for its tokens.")]
ExpiresAt = Annotated[
    str | None, typer.Option(metavar="TIME", help="When it ends by itself, such as 2026-12-31T23:59:59Z.")
]

keys = typer.Typer(no_args_is_help=True, help="Keys of your agents, and your own tokens.")


def register(app: typer.Typer) -> None:
    """Add the group to the command line."""
    app.add_typer(keys, name="keys")


@keys.command("issue")
@asks_api(shows=new_token)
async def issue_key(api: PeopleApi, address: Address, expires_at: ExpiresAt = None) -> Any:
    """Issue a key and print its token, this once."""
    if "/" in address:
        return await api.issue_agent_key(address, expires_at=expires_at)
    return await api.issue_person_token(address, expires_at=expires_at)


@keys.command("list")
@asks_api(shows=rows(*KEY_FIELDS))
async def list_keys(api: PeopleApi, address: Address) -> Any:
    """List keys, ended ones too."""
    return await (api.list_agent_keys(address) if "/" in address else api.list_person_tokens(address))


@keys.command("revoke")
@asks_api(shows=sentence("Revoked; it is refused from the next call on."))
async def revoke_key(api: PeopleApi, key_id: Annotated[str, typer.Argument(help="The key's id, as listed.")]) -> Any:
    """End a key at once; again changes nothing."""
    return await api.revoke_key(key_id)
