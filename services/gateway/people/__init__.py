"""What persons and operators do over HTTP: the API under `/api/v1`, used by the command line and the console.

An endpoint is a function in the file of its noun: it gets what the path and the body say, asks the services and
returns a view. How requests are read and answers written is in `endpoint.py`, `bodies.py` and `answers.py`.
"""

from services.gateway.people.answers import unrouted
from services.gateway.people.app import routes

__all__ = ["routes", "unrouted"]
