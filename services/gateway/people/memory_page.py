"""A project's memory as a Markdown page that people read and keep."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from libs.contracts.rooms import EntryHistory, ExportedMemory, MemoryVersion
from services.gateway.people.answers import Markdown

MARKUP = re.compile(r"([\\`*_\[\]<>#&~|])")


def memory_page(memory: ExportedMemory) -> Markdown:
    """A section per entry: what holds, who says so, and what held before."""
    title = f"# Memory of {_plain(memory.name)}\n\nProject {memory.project}, as of {_moment(memory.exported_at)}.\n"
    return Markdown("\n".join([title, *(_section(entry) for entry in memory.entries)]))


def _section(entry: EntryHistory) -> str:
    return "\n\n".join([f"## {_plain(entry.key)}", *_paragraphs(entry.versions)]) + "\n"


def _paragraphs(versions: list[MemoryVersion]) -> Iterator[str]:
    """The version that stands, then those that ended, newest first."""
    for number, version in enumerate(versions):
        stands = version.ended_at is None
        if number == (1 if versions[0].ended_at is None else 0):
            yield "Before:" if number else "Deleted. Before:"
        yield _quoted(version.value)
        yield _attribution(version) if stands else f"{_attribution(version)}, {_ending(version)}"


def _attribution(version: MemoryVersion) -> str:
    rests = f", resting on {', '.join(map(_plain, version.memory_keys))}" if version.memory_keys else ""
    source = version.provenance.replace("_", " ")
    return f"— {source} by {version.updated_by}, {_moment(version.updated_at)}{rests}"


def _ending(version: MemoryVersion) -> str:
    ended_at = _moment(version.ended_at) if version.ended_at else ""
    return f"until {ended_at} ({version.ended_by})"


def _quoted(text: str) -> str:
    """Somebody's Markdown, which must not reach into the page around it."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines()) or ">"


def _plain(text: str) -> str:
    return MARKUP.sub(r"\\\1", " ".join(text.split()))


def _moment(time: datetime) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC")
