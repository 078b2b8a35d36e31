"""A real hub for tests, in containers; needs Docker and `pip install "prickle[testing]"`.

`PrickleContainer` is a whole hub in one container, `PrickleCompose` the hub of a checkout's compose.yaml. Both wait
until the hub is ready, and hand out people, agents, devices and projects with their tokens. The README has an example.
"""

from prickle.testing.accounts import Agent, Device, Person, Project
from prickle.testing.compose import PrickleCompose
from prickle.testing.readiness import CannotStart

try:
    from prickle.testing.container import PrickleContainer
except ModuleNotFoundError as missing:
    raise ImportError(f'Install "prickle[testing]": {str(missing.name).partition(".")[0]} is not there.') from None

__all__ = ["Agent", "CannotStart", "Device", "Person", "PrickleCompose", "PrickleContainer", "Project"]
