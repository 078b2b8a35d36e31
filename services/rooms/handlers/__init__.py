"""What rooms answers and follows."""

from services.rooms.handlers import mailbox, memory, messages, posts, projects, task_requests

__all__ = ["mailbox", "memory", "messages", "posts", "projects", "task_requests"]
