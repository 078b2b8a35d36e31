"""The things of tasks and their rules; no I/O."""

from services.tasks.domain.attempts import Attempt
from services.tasks.domain.checkpoints import Checkpoint
from services.tasks.domain.devices import Assignee, Device
from services.tasks.domain.discussions import Discussion
from services.tasks.domain.packets import Packet
from services.tasks.domain.requests import Request
from services.tasks.domain.results import Result, Verdict
from services.tasks.domain.table import TasksTable
from services.tasks.domain.tasks import FINAL, OPEN, UNTAKEN, Decision, Task

__all__ = [
    "FINAL",
    "OPEN",
    "UNTAKEN",
    "Assignee",
    "Attempt",
    "Checkpoint",
    "Decision",
    "Device",
    "Discussion",
    "Packet",
    "Request",
    "Result",
    "Task",
    "TasksTable",
    "Verdict",
]
