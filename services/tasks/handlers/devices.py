"""Following the directory: devices with their links."""

from __future__ import annotations

from libs.bus import Work, consumes
from libs.contracts.directory import DeviceChanged
from services.tasks.domain import Device
from services.tasks.handlers.notices import tell_device, tell_given_back
from services.tasks.store.devices import lock_device, requested_tasks
from services.tasks.store.discussions import live_discussions
from services.tasks.store.tasks import lock_tasks_run_by


@consumes(DeviceChanged, by="tasks")
async def follow_device(event: DeviceChanged, work: Work) -> None:
    """Keep a device's links; it is told of the tasks that await a newly linked agent (R19)."""
    device = await lock_device(work, event.device_id, event.owner)
    former = device.links
    if not device.learn(event):
        return
    if event.removed:
        await _end_its_runs(device, work)
    for task in await requested_tasks(work, device):
        if not former.cover(task):
            tell_device(work, device.device_id, "task_requested", task)


async def _end_its_runs(device: Device, work: Work) -> None:
    ended = []
    for task in await lock_tasks_run_by(work, device.device_id):
        if task.attempt is not None:
            ended.append((task, task.give_back(task.attempt, "revoked", device.owner, work.now, work.policy)))
    await tell_given_back(work, ended)
    for discussion in await live_discussions(work, device_id=device.device_id):
        discussion.end("revoked", work.now)
