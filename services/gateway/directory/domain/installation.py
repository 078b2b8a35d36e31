"""What all gateways of an installation share."""

from __future__ import annotations

import secrets

from sqlmodel import Field

from libs.contracts import directory as views
from services.gateway.directory.domain.table import DirectoryTable

THE_INSTALLATION = "this"


class Installation(DirectoryTable, table=True):
    """What all gateways share: one row (R20)."""

    __tablename__ = "installation"

    name: str = Field(default=THE_INSTALLATION, primary_key=True)
    epoch: str = Field(default_factory=lambda: secrets.token_hex(8))
    cursor_key: str = Field(default_factory=lambda: secrets.token_urlsafe(32))

    def view(self) -> views.Installation:
        """The installation for its gateways."""
        return views.Installation(epoch=self.epoch, cursor_key=self.cursor_key)
