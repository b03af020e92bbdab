"""`/roe blast`: explosives thrown, held, launched and set off, and zones."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

from discord import ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roe import actors, attacks, fight_messages, fight_view, lasting
from bot.cogs.roe.actors import ActingCharacter
from bot.cogs.roe.attacks import NO_CARD, Metres, TurnForm
from bot.cogs.roe.fight_view import BLAST, BOOK, FIGHTS, THROW_BACK, FightView, RoeAsker
from bot.core import subjects
from bot.core.errors import BadInput, NotAllowed, NotAsItIs, unknown_name
from bot.rolls import answers, desk
from bot.rolls.options import CARD_OR_NOW, Completed, Name
from bot.rolls.request import MAX_PARTS, PartRequest, RollCommand
from bot.ui import parsing
from bot.ui.parsing import option
from bot.ui.reply import Component, ModalForm, ask, component, modal, person, read_submitted, text_field
from bot.ui.text import shorten
from rules.book import Book
from rules.books.roe.catalog import RESISTER
from rules.books.roe.explosives import FUSE, Charge, FightZone, Fuse, read_charge
from rules.books.roe.weapons import damage_sides, find_mode, find_weapon
from rules.subjects import name_key

PRIME, THROW = "turn.prime", "turn.throw-primed"
ENTER, LEAVE, MOVED = "turn.enter-zone", "turn.leave-zone", "roe.zone"
"""Families without dice; with the last one, game masters move others into or out of a zone."""

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


def _suggest_items(tx: Connection, who: ActingCharacter) -> list[str]:
    arms = [arm.name for arm in actors.list_weapons(who) if find_weapon(who.book, arm.token).type.explosive]
    if who.view is None:
        return arms
    fight, viewer = who.view.fight, who.viewer
    burning = [item.charge.item for item in lasting.list_fuses(tx, viewer.campaign, fight, viewer).values()]
    return [*burning, *(item.charge.item for item in lasting.list_zones(tx, viewer, fight).values()), *arms]


def _suggest_fighters(_tx: Connection, who: ActingCharacter) -> list[str]:
    return subjects.label_subjects(who.view.visible_fight.roster if who.view else ())


ItemName = Annotated[str, Completed(partial(attacks.complete_one, _suggest_items))]
Targets = Annotated[str, Completed(partial(attacks.complete_several, _suggest_fighters))]

BlastParts = tuple[str, Sequence[PartRequest], str | None]
"""A family, its parts, and the scene's subject if it must be named."""


class BlastForm(TurnForm):
    """Options of `/roe blast`; the range is in metres."""

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
        return self.use in {"explode", "launch", "sneak", "immediate"}

    @property
    def names(self) -> Sequence[str]:
        """All targets once, the one aimed at first."""
        named = [typed for typed in (self.primary, self.targets) if typed and typed.strip()]
        every = [name for typed in named for name in parsing.split_names(typed, "target", MAX_PARTS)]
        return [*{name_key(name): name for name in reversed(every)}.values()][::-1]


def read_blast(tx: Connection, asker: RoeAsker, typed: BlastForm) -> RollCommand:
    """Read the roll of an explosive or a zone."""
    (item,) = parsing.names(typed.item, "item", 1)
    who, typed = actors.find_acting(tx, asker, typed.character), replace(typed, item=item)
    if typed.use not in WAYS:
        raise BadInput(f"You can't use explosives with {typed.use[:60]!r}.", f"Pick one: {', '.join(WAYS)}.")
    family, parts, scene = WAYS[typed.use](tx, who, typed)
    command = RollCommand(
        asker.channels, (BOOK, family), parts, modifiers=typed.modifiers, note=typed.note, scene=scene
    )
    if typed.roll == "now" and typed.dice is None:  # as for an attack
        attacks.require_no_wait(tx, asker, command)
    return command


