"""`/roe blast`: explosives thrown, held, launched and set off, and zones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from discord import ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roe import fight_messages
from bot.cogs.roe.actors import (
    BLAST,
    EXPLODE,
    THROW_BACK,
    ActingCharacter,
    find_acting,
    find_carried_weapon,
    list_weapons,
    make_part,
    require_there,
)
from bot.cogs.roe.dodges import require_no_wait
from bot.cogs.roe.fight_view import BOOK, FIGHTS, FightView, find_fighter, view_meant
from bot.cogs.roe.options import NO_CARD, Metres, TurnForm, read_acting
from bot.cogs.roe.waiting import list_fuses, list_zones
from bot.core import subjects
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.subjects import label_subjects
from bot.core.visibility import Viewer
from bot.errors import BadInput, NotAllowed, NotAsItIs, unknown_name
from bot.rolls.answers import begin
from bot.rolls.desk import channels
from bot.rolls.options import CARD_OR_NOW, Completed, Completion, Completions, Name, complete_last, filter_labels
from bot.rolls.request import MAX_PARTS, PartRequest, RollCommand
from bot.ui import parsing
from bot.ui.components import Component, ModalForm, component, modal
from bot.ui.form import option
from bot.ui.reply import ask, person, read_submitted, text_field
from bot.ui.text import shorten
from rules.book import Book
from rules.books.roe.catalog import ACTOR, RESISTER
from rules.books.roe.explosives import FUSE, Charge, FightZone, Fuse, read_charge
from rules.books.roe.weapons import damage_sides, find_mode, find_weapon
from rules.subjects import name_key

PRIME, THROW = "turn.prime", "turn.throw-primed"
ENTER, LEAVE, MOVED = "turn.enter-zone", "turn.leave-zone", "roe.zone"
"""The roll families of uses without dice; the last is for whoever is moved into a zone or out of it, by game masters."""

USES = {
    "throw": "throw: a grenade, primed now or held",
    "cook": "cook: primed and held in the hand",
    "throw-back": "throw back: a grenade that lies there",
    "explode": "explode: a grenade that is due",
    "launch": "launch: with a weapon, explodes at once",
    "sneak": "sneak attack: launched at primary",
    "immediate": "set off at once",
    "zone": "zone: lay one",
    "enter": "enter a zone",
    "leave": "leave a zone",
}
"""What can be done, in words."""


async def _complete_item(at: Completion, current: str) -> Completions:
    """Offer grenades whose fuse burns, zones that last, and the launchers of whoever acts."""
    return [*filter_labels(current, dict.fromkeys(await read_acting(at, _suggest_items)))]


async def _complete_fighters(at: Completion, current: str) -> Completions:
    return complete_last(current, await read_acting(at, _suggest_fighters))


ItemName = Annotated[str, Completed(_complete_item)]
Targets = Annotated[str, Completed(_complete_fighters)]


def _suggest_items(tx: Connection, who: ActingCharacter) -> list[str]:
    arms = [arm.name for arm in list_weapons(who) if find_weapon(who.book, arm.token).type.explosive]
    if who.seen is None:
        return arms
    fight, viewer = who.seen.fight, who.viewer
    burning = [item.charge.item for item in list_fuses(tx, viewer.campaign, fight, viewer).values()]
    return [*burning, *(item.charge.item for item in list_zones(tx, viewer, fight).values()), *arms]


def _suggest_fighters(_tx: Connection, who: ActingCharacter) -> list[str]:
    return label_subjects(who.seen.shown.roster if who.seen else ())


DICE = ("explode", "launch", "sneak", "immediate")
"""The uses that throw dice."""


BlastParts = tuple[str, Sequence[PartRequest], str | None]
"""A roll family, its parts, and the scene (its subject) where it happens, if that has to be said."""


class BlastForm(TurnForm):
    """The options of `/roe blast`; the range is in metres."""

    family = (BOOK, BLAST)
    item: ItemName = option("A grenade, one of the character's launchers, or a zone")
    use: str = option("What to do with it", choices=USES)
    targets: Targets | None = option(
        "Who is in the radius, separated by commas. You can change it before it explodes", default=None
    )
    primary: Targets | None = option("The target you aim at, which is attacked with accuracy", default=None)
    range: Metres | None = option("Distance in metres", default=None)
    damage: str | None = option("Damage, type and effects: 2d10+5, stun. For a zone also: 3 turns", default=None)
    character: Name | None = option("Who acts. Default: who has the turn", default=None)
    roll: str | None = option(NO_CARD, default=None, choices=CARD_OR_NOW)

    @property
    def throws(self) -> bool:
        """Whether it throws dice."""
        return self.use in DICE

    @property
    def names(self) -> Sequence[str]:
        """Who is named, at whom it is aimed first, each once."""
        named = [typed for typed in (self.primary, self.targets) if typed and typed.strip()]
        every = [name for typed in named for name in parsing.split_names(typed, "target", MAX_PARTS)]
        return [*{name_key(name): name for name in reversed(every)}.values()][::-1]


def read_blast(
    tx: Connection, library: Library, person: Person, channels: Sequence[int], typed: BlastForm
) -> RollCommand:
    """Return the roll of an explosion, or of what is done with a grenade or a zone."""
    (item,) = parsing.names(typed.item, "item", 1)
    who, typed = find_acting(tx, library, person, channels, typed.character), replace(typed, item=item)
    if typed.use not in WAYS:
        raise BadInput(f"You can't use explosives with {typed.use[:60]!r}.", f"Pick one: {', '.join(WAYS)}.")
    family, parts, scene = WAYS[typed.use](tx, who, typed)
    command = RollCommand(
        channels, (BOOK, family), parts, modifiers=typed.modifiers, note=typed.note, here=None, scene=scene
    )
    if typed.asks_first:
        require_no_wait(tx, library, person, command)
    return command


def read_explosion(
    tx: Connection, viewer: Viewer, seen: FightView, name: str, names: Sequence[str] | None
) -> BlastParts:
    """Return the roll of a grenade (its name in the fight) that explodes on those who are named; those of before where nobody says."""
    fuse = list_fuses(tx, viewer.campaign, seen.fight, viewer).get(name)
    if fuse is None:
        raise NotAsItIs("That grenade has already exploded or is gone.", FIGHTS.look)
    if not seen.acts_for(fuse.of):
        raise NotAllowed("That grenade isn't yours.", "Only its user's player or a game master can let it explode.")
    user = subjects.get_subjects(tx, viewer.campaign.id, {fuse.of})[fuse.of]
    near = [*fuse.near] if names is None else [find_fighter(seen, named).id for named in names]
    caught = dict.fromkeys([*([fuse.of] if fuse.held else []), *near])
    called = {item.id: item.name for item in seen.shown.roster if item.id in caught}
    inputs = {"charge": fuse.charge.told, "fuse": name}
    parts = [
        PartRequest(
            subjects={ACTOR: user.name, RESISTER: called[number]},
            ids={ACTOR: (fuse.of,), RESISTER: (number,)},
            inputs=inputs,
        )
        for number in caught
        if number in called
    ]
    alone = PartRequest(subjects={ACTOR: user.name}, ids={ACTOR: (fuse.of,)}, inputs=inputs)
    gone = seen.fight.combatant(fuse.of) is None
    return EXPLODE, parts or [alone], seen.fight.header.subject if gone else None


def _explode(tx: Connection, who: ActingCharacter, typed: BlastForm) -> BlastParts:
    seen, name = _find_grenade(tx, who, typed)
    return read_explosion(tx, who.viewer, seen, name, None if typed.targets is None else typed.names)


def _find_grenade(tx: Connection, who: ActingCharacter, typed: BlastForm) -> tuple[FightView, str]:
    seen = who.require_fight()
    return seen, _find_burning(list_fuses(tx, seen.campaign, seen.fight, who.viewer), typed.item, "grenade")


def _throw(tx: Connection, who: ActingCharacter, typed: BlastForm) -> BlastParts:
    """Return what throws a grenade: one that is held, or one that is primed with it."""
    seen = who.require_fight()
    burns = list_fuses(tx, seen.campaign, seen.fight, who.viewer)
    held = {name: item for name, item in burns.items() if item.held and item.of == who.actor.id}
    for name, item in held.items():
        if name_key(item.charge.item) == name_key(typed.item):
            return THROW, [make_part(who.actor, {"fuse": name, **_read_thrown(seen, typed)})], None
    return _make_primed(who, typed, held=False)


def _cook(_tx: Connection, who: ActingCharacter, typed: BlastForm) -> BlastParts:
    return _make_primed(who, typed, held=True)


def _throw_back(tx: Connection, who: ActingCharacter, typed: BlastForm) -> BlastParts:
    seen, name = _find_grenade(tx, who, typed)
    return THROW_BACK, [make_part(who.actor, {"fuse": name, **_read_thrown(seen, typed)})], None


def _make_primed(who: ActingCharacter, typed: BlastForm, *, held: bool) -> BlastParts:
    charge = read_charge(who.book, typed.item, typed.damage)
    inputs = {"charge": charge.told, "held": held, **_read_thrown(who.require_fight(), typed)}
    return PRIME, [make_part(who.actor, inputs)], None


def _read_thrown(seen: FightView, typed: BlastForm) -> dict[str, Any]:
    return {"near": [find_fighter(seen, name).id for name in typed.names], "range_m": typed.range}


def _immediate(tx: Connection, who: ActingCharacter, typed: BlastForm) -> BlastParts:
    return _make_caught(tx, who, typed, {"charge": read_charge(who.book, typed.item, typed.damage).told})


def _zone(tx: Connection, who: ActingCharacter, typed: BlastForm) -> BlastParts:
    charge = read_charge(who.book, typed.item, typed.damage)
    if charge.turns is None:
        raise BadInput("How many turns does the zone last?", "Add the turns to damage: d10, 3 turns.")
    return _make_caught(tx, who, typed, {"charge": charge.told})


def _launch(tx: Connection, who: ActingCharacter, typed: BlastForm) -> BlastParts:
    """Return what a weapon launches: what is said, or what an explosive weapon does by its token; to sneak counts for a direct hit (line 362)."""
    if typed.use == "sneak" and not typed.primary:
        raise BadInput("A sneak attack with explosives needs a direct hit.", "Name its target as primary.")
    arm = find_carried_weapon(who, typed.item)
    inputs = {"tokens": [arm.token], "names": [arm.name], "mods": [[list(mod) for mod in arm.mods]]}
    return _make_caught(tx, who, typed, {"charge": _find_load(who.book, arm.token, typed).told, **inputs})


def _find_load(book: Book, token: str, typed: BlastForm) -> Charge:
    weapon = find_weapon(book, token)
    if typed.damage is not None:
        return read_charge(book, typed.item, typed.damage)
    if not weapon.type.explosive:
        raise BadInput(f"{typed.item} doesn't launch explosives.", "Type what it's loaded with as damage.")
    sides = damage_sides(book, weapon, find_mode(book, weapon), typed.range)
    return Charge(typed.item, f"1d{sides}", kind=weapon.damage_type)


def _make_caught(tx: Connection, who: ActingCharacter, typed: BlastForm, inputs: Mapping[str, Any]) -> BlastParts:
    """Return a part for each who is named; the one aimed at is attacked with accuracy."""
    require_there(tx, who, typed.names)
    aimed = name_key(typed.primary) if typed.primary else None
    aiming = ("aimed", "sneak") if typed.use == "sneak" else ("aimed",)
    every = [{**inputs, **dict.fromkeys(aiming, name_key(name) == aimed)} for name in typed.names]
    parts = [make_part(who.actor, own, name) for own, name in zip(every, typed.names, strict=True)]
    return BLAST, parts or [make_part(who.actor, inputs)], None


def _step(tx: Connection, who: ActingCharacter, typed: BlastForm) -> BlastParts:
    """Return what goes into a zone or out of it: whoever acts, or who is moved there, by game masters."""
    seen, out = who.require_fight(), typed.use == "leave"
    name = _find_burning(list_zones(tx, who.viewer, seen.fight), typed.item, "zone")
    if not typed.names:
        return LEAVE if out else ENTER, [make_part(who.actor, {"zone": name, "out": out, "own": True})], None
    moved = [find_fighter(seen, named) for named in typed.names]
    inputs = {"zone": name, "out": out}
    return MOVED, [make_part(item, inputs) for item in moved], None


def _find_burning(known: Mapping[str, Fuse] | Mapping[str, FightZone], item: str, noun: str) -> str:
    """Return the name in the fight of the grenade or zone that is meant."""
    for name, burning in known.items():
        if name_key(burning.charge.item) == name_key(item):
            return name
    called = dict.fromkeys(burning.charge.item for burning in known.values())
    raise unknown_name(
        f"I can't find a {noun} called {item[:60]!r}.", item, [*called], "See /fight show for grenades and zones."
    )


WAYS: Mapping[str, Callable[[Connection, ActingCharacter, BlastForm], BlastParts]] = {
    "throw": _throw,
    "cook": _cook,
    "throw-back": _throw_back,
    "explode": _explode,
    "launch": _launch,
    "sneak": _launch,
    "immediate": _immediate,
    "zone": _zone,
    "enter": _step,
    "leave": _step,
}


LIMIT = 4000
"""The characters that Discord takes in one text field: the names of all who can stand in a fight."""


@component(fight_messages.EXPLODE)
async def ask_radius(interaction: Interaction, *, campaign: int, fight: int, fuse: int) -> None:
    """Ask who stands in the radius of a grenade: those who were named before, unless it is said otherwise."""
    bot, key = interaction.client, {"campaign": campaign, "fight": fight, "fuse": fuse}
    asked = (bot.library, person(interaction), channels(interaction), campaign, fight, fuse)
    command = await bot.database.read(_read_button, *asked)
    names = ", ".join(part.subjects[RESISTER] for part in command.parts if RESISTER in part.subjects)
    form = ui.Modal(title="Who is in the radius?", custom_id=fight_messages.EXPLODE.fill(**key))
    field = text_field("names", "Names, separated by commas", value=shorten(names, LIMIT), limit=LIMIT, needed=False)
    await ask(interaction, form.add_item(field))


@modal(fight_messages.EXPLODE)
async def explode(interaction: Interaction, *, campaign: int, fight: int, fuse: int) -> None:
    """Open the card of a grenade that explodes."""
    bot, typed = interaction.client, str(read_submitted(interaction).get("names") or "")
    names = parsing.split_names(typed, "target", MAX_PARTS) if typed.strip() else ()
    asked = (bot.library, person(interaction), channels(interaction), campaign, fight, fuse, names)
    await begin(interaction, await bot.database.read(_read_button, *asked), at_once=False)


def _read_button(
    tx: Connection,
    library: Library,
    by: Person,
    where: Sequence[int],
    campaign_id: int,
    fight: int,
    fuse: int,
    names: Sequence[str] | None = None,
) -> RollCommand:
    seen = view_meant(tx, library, by, campaign_id, fight)
    family, parts, scene = read_explosion(tx, seen.viewer, seen, f"{FUSE}{fuse}", names)
    return RollCommand(where, (BOOK, family), parts, campaign=campaign_id, scene=scene)


COMPONENTS: tuple[Component, ...] = (ask_radius,)
MODALS: tuple[ModalForm, ...] = (explode,)
