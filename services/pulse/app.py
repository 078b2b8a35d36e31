"""The pulse service, wired up."""

from libs.runtime.service import Service
from services.pulse import handlers, timers
from services.pulse.domain import PulseTable

service = Service("pulse", PulseTable.metadata, [handlers, timers])