def _read_explosion(tx: Connection, view: FightView, name: str, names: Sequence[str] | None) -> BlastParts:
    # Without names, it explodes on those named earlier.
    fuse = lasting.list_fuses(tx, view.campaign, view.fight, view.viewer).get(name)
    if fuse is None:
        raise NotAsItIs("That grenade has already exploded or is gone.", FIGHTS.look)
    if not view.acts_for(fuse.of):
        raise NotAllowed("That grenade isn't yours.", "Only its user's player or a game master can let it explode.")
    user = subjects.get_subjects(tx, view.campaign.id, {fuse.of})[fuse.of]
    near = [*fuse.near] if names is None else [fight_view.find_fighter(view, named).id for named in names]
    caught = dict.fromkeys([*([fuse.of] if fuse.held else []), *near])
    called = {item.id: item.name for item in view.visible_fight.roster}
    alone = actors.make_part(user, {"charge": fuse.charge.as_json, "fuse": name})
    me, ids = alone.subjects, alone.ids
    parts = [
        replace(alone, subjects={**me, RESISTER: called[number]}, ids={**ids, RESISTER: (number,)})
        for number in caught
        if number in called
    ]
    gone = view.fight.combatant(fuse.of) is None
    return fight_view.EXPLODE, parts or [alone], view.fight.header.subject if gone else None


def _use_burning(tx: Connection, who: ActingCharacter, typed: BlastForm) -> BlastParts:
    view = who.require_fight()
    name = _find_burning(lasting.list_fuses(tx, view.campaign, view.fight, who.viewer), typed.item, "grenade")
    if typed.use == "explode":
        return _read_explosion(tx, view, name, None if typed.targets is None else typed.names)
    return THROW_BACK, [actors.make_part(who.actor, {"fuse": name, **_read_thrown(view, typed)})], None


def _throw_or_hold(tx: Connection, who: ActingCharacter, typed: BlastForm) -> BlastParts:
    if typed.use == "throw":
        view = who.require_fight()
        for name, item in lasting.list_fuses(tx, view.campaign, view.fight, who.viewer).items():
            mine = item.held and item.of == who.actor.id
            if mine and name_key(item.charge.item) == name_key(typed.item):
                return THROW, [actors.make_part(who.actor, {"fuse": name, **_read_thrown(view, typed)})], None
    charge = read_charge(who.book, typed.item, typed.damage)
    inputs = {"charge": charge.as_json, "held": typed.use == "cook", **_read_thrown(who.require_fight(), typed)}
    return PRIME, [actors.make_part(who.actor, inputs)], None


def _read_thrown(view: FightView, typed: BlastForm) -> dict[str, Any]:
    return {"near": [fight_view.find_fighter(view, name).id for name in typed.names], "range_m": typed.range}


def _set_off(tx: Connection, who: ActingCharacter, typed: BlastForm) -> BlastParts:
    charge = read_charge(who.book, typed.item, typed.damage)
    if typed.use == "zone" and charge.turns is None:
        raise BadInput("How many turns does the zone last?", "Add the turns to damage: d10, 3 turns.")
    return _make_caught(tx, who, typed, {"charge": charge.as_json})


def _launch(tx: Connection, who: ActingCharacter, typed: BlastForm) -> BlastParts:
    # Launch what is typed, or what the weapon's token says; sneaking needs a direct hit (line 362).
    if typed.use == "sneak" and not typed.primary:
        raise BadInput("A sneak attack with explosives needs a direct hit.", "Name its target as primary.")
    arm = actors.find_carried_weapon(who, typed.item)
    inputs = {"tokens": [arm.token], "names": [arm.name], "mods": [[list(mod) for mod in arm.mods]]}
    return _make_caught(tx, who, typed, {"charge": _find_load(who.book, arm.token, typed).as_json, **inputs})


def _find_load(book: Book, token: str, typed: BlastForm) -> Charge:
    weapon = find_weapon(book, token)
    if typed.damage is not None:
        return read_charge(book, typed.item, typed.damage)
    if not weapon.type.explosive:
        raise BadInput(f"{typed.item} doesn't launch explosives.", "Type what it's loaded with as damage.")
    sides = damage_sides(book, weapon, find_mode(book, weapon), typed.range)
    return Charge(typed.item, f"1d{sides}", kind=weapon.damage_type)


