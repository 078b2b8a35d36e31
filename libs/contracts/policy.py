"""The durations and limits that the rules name; each is a setting `PRICKLE_<NAME>` with this default."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from libs.contracts.base import Data

LONGEST_SECONDS = 1e9
"""Some 30 years: what is added to a time stays one."""
Seconds = Annotated[float, Field(ge=0, le=LONGEST_SECONDS, allow_inf_nan=False)]
WholeSeconds = Annotated[int, Field(ge=0, le=LONGEST_SECONDS)]
Count = Annotated[int, Field(ge=1)]


class Policy(Data):
    """Seconds, unless the name says otherwise."""

    attempt_deadline_seconds: Seconds = 600.0
    """An attempt lapses when nothing renewed it for so long (R3)."""
    launch_timeout_seconds: Seconds = 3600.0
    """A run's attempt ends so long after its claim, whatever it does (R3)."""
    ended_token_seconds: Seconds = 86400.0
    """A run's token may still list and ping for so long after the run ended."""
    repeat_result_seconds: Seconds = 600.0
    """A run's token may repeat its own return_result for so long (R10)."""
    discussion_seconds: Seconds = 3600.0
    """A discussion's credential ends after so long (R14)."""
    capability_seconds: Seconds = 86400.0
    """An approved capability lasts so long when neither the agent nor its owner said how long."""
    max_attempts: Count = 3
    """Lapsed attempts after which a task fails (R4)."""
    loop_messages: Count = 20
    """So many agent messages in a row of a reply chain are told, further ones are not (R27)."""
    loop_seconds: Seconds = 3600.0
    """The time within which they count (R27)."""
    offline_after_seconds: Seconds = 900.0
    """An agent silent for so long is offline (R28)."""
    online_within_seconds: Seconds = 60.0
    """An agent that called within so long is online (R28)."""
    runner_online_seconds: Seconds = 90.0
    """A device that called within so long stands by: it waits for 50 s at most, and uses are noted with a delay."""
    sign_of_life_seconds: Seconds = 20.0
    """The gateway reports one sign of life per agent in so long (R28)."""
    coordinator_lease_seconds: Seconds = 3600.0
    """A coordinator's lease ends when its holder did not claim it again for so long (R35)."""
    claim_seconds: Seconds = 86400.0
    """The same for claims, of single files too (R35)."""
    reserved_lease_seconds: Seconds = 300.0
    """The head of a queue has so long to claim the lease that it was granted (R35)."""
    lease_waiters: Count = 64
    """How many may wait for one lease (R35)."""
    leases_per_agent: Count = 200
    """How many leases one agent may hold and wait for."""
    former_holder_seconds: Seconds = 60.0
    """Who held a lease may clear parks as its holder for so long (R37)."""
    park_seconds: Seconds = 43200.0
    """A park that names no end lapses after so long (R34)."""
    max_park_seconds: Seconds = 7 * 86400.0
    """The longest park (R34)."""
    board_idle_seconds: Seconds = 3600.0
    """An agent without activity for so long is counted on the board but not listed (R33)."""
    wait_seconds: WholeSeconds = 25
    """The timeout of a wait that names none (R25)."""
    max_wait_seconds: WholeSeconds = 50
    """The longest wait (R25)."""
    waits_per_credential: Count = 8
    """Open waits of one credential in one gateway process (R24)."""
    progress_seconds: Seconds = 15.0
    """A wait with a progress token reports progress so often (R25)."""
    facts_seconds: Seconds = 2.0
    """Facts that the gateway collects are at most so old."""
    command_deadline_seconds: Seconds = 10.0
    """A command older than this is dropped (R41)."""
    commands_under_way: Count = 10_000
    """Commands that one gateway has unanswered at one service before it refuses more (R45).

    A service answers about a thousand a second: of more, some would pass their deadline.
    """
    resend_after_seconds: Seconds = 3.0
    """An unanswered command is sent once more after so long (R41)."""
    keyed_answers_seconds: Seconds = 7 * 86400.0
    """Answers to commands with a client's key are kept so long (R40)."""
    answers_seconds: Seconds = 3600.0
    """Other answers are kept so long (R40)."""
    outbox_sweep_seconds: Seconds = 2.0
    """Unpublished events and wake-ups older than this are published again (R42)."""
    outbox_kept_seconds: Seconds = 86400.0
    """Published events are kept so long (R42)."""
    republish_seconds: Seconds = 3600.0
    """After Redis lost its data so much is published again (R43)."""
    event_retry_seconds: Seconds = 5.0
    """A failed event is tried again after so long (R42)."""
    event_retries: Count = 5
    """Tries after which an event becomes a dead letter (R42)."""
    entries_kept_seconds: Seconds = 30 * 86400.0
    """Mailbox entries are kept at most so long (R26)."""
    acknowledged_kept_seconds: Seconds = 86400.0
    """Acknowledged entries are kept at least so long (R26)."""
    token_cache_seconds: Seconds = 60.0
    """A gateway trusts a resolved token at most so long (R46)."""
    calls_per_minute: Count = 60_000
    """One credential's calls a minute before it is told to slow down (R45)."""
    calls_burst: Count = 10_000
    """Calls that one credential may make at once (R45)."""
