"""Mentions: whom a message names, in its field or in the text of its Markdown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from libs.contracts.errors import InvalidInput
from libs.contracts.rooms import MAX_MENTIONS, NotNotified, NotNotifiedReason
from libs.contracts.types import is_agent

ALL = "all"
MARKDOWN = MarkdownIt("commonmark", {"linkify": True}).enable("linkify")
MENTION = re.compile(r"://\S*|(?<![\w.\-/@])@([\w\-/]+)")
"""An `@` and its run of letters, digits, `_`, `-` and `/`; URLs of schemes unknown to linkify are passed over."""


@dataclass(frozen=True, slots=True)
class Mentioned:
    """What the mentions of a message come to."""

    stored: list[str]
    """The members mentioned, or the one item `all`."""
    notified: list[str]
    """The members mentioned, by address."""
    not_notified: list[NotNotified]
    """Addresses of the field, as given, that are not notified."""


def find_mentions(
    named: list[str], body: str, author: str, members: Collection[str], *, looping: bool = False
) -> Mentioned:
    """Resolve the field and the body to members, each once and never the author; refuses more than 20.

    What is said in a loop mentions nobody (R27).
    """
    spellings = {fold(text): text for text in reversed(named)}
    otherwise: NotNotifiedReason | None = "loop" if looping else None
    reasons = {address: why_not(address, author, members) or otherwise for address in dict.fromkeys(map(fold, named))}
    not_notified = [NotNotified(address=spellings[one], reason=reason) for one, reason in reasons.items() if reason]
    if looping:
        return Mentioned([], [], not_notified)
    wanted = [address for address, reason in reasons.items() if not reason]
    wanted += [found for found in addresses_in(body) if found not in reasons and not why_not(found, author, members)]
    if ALL in wanted:
        return Mentioned([ALL], sorted(address for address in members if address != author), not_notified)
    if len(wanted) > MAX_MENTIONS:
        raise InvalidInput(f"Mention at most {MAX_MENTIONS} members in one message.", field="mentions")
    return Mentioned(wanted, wanted, not_notified)


def fold(text: str) -> str:
    """An address however it was spelled."""
    return text.casefold().removeprefix("@")


def why_not(address: str, author: str, members: Collection[str]) -> NotNotifiedReason | None:
    """Why a mention of this address tells nobody; `all` is for persons only."""
    if address == ALL:
        return "not_allowed" if is_agent(author) else None
    if address == author:
        return "author"
    return None if address in members else "not_a_member"


def addresses_in(body: str) -> list[str]:
    """What follows each `@` in the text of the Markdown, casefolded, each once: mostly addresses."""
    if "@" not in body:
        return []
    found = (name for text in texts_in(body) for name in MENTION.findall(text))
    return list(dict.fromkeys(name.rstrip("_-/").casefold() for name in found))


def texts_in(body: str) -> Iterator[str]:
    """The text tokens of the Markdown: no code, link targets, bare URLs, HTML or e-mail addresses."""
    for block in MARKDOWN.parse(body):
        yield from _texts_among(block.children or ())


def _texts_among(tokens: Collection[Token]) -> Iterator[str]:
    in_url = False
    for token in tokens:
        if token.info == "auto":
            in_url = token.type == "link_open"
        elif token.type == "text" and not in_url:
            yield token.content
