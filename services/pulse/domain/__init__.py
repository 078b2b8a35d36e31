"""The things of pulse and their rules; no I/O."""

from services.pulse.domain.intents import Intent, ProjectTurn
from services.pulse.domain.leases import Lease, Waiter
from services.pulse.domain.parks import Clearing, Park
from services.pulse.domain.reports import Report
from services.pulse.domain.rows import Board, Row
from services.pulse.domain.signs import Hold, Sighting, Signs
from services.pulse.domain.table import PulseTable

__all__ = [
    "Board",
    "Clearing",
    "Hold",
    "Intent",
    "Lease",
    "Park",
    "ProjectTurn",
    "PulseTable",
    "Report",
    "Row",
    "Sighting",
    "Signs",
    "Waiter",
]
