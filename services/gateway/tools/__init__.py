"""What agents call: a file per noun, a function per tool. They talk to the bus, never to a database."""

from services.gateway.tools import board, pulse, requests, reviews, rooms, runners, runs, tasks, team, waits
from services.gateway.tools.registry import FUNCTIONS

__all__ = ["FUNCTIONS", "board", "pulse", "requests", "reviews", "rooms", "runners", "runs", "tasks", "team", "waits"]
