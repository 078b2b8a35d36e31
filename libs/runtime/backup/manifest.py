"""What a backup says of itself: `manifest.json` beside its files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ValidationError

from libs.runtime.serving import SERVICES

MANIFEST = "manifest.json"

Kind = Literal["sqlite", "postgresql"]


class BackupError(RuntimeError):
    """Why a backup is not made or not restored, in one sentence for people."""


class KeptDatabase(BaseModel):
    """One database of the set."""

    file: str
    revision: str | None
    """Its schema's; None from before there were any."""
    rows: dict[str, int]
    """How many, by table."""


class KeptFile(BaseModel):
    """One file of the set."""

    bytes: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> KeptFile:
        """What a file is now."""
        with path.open("rb") as file:
            return cls(bytes=path.stat().st_size, sha256=hashlib.file_digest(file, "sha256").hexdigest())


class Manifest(BaseModel):
    """When and of what a backup was made."""

    format: Literal[1] = 1
    made_at: AwareDatetime
    """Everything that was answered before is in it."""
    product: str
    kind: Kind
    databases: dict[str, KeptDatabase]
    files: dict[str, KeptFile]

    @classmethod
    def verified(cls, source: Path) -> Manifest:
        """The manifest of a backup whose files are as they were written; raises `BackupError`."""
        try:
            manifest = cls.model_validate_json((source / MANIFEST).read_bytes())
        except (OSError, ValidationError) as error:
            raise BackupError(f"{source} holds no backup that this version can read; name another") from error
        for name in _names(manifest):
            if manifest.files.get(name) != _found(source / name):
                raise BackupError(f"{source / name} is damaged or missing; restore from another backup")
        return manifest


def _names(manifest: Manifest) -> Iterable[str]:
    """The files that a restore reads: their names are ours, whatever the manifest says."""
    return file_names(manifest.kind).values()


def file_names(kind: Kind) -> dict[str, str]:
    """Per database the file that keeps it."""
    return {name: f"{name}.db" if kind == "sqlite" else "prickle.pgdump" for name in SERVICES}


def _found(path: Path) -> KeptFile | None:
    try:
        return KeptFile.of(path)
    except OSError:
        return None
