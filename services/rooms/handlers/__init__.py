"""What rooms answers and follows."""

from services.rooms.handlers import (
    devices,
    mailbox,
    memory,
    messages,
    posts,
    projects,
    proposals,
    redactions,
    task_requests,
)

__all__ = [
    "devices",
    "mailbox",
    "memory",
    "messages",
    "posts",
    "projects",
    "proposals",
    "redactions",
    "task_requests",
]
