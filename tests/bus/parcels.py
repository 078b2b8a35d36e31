"""A small service for the tests of the bus: it stores parcels, counts them and delivers them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from sqlalchemy import MetaData, func, select
from sqlmodel import Field, SQLModel

from libs.bus import Asked, Work, consumes, every, handles, handles_batch
from libs.bus.mailbox import read_mailbox
from libs.contracts.base import Command, Event, Query, View
from libs.contracts.caller import Caller
from libs.contracts.errors import Conflict, Problem
from libs.contracts.mailbox import MailboxPage, ReadMailbox
from libs.runtime.service import Service


class ParcelsTable(SQLModel):
    metadata = MetaData()


class Parcel(ParcelsTable, table=True):
    parcel_id: int | None = Field(default=None, primary_key=True)
    label: str
    command_id: str
    taken_by: str | None = None


class Count(View):
    count: int


class SendParcel(Command[Count], service="parcels"):
    label: str
    to: str = "ann/codex"


class SendInBulk(Command[Count], service="parcels"):
    label: str
    to: str = "ann/codex"


class TakeParcel(Command[Count], service="parcels"):
    label: str


class WeighParcels(Command[Count], service="parcels"):
    labels: list[str]


class CountParcels(Query[Count], service="parcels"):
    label: str


class ReadParcelsMailbox(ReadMailbox, service="parcels"):
    pass


class ParcelSent(Event, source="parcels"):
    label: str


class Held:
    """A handler that stops where a test wants it, until the test lets it go on."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.released = asyncio.Event()

    async def pass_by(self) -> None:
        self.begun.set()
        await self.released.wait()


CRASHES = {"crash"}
HELD: dict[str, Held] = {}
SEEN: list[str] = []
FAILURES: Counter[str] = Counter()
"""How often the consumer of a parcel's event has yet to fail."""
TICKS: list[str] = []


async def _look_at(label: str) -> None:
    if label.startswith("refused"):
        raise Conflict("Send another parcel.")
    if label in CRASHES:
        raise RuntimeError("a bug")
    if label in HELD:
        await HELD[label].pass_by()


async def _store(label: str, to: str, work: Work) -> Count:
    work.session.add(Parcel(label=label, command_id=work.command_id))
    await work.session.flush()
    work.announce(ParcelSent(label=label))
    work.deliver(to, "parcel", None, {"label": label})
    return Count(count=await _count(label, work))


async def _count(label: str, work: Work) -> int:
    query = select(func.count()).select_from(Parcel).where(Parcel.label == label)
    return int((await work.session.execute(query)).scalar_one())


@handles(SendParcel)
async def send_parcel(command: SendParcel, caller: Caller, work: Work) -> Count:
    await _look_at(command.label)
    return await _store(command.label, command.to, work)


@handles_batch(SendInBulk)
async def send_in_bulk(asked: Sequence[Asked[SendInBulk]], work: Work) -> list[Count | Problem]:
    said: list[Count | Problem] = []
    for one in asked:
        try:
            await _look_at(one.command.label)
            said.append(await _store(one.command.label, one.command.to, work))
        except Problem as problem:
            said.append(problem)
    return said


@handles(TakeParcel)
async def take_parcel(command: TakeParcel, caller: Caller, work: Work) -> Count:
    query = select(Parcel).where(Parcel.label == command.label).with_for_update()
    parcel = (await work.session.execute(query)).scalar_one()
    if parcel.taken_by is not None:
        raise Conflict("Take another parcel.")
    parcel.taken_by = caller.subject
    await _look_at(command.label)
    return Count(count=1)


@handles(WeighParcels)
async def weigh_parcels(command: WeighParcels, caller: Caller, work: Work) -> Count:
    """Locks one after the other, in the order named: two such commands may deadlock."""
    for label in command.labels:
        await work.session.execute(select(Parcel).where(Parcel.label == label).with_for_update())
        await _look_at(label)
    return Count(count=len(command.labels))


@handles(CountParcels)
async def count_parcels(command: CountParcels, caller: Caller, work: Work) -> Count:
    if command.label in HELD:
        await HELD[command.label].pass_by()
    return Count(count=await _count(command.label, work))


@handles(ReadParcelsMailbox)
async def read_parcels_mailbox(command: ReadParcelsMailbox, caller: Caller, work: Work) -> MailboxPage:
    return await read_mailbox(command, work)


@consumes(ParcelSent, by="parcels")
async def note_parcel(event: ParcelSent, work: Work) -> None:
    if FAILURES[event.label] > 0:
        FAILURES[event.label] -= 1
        raise RuntimeError("a bug")
    SEEN.append(event.label)


@every(3600, by="parcels")
async def tick(work: Work) -> None:
    TICKS.append(work.command_id)


service = Service("parcels", ParcelsTable.metadata, revision=0)
