"""The tasks service."""

from libs.runtime.service import Service
from services.tasks import handlers, timers
from services.tasks.domain import TasksTable

service = Service("tasks", TasksTable.metadata, [handlers, timers])
