"""Pulse: what every agent is doing, whether it is awake, what it is about to change, and the board of its team."""

from libs.contracts.pulse.board import (
    BoardAgent,
    BoardAnswer,
    BoardFacts,
    BoardRow,
    ListBoard,
    LiveRun,
    MemoryAgents,
    Outcome,
)
from libs.contracts.pulse.intents import DeclaredIntent, Intent, IntentKind, Overlap
from libs.contracts.pulse.leases import Lease, Waiter
from libs.contracts.pulse.parks import ClearedParks, ClearParks, NotCleared, Park, ParkReason
from libs.contracts.pulse.pulses import (
    AgentsSeen,
    Doing,
    FailureClass,
    FailureStep,
    GetPulses,
    Pulse,
    PulseMember,
    Pulses,
    RunFailure,
    SignOfLife,
    UpdatedPulse,
    UpdatePulse,
)

__all__ = [
    "AgentsSeen",
    "BoardAgent",
    "BoardAnswer",
    "BoardFacts",
    "BoardRow",
    "ClearParks",
    "ClearedParks",
    "DeclaredIntent",
    "Doing",
    "FailureClass",
    "FailureStep",
    "GetPulses",
    "Intent",
    "IntentKind",
    "Lease",
    "ListBoard",
    "LiveRun",
    "MemoryAgents",
    "NotCleared",
    "Outcome",
    "Overlap",
    "Park",
    "ParkReason",
    "Pulse",
    "PulseMember",
    "Pulses",
    "RunFailure",
    "SignOfLife",
    "UpdatePulse",
    "UpdatedPulse",
    "Waiter",
]
