"""Teams, people, agents, devices and keys, and who may do what with them: no I/O."""

from services.gateway.directory.domain.agents import Agent, check_agent_name
from services.gateway.directory.domain.devices import Device, check_linked_agents, owner_of_new_device
from services.gateway.directory.domain.installation import THE_INSTALLATION, Installation
from services.gateway.directory.domain.keys import Key, check_new_key, subject_kind
from services.gateway.directory.domain.people import Person, Team, check_slug
from services.gateway.directory.domain.rights import (
    check_gateway,
    check_governs,
    check_operator,
    governs,
    sees_everything,
)
from services.gateway.directory.domain.table import DirectoryTable

__all__ = [
    "THE_INSTALLATION",
    "Agent",
    "Device",
    "DirectoryTable",
    "Installation",
    "Key",
    "Person",
    "Team",
    "check_agent_name",
    "check_gateway",
    "check_governs",
    "check_linked_agents",
    "check_new_key",
    "check_operator",
    "check_slug",
    "governs",
    "owner_of_new_device",
    "sees_everything",
    "subject_kind",
]
