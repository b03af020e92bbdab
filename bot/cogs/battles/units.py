"""Rosters of battles, and renaming or removing their units."""

from collections.abc import Sequence
from typing import TypedDict, get_args

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.battles import entries
from bot.core import campaigns, errors, scenes, subjects, visibility
from bot.core.permissions import Person
from bot.core.records import Json
from bot.core.scene_entries import SceneChange
from bot.rolls.extension import StateKey
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.text import join_words
from rules.books.battlesystem import effects
from rules.books.battlesystem.state import ActiveEvent, Battle, Combatant
from rules.kinds import Tag
from rules.scenes import Replacement, change, join, leave

MAX_UNITS = 100
MAX_TYPED = 3000  # more than an option has room for
CASTER = "caster"
TAGS = get_args(Tag)


class UnitFields(TypedDict, total=False):
    """The picked fields of a unit; it has a grudge against `foe`."""

    side: str
    missile: bool
    flying: bool
    caster: bool
    spells: int
    foe: str


def add(
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign_id: int,
    battle_name: str | None,
    units: str,
    fields: UnitFields,
) -> entries.EnteredChange:
    """Add units to a side of a battle."""
    names = parsing.names(units, "unit", MAX_TYPED)
    campaign, battle = entries.battle_to_command(tx, resolver, person, campaign_id, battle_name, "adding units")
    people = visibility.subjects_for(tx, visibility.make_viewer(tx, person, campaign))
    joining = people.all_of(names)
    count = len(battle.roster) + len(names)
    if count > MAX_UNITS:
        what = f"{battle.name} can have at most {MAX_UNITS} units; that would make {count}."
        raise errors.BadInput(what, "Remove destroyed units with /gm-events unit remove.")
    scenes.require_free(tx, campaign.id, battle, joining)
    side = scenes.require_side(battle, fields["side"])
    new = [_with_fields(Combatant(item.id, item.name), side, fields) for item in joining]
    change = SceneChange(
        battle,
        {"deed": "add", "battle": battle.name, "units": [_body(item) for item in new]},
        join(battle, new),
        subjects=people.changes,
        asides=_warn_of_secrets(person, campaign, joining),
    )
    return entries.enter(tx, resolver, person, campaign, change)


def edit(
    tx: Connection,
    resolver: Resolver,
    person: Person,
    campaign_id: int,
    battle_name: str | None,
    name: str,
    fields: UnitFields,
) -> entries.EnteredChange:
    """Change a unit's side, tags, spells or grudge."""
    campaign, battle = entries.battle_to_command(tx, resolver, person, campaign_id, battle_name, "changing a unit")
    before = scenes.require_participant(battle, name, entries.BATTLES)
    side = scenes.require_side(battle, fields["side"]) if "side" in fields else before.side
    after = _with_fields(before, side, fields)
    foe = _foe(battle, after, fields["foe"]) if "foe" in fields else None
    if after == before and foe is None:
        raise errors.BadInput(f"That changes nothing about {before.name}.", "Pick what to change.")
    body = {"deed": "edit", "battle": battle.name, "before": _body(before), "after": _body(after)}
    body |= {"foe": foe.name} if foe else {}
    bound = [Replacement(item, replace(item, foe=foe.id)) for item in _grudges(battle, before)] if foe else []
    return entries.enter(tx, resolver, person, campaign, SceneChange(battle, body, [*change(battle, [after]), *bound]))


def remove(
    tx: Connection, resolver: Resolver, person: Person, campaign_id: int, battle_name: str | None, units: str
) -> entries.EnteredChange:
    """Remove units with all events on them."""
    names = parsing.names(units, "unit", MAX_TYPED)
    campaign, battle = entries.battle_to_command(tx, resolver, person, campaign_id, battle_name, "removing units")
    gone = [scenes.require_participant(battle, name, entries.BATTLES) for name in names]
    ending = effects.remove(battle, gone)
    body = {"deed": "remove", "battle": battle.name, "units": [_body(item) for item in gone]}
    body |= {"ended": ending.ended} if ending.ended else {}
    return entries.enter(tx, resolver, person, campaign, SceneChange(battle, body, ending.changes))


def _warn_of_secrets(person: Person, campaign: campaigns.Campaign, joining: Sequence[subjects.Subject]) -> list[str]:
    if not person.leads(campaign):
        return []
    secret = [item.name for item in joining if item.secret]
    verb = "is" if len(secret) == 1 else "are"
    return [f"{join_words(secret)} {verb} hidden, but all players see the roster and its events."] if secret else []


def _grudges(battle: Battle, item: Combatant) -> list[ActiveEvent]:
    return [event for event in effects.list_hanging(battle, "until_gone") if event.id == item.id]


def _foe(battle: Battle, item: Combatant, name: str) -> Combatant:
    foe = scenes.require_participant(battle, name, entries.BATTLES)
    if not _grudges(battle, item):
        raise errors.BadInput(f"{item.name} has no event that ends with an enemy.", "Leave out foe.")
    if foe.side == item.side:
        raise errors.BadInput(f"{foe.name} also fights for {foe.side}.", "Name the closest enemy.")
    return foe


def _with_fields(item: Combatant, side: str, fields: UnitFields) -> Combatant:
    tags = tuple(tag for tag in TAGS if fields.get(tag, tag in item.tags))
    if CASTER not in tags and "spells" in fields:
        raise errors.BadInput(f"{item.name} has spells but isn't a caster.", "Add caster:True, or leave out spells.")
    spells = fields.get("spells", item.spells) if CASTER in tags else None
    return replace(item, side=side, tags=tags, spells=spells)


def _body(item: Combatant) -> dict[str, Json]:
    return {"name": item.name, "side": item.side, "tags": list(item.tags), "spells": item.spells}


def require_free(tx: Connection, campaign: campaigns.Campaign, number: int, new: str) -> None:
    """Refuse a name that another unit in the same battle has."""
    for battle in scenes.list_running(tx, campaign.id, entries.BATTLES):
        own, other = battle.combatant(number), battle.unit(new)
        if own is not None and other is not None and other.id != number:
            what = f"{battle.name} already has {other.name}, next to {own.name}."
            raise errors.BadInput(what, "Use another name.")


def why_effect_kept(tx: Connection, campaign: campaigns.Campaign, effect: StateKey) -> str | None:
    """Return why an effect can't be removed: it's a battle's event. None otherwise."""
    for battle in scenes.list_running(tx, campaign.id, entries.BATTLES):
        if any(item.key == effect for item in battle.events):
            return f"That belongs to {battle.name}. End it with /gm-events use."
    return None


def list_leaving(battle: Battle, number: int) -> list[Replacement]:
    """Return a battle's changes when a unit (subject number) leaves, with events that end through that."""
    return [*leave(battle, {number}), *effects.end_by_absence(battle, {number}).changes]
