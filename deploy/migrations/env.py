"""Run by Alembic, which is run by `libs.storage.migrations`."""

from alembic import context

from libs.storage.migrations import run

run(context)
