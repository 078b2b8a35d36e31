"""The rooms service, wired up."""

from libs.runtime.service import Service
from services.rooms import handlers
from services.rooms.domain import RoomsTable

service = Service("rooms", RoomsTable.metadata, [handlers])
