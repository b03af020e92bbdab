"""The rosters of battles: which units stand on which side, and what can befall them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from sqlalchemy import Connection

from bot.cogs.battles import store
from bot.cogs.battles.store import PERMANENT, Battle, Combatant
from bot.cogs.battles.transaction import Deed, Done, Headquarters, chosen, require_commander, side_of
from bot.core import profiles
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.core.records import Change
from bot.core.subjects import subject_key
from bot.errors import BadInput
from bot.ui import parsing
from bot.ui.text import listing
from rules.errors import nearest
from rules.events import Tag

MAX_UNITS = 100
"""How many units one battle takes."""

MAX_TYPED = 3000
"""More names than fit into an option; how many a battle takes is told of the battle."""

CASTER = "caster"
TAGS = get_args(Tag)

Given = Mapping[str, Any]
"""What was picked of a unit's fields: side, the tags by name as true or false, spells; only those that were."""


class Ranks:
    """Adds, changes and removes units."""

    def __init__(self, headquarters: Headquarters) -> None:
        self._headquarters = headquarters

    async def add(self, person: Person, campaign_id: int, named: str | None, units: str, given: Given) -> Done:
        """Let units join a side of a battle, several of a kind at once.

        Raises:
            NotAllowed: the person may not.
            BadInput: a name cannot be used or stands in a battle already, there is no such side, or spells are counted
                for units that are no casters.
            NotOpen: the battle is over.

        """
        names = parsing.names(units, "unit", MAX_TYPED)

        def work(tx: Connection, campaign: Campaign) -> Deed:
            require_commander(person, campaign, "adding units")
            battle = chosen(tx, campaign.id, named)
            _require_free(store.fought(tx, campaign.id), names)
            _require_room(battle, len(names))
            first = max((item.place for item in battle.roster), default=0) + 1
            side = side_of(battle, given["side"])
            new = [
                _changed(Combatant(name, side, (), None, first + place), {**given, "side": side})
                for place, name in enumerate(names)
            ]
            body = {"deed": "add", "battle": battle.name, "units": [_body(item) for item in new]}
            changes = [Change(battle.header.key, item.key, None, item.value()) for item in new]
            return Deed(body, changes, asides=_shown(tx, person, campaign, names))

        return await self._headquarters.do(person, campaign_id, work)

    async def edit(self, person: Person, campaign_id: int, named: str | None, name: str, given: Given) -> Done:
        """Change the side, the tags or the spells of a unit.

        Raises:
            NotAllowed: the person may not.
            BadInput: there is no such unit or side, nothing would change, or it has spells and is no caster.
            NotOpen: the battle is over.

        """

        def work(tx: Connection, campaign: Campaign) -> Deed:
            require_commander(person, campaign, "changing a unit")
            battle = chosen(tx, campaign.id, named)
            before = _found(battle, name)
            side = side_of(battle, given["side"]) if "side" in given else before.side
            after = _changed(before, {**given, "side": side})
            if after == before:
                raise BadInput(f"Nothing of {before.name} would change.", "Pick what is to be different.")
            body = {"deed": "edit", "battle": battle.name, "before": _body(before), "after": _body(after)}
            return Deed(body, [Change(battle.header.key, before.key, before.value(), after.value())])

        return await self._headquarters.do(person, campaign_id, work)

    async def remove(self, person: Person, campaign_id: int, named: str | None, units: str) -> Done:
        """Take units off the roster, such as those destroyed or off the map, with all that is in force on them.

        Raises:
            NotAllowed: the person may not.
            BadInput: there is no such unit.
            NotOpen: the battle is over.

        """
        names = parsing.names(units, "unit", MAX_TYPED)

        def work(tx: Connection, campaign: Campaign) -> Deed:
            require_commander(person, campaign, "removing units")
            battle = chosen(tx, campaign.id, named)
            gone = [_found(battle, name) for name in names]
            keys = {subject_key(item.name) for item in gone}
            events = [item for item in battle.events if subject_key(item.name) in keys]
            spans = {part.lasts for item in events for part in item.parts} - {PERMANENT}
            off = [Change(battle.header.key, item.key, item.value(), None) for item in gone]
            body = {"deed": "remove", "battle": battle.name, "units": [_body(item) for item in gone]}
            return Deed(body, [*off, *battle.ending(*spans, among=events)])

        return await self._headquarters.do(person, campaign_id, work)


def _shown(tx: Connection, person: Person, campaign: Campaign, names: Sequence[str]) -> list[str]:
    """What a game master should know: a roster, and what befalls its units, shows those that are secret otherwise."""
    if not person.leads(campaign):
        return []
    secret = [item.name for item in profiles.read(tx, campaign.id, names).values() if item.secret]
    verb = "is" if len(secret) == 1 else "are"
    return (
        [f"{listing(secret)} {verb} saved as secret; everybody who plays sees the roster and its events."]
        if secret
        else []
    )


def _require_free(running: Sequence[Battle], names: Sequence[str]) -> None:
    """Refuse names that stand on the roster of a battle that is being fought: what befalls a unit is kept by its name."""
    for battle in running:
        for name in names:
            taken = battle.unit(name)
            if taken is not None:
                raise BadInput(f"{taken.name} stands in {battle.name} already, for {taken.side}.", "Take another name.")


def _require_room(battle: Battle, more: int) -> None:
    if len(battle.roster) + more > MAX_UNITS:
        what = f"{battle.name} has {len(battle.roster)} units; with {more} more there would be over {MAX_UNITS}."
        raise BadInput(what, "Remove those that are destroyed or off the map, with /events unit remove.")


def _found(battle: Battle, name: str) -> Combatant:
    """The unit that is meant.

    Raises:
        BadInput: nobody of this name is on the roster.

    """
    found = battle.unit(name)
    if found is None:
        close = nearest(name[:60], [item.name for item in battle.roster])
        hint = f"Did you mean {close}?" if close else "See /events unit list for those there are."
        raise BadInput(f"There is no unit {name[:60]!r} in {battle.name}.", hint)
    return found


def _changed(item: Combatant, fields: Given) -> Combatant:
    """The unit with other tags or spells; whoever casts no more has no spells to count.

    Raises:
        BadInput: it has spells and is no caster.

    """
    tags = tuple(tag for tag in TAGS if fields.get(tag, tag in item.tags))
    if CASTER not in tags and fields.get("spells") is not None:
        raise BadInput(f"{item.name} has spells, but is no caster.", "Pick caster:True too, or leave spells out.")
    spells = fields.get("spells", item.spells) if CASTER in tags else None
    return replace(item, side=fields["side"], tags=tags, spells=spells)


def _body(item: Combatant) -> dict[str, Any]:
    """A unit as an entry tells of it."""
    return {"name": item.name, "side": item.side, "tags": list(item.tags), "spells": item.spells}
