"""The things of tasks and their rules; no I/O."""

from services.tasks.domain.attempts import Attempt
from services.tasks.domain.checkpoints import Checkpoint
from services.tasks.domain.packets import Packet
from services.tasks.domain.results import Result, Verdict
from services.tasks.domain.table import TasksTable
from services.tasks.domain.tasks import FINAL, OPEN, Task

__all__ = ["FINAL", "OPEN", "Attempt", "Checkpoint", "Packet", "Result", "Task", "TasksTable", "Verdict"]
