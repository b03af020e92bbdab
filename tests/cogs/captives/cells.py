"""Captives for tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from bot.actions import Done
from bot.app import KINDS
from bot.cogs.captives import queries, rolls
from bot.cogs.captives.actions import Move, Release, Take
from bot.cogs.captives.queries import CaptiveStatus
from bot.cogs.effects import EndEffect, SetEffect
from bot.cogs.effects.queries import KEY, list_effects
from bot.core import audit, campaigns, entries
from bot.core.database import Database
from bot.core.errors import BadInput
from bot.core.ledger import EntryDraft, Ledger
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.records import Change, make_pseudonym
from bot.core.schema import card, entry, post
from bot.core.subjects import Subjects
from bot.orders.giving import GivenOrder
from bot.rolls.card.store import CardView
from bot.rolls.request import PartRequest, RollRequest, TypedAdjustment
from bot.rolls.void import UndoResult
from rules.subjects import NAME, PROFILE, name_key
from tests.support.backend import GM, House
from tests.support.subjects import named
from tests.support.world import START, CountedRandomness

_salts = CountedRandomness()


async def put(database: Database, values: Mapping[tuple[str, str], Any]) -> int:
    """Set values by names in one entry; return its number."""

    def work(tx: Connection) -> int:
        campaign = campaigns.get_campaign(tx, 1)
        assert campaign is not None
        people = Subjects(tx, 1)
        set_values = [Change(people.of(who).key, name, None, value) for (who, name), value in values.items()]
        changes = (*people.changes, *set_values)
        draft = EntryDraft("campaign", "staff", {"edited": {}}, changes)
        return Ledger(lambda: START, _salts).enter(tx, campaign, GM.user_id, draft).number

    return await database.write(work)


async def save(database: Database, *items: Profile) -> None:
    """Save units and characters."""
    await put(database, {(item.name, PROFILE): item.value() for item in items})


async def find_pseudonym(database: Database, user_id: int) -> str:
    """A person's pseudonym, made if needed."""
    name = make_pseudonym("00" * 16, user_id)

    def work(tx: Connection) -> str:
        known = campaigns.find_pseudonym(tx, 1, user_id)
        if known is None:
            entries.add_actor(tx, 1, user_id, "00" * 16, name)
        return known or name

    return await database.write(work)


async def add_effect(database: Database, name: str, trait: str, **more: Any) -> None:  # noqa: ANN401 - any JSON value
    """Set an effect."""
    await put(database, {(name, f"effect.{trait}"): {"entry": 1, **more}})


async def set_effect(house: House, who: str, effect: str, **more: Any) -> int:  # noqa: ANN401 - options of the command
    """Set an effect as a game master; return the entry's number."""
    return (await house.act(SetEffect(who=who, effect=effect, **more))).entry.number


async def clear_effect(house: House, who: str, effect: str) -> None:
    """End an effect (label or trait) as a game master."""
    lasting = await house.database.read(list_effects, house.resolver.library, GM, house.campaign, who)
    meant = [item for item in lasting if name_key(effect) in {name_key(item.label), item.trait}]
    if not meant:
        raise BadInput(f"{who} doesn't have the effect {effect}.")
    picked = KEY.match(meant[0].key)
    assert picked is not None
    await house.act(EndEffect(**KEY.read(picked)))


async def take(house: House, *names: str, by: str = "Red", at: str = "Fort Anvil") -> None:
    """Take some captive."""
    for name in names:
        await capture(house, name, by, at)


async def capture(house: House, name: str, by: str, at: str) -> Done:
    """Take a captive."""
    return await house.act(Take(captive=name, by=by, at=at))


async def move(house: House, name: str, at: str) -> Done:
    """Move a captive."""
    return await house.act(Move(captive=name, at=at))


async def release(house: House, name: str, note: str = "") -> Done:
    """Let a captive go."""
    return await house.act(Release(captive=name, note=note))


async def undo(house: House, name: str, reason: str = "A slip") -> UndoResult:
    """Undo the newest entry about a captive."""
    return await house.take_back((await show(house, name)).newest, reason)


async def order(house: House, names: str, who: Person = GM, note: str | None = None) -> list[GivenOrder]:
    """Order saved captives to escape."""
    return await house.database.write(rolls.order_escapes, house.resolver, who, house.campaign.id, names, note)


async def open_ordered(house: House) -> list[CardView]:
    """Open cards for ordered escapes."""
    return await house.database.write(rolls.open_ordered, house.resolver, GM, house.campaign.id)


async def show(house: House, name: str) -> CaptiveStatus:
    """A captive's status."""
    return await house.database.read(queries.show, GM, house.campaign, name)


async def everyone(house: House) -> list[CaptiveStatus]:
    """All captives, and all who were."""
    return await house.database.read(queries.list_captives, GM, house.campaign)


def interrogation(
    captive: str, *interrogators: str, at: str = "Fort Anvil", plus: int = 0, reason: str | None = None
) -> RollRequest:
    """An interrogation."""
    subjects = {"captive": captive, "interrogator": ", ".join(interrogators or ("Stahl",)), "base": at}
    part = PartRequest(subjects=subjects, adjustments=_plus(plus))
    return RollRequest(book="campaign", family="interrogation", parts=(part,), reason=reason)


def escape(*captives: str, at: str = "Fort Anvil", plus: int = 0, reason: str | None = None) -> RollRequest:
    """Captives who escape together."""
    parts = tuple(PartRequest(subjects={"captive": name, "base": at}, adjustments=_plus(plus)) for name in captives)
    return RollRequest(book="campaign", family="escape", parts=parts, reason=reason)


async def read_value(house: House, name: str) -> dict[str, Any]:
    """The stored value of a name."""
    values = named(await house.state())
    return {key: value for (subject, key), value in values.items() if subject == name.casefold() and key != NAME}


async def sound(house: House) -> bool:
    """Whether the state matches the ledger."""
    return [item.faults for item in await audit.check_ledgers(house.database, KINDS)] == [()]


async def counts(house: House) -> tuple[int, ...]:
    """Counts of entries, cards and posts."""
    return (await house.count(entry), await house.count(card), await house.count(post))


def _plus(value: int) -> tuple[TypedAdjustment, ...]:
    return (TypedAdjustment(value=value, reason="set by the test"),) if value else ()
