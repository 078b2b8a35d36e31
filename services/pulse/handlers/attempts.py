"""Who holds which task, as tasks tells."""

from __future__ import annotations

from libs.bus import Work, consumes
from libs.contracts.tasks import AttemptEnded, AttemptStarted
from services.pulse.domain import Hold
from services.pulse.store import reports as store


@consumes(AttemptStarted, by="pulse")
async def note_attempt_started(event: AttemptStarted, work: Work) -> None:
    """The agent holds the task now; a run that starts ends the failure of the last one (R31)."""
    await note_attempt(event, work)
    if event.kind == "run":
        report = await store.lock_report(work, event.agent_id, event.project)
        report.run_started(event.started_at or work.now)
        store.keep(work, report)


@consumes(AttemptEnded, by="pulse")
async def note_attempt_ended(event: AttemptEnded, work: Work) -> None:
    """The agent holds the task no longer."""
    await note_attempt(event, work)


async def note_attempt(event: AttemptStarted | AttemptEnded, work: Work) -> None:
    """Remember the newest of a task; the first that is heard of an attempt ends what its agent said before (R28)."""
    hold, former = Hold.heard(event, work.now), await store.lock_hold(work, event.task_id)
    if not hold.outdates(former):
        return
    if hold.is_of_another_attempt_than(former):
        report = await store.lock_report(work, hold.agent_id, hold.project)
        report.take_back_availability()
        store.keep(work, report)
    await store.replace(work, hold)
