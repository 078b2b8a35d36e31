"""The runs service, wired up."""

from libs.runtime.service import Service
from services.runs import handlers
from services.runs.domain import RunsTable

service = Service("runs", RunsTable.metadata, [handlers])
