"""Backups: all databases of an installation as one consistent set, and the way back."""

from libs.runtime.backup.manifest import BackupError, Manifest
from libs.runtime.backup.restoring import restore
from libs.runtime.backup.taking import take

__all__ = ["BackupError", "Manifest", "restore", "take"]
