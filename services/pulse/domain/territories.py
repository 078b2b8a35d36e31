"""Where two intents meet: the same paths, folders and the files in them, globs, areas (R30)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import orjson
from pathspec.patterns.gitignore import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from libs.contracts.errors import InvalidInput
from services.pulse.domain.names import PATH_RULES, check_path

WILDCARD = re.compile(r"[*?\[]")
STARS = re.compile(r"(?<![^/])\*\*(?![^/])|\*")
MAX_STARS = 3
"""Each further one multiplies what a match may cost by the length of the path."""
KEPT = 8192


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder."""

    text: str
    """As it was written."""
    path: str
    """Without a trailing slash."""
    lineage: frozenset[str]
    """Itself and all the folders it is in."""

    def is_met_by(self, other: Territory) -> bool:
        """Whether something of another territory overlaps with it."""
        if self.path in other.lineage or self.path in other.folders or not self.lineage.isdisjoint(other.paths):
            return True
        return any(glob.matches([self.path]) for glob in other.globs)


@dataclass(frozen=True, slots=True)
class Glob:
    """A glob, by the rules of gitignore."""

    text: str
    """As it was written."""
    prefix: str
    """What it says before its first wildcard."""
    start: str
    """What everything that it matches starts with."""

    @property
    def home(self) -> str:
        """The folder that all it matches is in; empty if it may be anywhere."""
        return self.start.rpartition("/")[0]

    def matches(self, paths: Iterable[str]) -> bool:
        """Whether it matches any of these files and folders."""
        near = [path for path in paths if path.startswith(self.start)]
        return bool(near) and any(map(_pattern(self.text).match, near))

    def is_met_by(self, other: Territory) -> bool:
        """Whether something of another territory overlaps with it."""
        if not _folders(self.prefix).isdisjoint(other.paths) or self.matches(other.paths):
            return True
        return self.prefix.startswith(other.prefixes) or any(p.startswith(self.prefix) for p in other.prefixes)


@dataclass(frozen=True, slots=True)
class Territory:
    """All that one intent touches, made once for many comparisons."""

    spots: tuple[Place | Glob, ...]
    globs: tuple[Glob, ...]
    paths: frozenset[str]
    """The files and folders."""
    lineage: frozenset[str]
    """These and all the folders they are in."""
    homes: frozenset[str]
    """The folders that globs are confined to."""
    folders: frozenset[str]
    """These and all the folders they are in."""
    roams: bool
    """Whether a glob is confined to no folder."""
    prefixes: tuple[str, ...]
    """What the globs say before their first wildcards."""
    areas: frozenset[str]

    def meets(self, other: Territory) -> bool:
        """Whether anything of the two overlaps."""
        if not (self.lineage.isdisjoint(other.paths) and other.lineage.isdisjoint(self.paths)):
            return True
        if not self.areas.isdisjoint(other.areas):
            return True
        if not (self._may_meet_by_glob(other) or other._may_meet_by_glob(self)):
            return False
        return any(glob.is_met_by(other) for glob in self.globs) or any(glob.is_met_by(self) for glob in other.globs)

    def _may_meet_by_glob(self, other: Territory) -> bool:
        """Whether a glob of this one is worth a look, as is rarely so: most have homes far from what others touch."""
        near = other.lineage, other.folders
        return self.roams or not (all(map(self.homes.isdisjoint, near)) and self.folders.isdisjoint(other.paths))

    def paths_in(self, other: Territory) -> list[str]:
        """Those of this one's paths, as they were written, that meet something of the other's."""
        return [spot.text for spot in self.spots if spot.is_met_by(other)]

    def areas_in(self, other: Territory) -> list[str]:
        """The areas that both touch."""
        return sorted(self.areas & other.areas)


@lru_cache(KEPT)
def territory(paths: str, areas: str) -> Territory:
    """What paths and areas, each as a JSON list, are when they are ready to be compared."""
    written: list[str] = orjson.loads(paths)
    spots = tuple(_glob(text) if WILDCARD.search(text) else _place(text) for text in written)
    places = [spot for spot in spots if isinstance(spot, Place)]
    globs = tuple(spot for spot in spots if isinstance(spot, Glob))
    return Territory(
        spots=spots,
        globs=globs,
        paths=frozenset(place.path for place in places),
        lineage=frozenset[str]().union(*(place.lineage for place in places)),
        homes=frozenset(glob.home for glob in globs),
        folders=frozenset[str]().union(*(_folders(glob.prefix) for glob in globs)),
        roams=any(not glob.home for glob in globs),
        prefixes=tuple(glob.prefix for glob in globs),
        areas=frozenset(orjson.loads(areas)),
    )


def _place(text: str) -> Place:
    path = text.removesuffix("/")
    return Place(text, path, _folders(f"{path}/"))


@lru_cache(KEPT)
def _folders(prefix: str) -> frozenset[str]:
    """The folders that a prefix leads through."""
    parts = prefix.split("/")
    return frozenset("/".join(parts[:end]) for end in range(1, len(parts)))


def _glob(text: str) -> Glob:
    prefix = WILDCARD.split(text, maxsplit=1)[0]
    return Glob(text, prefix, prefix if "/" in text.removesuffix("/") else "")


@lru_cache(KEPT)
def _pattern(glob: str) -> re.Pattern[str]:
    """What a glob matches; its first character is never a comment or a negation."""
    path = glob.removesuffix("/")
    pattern = GitIgnoreSpecPattern(f"\\{path}" if path[0] in "#!" else path).regex
    if pattern is None:
        raise GitIgnorePatternError
    return pattern


def check_paths(paths: Sequence[str], field: str) -> None:
    """Refuse paths that lead out of the repository, and globs that mean nothing or cost too much."""
    for index, path in enumerate(paths):
        name = f"{field}[{index}]"
        check_path(path, name, PATH_RULES)
        if len(STARS.findall(path.removesuffix("/**"))) > MAX_STARS:
            raise InvalidInput(f"Use at most {MAX_STARS} * in a path; name the folder instead.", field=name)
        try:
            _ = WILDCARD.search(path) and _pattern(path)
        except GitIgnorePatternError:
            raise InvalidInput("Close the brackets of the glob.", field=name) from None
