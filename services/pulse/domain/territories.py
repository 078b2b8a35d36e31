"""Where two intents meet: the same paths, folders and the files in them, globs, areas (R30)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

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
class Spot:
    """One path of an intent: a file, a folder or a glob."""

    text: str
    """As it was written."""
    path: str
    """Without a trailing slash."""
    lineage: frozenset[str]
    """A file or folder and all the folders it is in; empty for a glob."""
    prefix: str
    """What a glob says before its first wildcard."""
    pattern: re.Pattern[str] | None
    """What a glob matches."""

    def meets(self, other: Spot) -> bool:
        """Whether the two paths overlap."""
        if self.pattern is None:
            return other.covers(self) if other.pattern else self.path in other.lineage or other.path in self.lineage
        return self.covers(other) if other.pattern is None else self._meets_glob(other)

    def covers(self, other: Spot) -> bool:
        """Whether this glob matches a file or folder, or can only match what is in that folder."""
        assert self.pattern is not None
        return self.pattern.match(other.path) is not None or self.prefix.startswith(f"{other.path}/")

    def _meets_glob(self, other: Spot) -> bool:
        return self.prefix.startswith(other.prefix) or other.prefix.startswith(self.prefix)


@dataclass(frozen=True, slots=True)
class Territory:
    """All that one intent touches, made once for many comparisons."""

    spots: tuple[Spot, ...]
    globs: tuple[Spot, ...]
    plain: tuple[Spot, ...]
    paths: frozenset[str]
    lineage: frozenset[str]
    areas: frozenset[str]

    def meets(self, other: Territory) -> bool:
        """Whether anything of the two overlaps."""
        if not (self.lineage.isdisjoint(other.paths) and other.lineage.isdisjoint(self.paths)):
            return True
        return not self.areas.isdisjoint(other.areas) or self._meets_by_glob(other) or other._meets_by_glob(self)

    def _meets_by_glob(self, other: Territory) -> bool:
        """Whether a glob of this one meets a path of the other."""
        return any(glob.meets(spot) for glob in self.globs for spot in (other.spots))

    def paths_in(self, other: Territory) -> list[str]:
        """Those of this one's paths that meet one of the other's."""
        return [spot.text for spot in self.spots if any(spot.meets(theirs) for theirs in other.spots)]

    def areas_in(self, other: Territory) -> list[str]:
        """The areas that both touch."""
        return sorted(self.areas & other.areas)


@lru_cache(KEPT)
def territory(paths: tuple[str, ...], areas: tuple[str, ...]) -> Territory:
    """What these paths and areas are, ready to be compared."""
    spots = tuple(_spot(path) for path in paths)
    plain = tuple(spot for spot in spots if spot.pattern is None)
    return Territory(
        spots=spots,
        globs=tuple(spot for spot in spots if spot.pattern),
        plain=plain,
        paths=frozenset(spot.path for spot in plain),
        lineage=frozenset[str]().union(*(spot.lineage for spot in plain)),
        areas=frozenset(areas),
    )


def _spot(text: str) -> Spot:
    path = text.removesuffix("/")
    if found := WILDCARD.search(path):
        return Spot(text, path, frozenset(), path[: found.start()], _pattern(path))
    parts = path.split("/")
    return Spot(text, path, frozenset("/".join(parts[:end]) for end in range(1, len(parts) + 1)), "", None)


def _pattern(glob: str) -> re.Pattern[str]:
    """What a glob matches, by the rules of gitignore; its first character is never a comment or a negation."""
    pattern = GitIgnoreSpecPattern(f"\\{glob}" if glob[0] in "#!" else glob).regex
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
            _spot(path)
        except GitIgnorePatternError:
            raise InvalidInput("Close the brackets of the glob.", field=name) from None