def _make_caught(tx: Connection, who: ActingCharacter, typed: BlastForm, inputs: Mapping[str, Any]) -> BlastParts:
    actors.require_there(tx, who, typed.names)
    aimed = name_key(typed.primary) if typed.primary else None
    aiming = ("aimed", "sneak") if typed.use == "sneak" else ("aimed",)
    every = [{**inputs, **dict.fromkeys(aiming, name_key(name) == aimed)} for name in typed.names]
    parts = [actors.make_part(who.actor, own, name) for own, name in zip(every, typed.names, strict=True)]
    return BLAST, parts or [actors.make_part(who.actor, inputs)], None


def _enter_or_leave(tx: Connection, who: ActingCharacter, typed: BlastForm) -> BlastParts:
    view, out = who.require_fight(), typed.use == "leave"
    name = _find_burning(lasting.list_zones(tx, who.viewer, view.fight), typed.item, "zone")
    if not typed.names:
        return LEAVE if out else ENTER, [actors.make_part(who.actor, {"zone": name, "out": out, "own": True})], None
    moved = [fight_view.find_fighter(view, named) for named in typed.names]
    inputs = {"zone": name, "out": out}
    return MOVED, [actors.make_part(item, inputs) for item in moved], None


def _find_burning(known: Mapping[str, Fuse] | Mapping[str, FightZone], item: str, noun: str) -> str:
    for name, burning in known.items():
        if name_key(burning.charge.item) == name_key(item):
            return name
    called = dict.fromkeys(burning.charge.item for burning in known.values())
    what = f"I can't find a {noun} called {item[:60]!r}."
    raise unknown_name(what, item, [*called], "See /fight show for grenades and zones.")


WAYS: Mapping[str, Callable[[Connection, ActingCharacter, BlastForm], BlastParts]] = {
    **dict.fromkeys(("throw", "cook"), _throw_or_hold),
    **dict.fromkeys(("throw-back", "explode"), _use_burning),
    **dict.fromkeys(("launch", "sneak"), _launch),
    **dict.fromkeys(("immediate", "zone"), _set_off),
    **dict.fromkeys(("enter", "leave"), _enter_or_leave),
}

LIMIT = 4000


@component(fight_messages.EXPLODE)
async def _ask_radius(interaction: Interaction, *, campaign: int, fight: int, fuse: int) -> None:
    command = await _read_fuse_roll(interaction, campaign, fight, fuse)
    names = ", ".join(part.subjects[RESISTER] for part in command.parts if RESISTER in part.subjects)
    key = fight_messages.EXPLODE.fill(campaign=campaign, fight=fight, fuse=fuse)
    form = ui.Modal(title="Who is in the radius?", custom_id=key)
    field = text_field("names", "Names, separated by commas", value=shorten(names, LIMIT), limit=LIMIT, needed=False)
    await ask(interaction, form.add_item(field))


@modal(fight_messages.EXPLODE)
async def _open_explosion(interaction: Interaction, *, campaign: int, fight: int, fuse: int) -> None:
    typed = str(read_submitted(interaction).get("names") or "")
    names = parsing.split_names(typed, "target", MAX_PARTS) if typed.strip() else ()
    await answers.begin(interaction, await _read_fuse_roll(interaction, campaign, fight, fuse, names), at_once=False)


async def _read_fuse_roll(
    interaction: Interaction, campaign: int, fight: int, fuse: int, names: Sequence[str] | None = None
) -> RollCommand:
    bot = interaction.client
    asker = RoeAsker(bot.library, person(interaction), desk.channels(interaction))
    return await bot.database.read(_read_explosion_of, asker, campaign, fight, f"{FUSE}{fuse}", names)


def _read_explosion_of(
    tx: Connection, asker: RoeAsker, campaign_id: int, fight: int, fuse: str, names: Sequence[str] | None
) -> RollCommand:
    view = fight_view.view_meant(tx, asker, campaign_id, fight)
    family, parts, scene = _read_explosion(tx, view, fuse, names)
    return RollCommand(asker.channels, (BOOK, family), parts, campaign=campaign_id, scene=scene)


COMPONENTS: tuple[Component | ModalForm, ...] = (_ask_radius, _open_explosion)
