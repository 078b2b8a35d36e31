"""The session that work is done in."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession as CoreSession
from sqlmodel.ext.asyncio.session import AsyncSession


class Session(AsyncSession):
    """SQLModel's session: `exec` for things, and SQLAlchemy's own `execute` for rows and Core statements."""

    execute = CoreSession.execute
