"""Targets and weapons picked on a turn card. The roll's card follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from discord import ui
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roe import actors, fight_messages, turn_card
from bot.cogs.roe.actors import SNEAK, ActingCharacter
from bot.cogs.roe.attacks import AttackForm, read_attack
from bot.cogs.roe.fight_changes import require_visible_turn
from bot.cogs.roe.fight_view import BOOK, FIGHTS, RoeAsker, view_meant
from bot.cogs.roe.turn_card import TurnMoment, find_asker
from bot.core import scenes, subjects
from bot.core.errors import NotAsItIs, NotOpen
from bot.rolls.answers import open_roll
from bot.rolls.card import layout
from bot.rolls.card.store import CardView
from bot.rolls.resolver import Resolver
from bot.ui import reply
from bot.ui.receipt import picker, pickers, receipt
from bot.ui.text import COLOURS, plain
from rules.books.roe import characters
from rules.books.roe.weapons import find_mode, find_weapon, list_modes

WEAPON = reply.IdTemplate("fight:{campaign:int}:with:{moment:word}:{target:int}:{far:word}:{_place:int}")
DISTANCE = reply.IdTemplate("fight:{campaign:int}:far:{moment:word}:{target:int}")
"""`target` is a number, 0 for none; `far` the metres, or the usual ones."""

USUAL = "usual"
METRES = (1, 2, 3, 5, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 500, 750, 1000)
MAX_VALUE = 100
"""Characters of an option's value."""


class SeenFighter(Struct, frozen=True):
    """Who has the turn that a press is about."""

    resolver: Resolver
    asker: RoeAsker
    campaign: int
    moment: TurnMoment
    who: ActingCharacter

    @property
    def name(self) -> str:
        """The fighter, as it is typed."""
        return subjects.label_subject(self.who.actor)

    def label_target(self, tx: Connection, target: int) -> str:
        """Return a target as typed; refuse an unseen one."""
        there: list[subjects.Numbered] = [*self.who.others, *actors.list_things(tx, self.who)]
        found = next((item for item in there if item.id == target), None)
        if found is None:
            raise NotAsItIs("That target isn't in this fight any more.", FIGHTS.members)
        return subjects.label_subject(found)


class ChoicePage(Struct, frozen=True):
    """A question with its selects."""

    title: str
    line: str
    selects: Sequence[ui.Select[ui.LayoutView]]


T = TypeVar("T")
ReadSeen = Callable[[Connection, SeenFighter], T]


def _look(
    tx: Connection, read: ReadSeen[T], resolver: Resolver, asker: RoeAsker, campaign: int, moment: TurnMoment
) -> T:
    view = view_meant(tx, asker, campaign, moment.fight)
    scenes.require_turn(view.visible_fight, moment.scene_turn, FIGHTS)
    require_visible_turn(view)
    book = resolver.library.book(tx, view.campaign, BOOK)
    turn_card.require_left(tx, resolver, view, book, moment.left)
    who = actors.make_acting(tx, view.viewer, book, view.people[moment.now], view)
    return read(tx, SeenFighter(resolver, asker, campaign, moment, who))


async def read_turn(interaction: Interaction, campaign: int, moment: str, read: ReadSeen[T]) -> T:
    """Read something about a press's turn, unless it has changed."""
    bot, asker = interaction.client, find_asker(interaction)
    return await bot.database.read(_look, read, bot.resolver, asker, campaign, TurnMoment.read(moment))


async def ask_next(interaction: Interaction, campaign: int, moment: str, page: ChoicePage) -> None:
    """Show a question instead of the pressed message."""
    if not page.selects:
        raise NotAsItIs(f"{page.title} There's nothing to pick.", "See /fight turn.")
    back = fight_messages.CARD.fill(campaign=campaign, fight=TurnMoment.read(moment).fight)
    buttons: list[ui.Button[ui.LayoutView]] = [ui.Button(label="Back to the turn", custom_id=back)]
    view = receipt(plain(page.title), [page.line], COLOURS["neutral"], buttons, page.selects)
    await reply.redraw(interaction, view)


def read_one(interaction: Interaction) -> str:
    """Return the picked value; empty if none."""
    return next(iter(reply.read_picked(interaction)), "")


@reply.component(fight_messages.TARGET)
async def _pick_target(interaction: Interaction, *, campaign: int, moment: str, _place: int) -> None:
    target = reply.number(read_one(interaction))
    await ask_next(
        interaction,
        campaign,
        moment,
        await read_turn(interaction, campaign, moment, partial(_ask_weapon, target=target)),
    )


@reply.component(DISTANCE)
async def _pick_distance(interaction: Interaction, *, campaign: int, moment: str, target: int) -> None:
    ask = partial(_ask_weapon, target=target, far=read_one(interaction))
    await ask_next(interaction, campaign, moment, await read_turn(interaction, campaign, moment, ask))


def _ask_weapon(tx: Connection, seen: SeenFighter, target: int, far: str = USUAL) -> ChoicePage:
    named, metres = seen.label_target(tx, target), _read_metres(far)
    ids = {"campaign": seen.campaign, "moment": seen.moment.word, "target": target}
    ways = {row[0]: row for row in _list_ways(tx, seen)}  # Discord refuses a value twice
    rows = sorted(ways.values(), key=lambda row: bool(row[2]))
    distance = f"{far} m" if metres else "the usual: 10 m, or 1 in melee"
    shown = [(str(each), f"{each} m", "") for each in METRES]
    selects = [*pickers(partial(WEAPON.fill, **ids, far=far), "With …", rows)]
    selects += picker(DISTANCE.fill(**ids), f"Distance: {distance}", shown) if selects else []
    line = "-# Pick a weapon to see the odds. Several targets or two weapons: `/roe attack`."
    shown_as = {value: label for value, label, _ in turn_card.list_targets(tx, seen.who)}
    return ChoicePage(f"{seen.who.actor.name} attacks {shown_as.get(str(target), named)}", line, selects)


def _list_ways(tx: Connection, seen: SeenFighter) -> Iterator[tuple[str, str, str]]:
    who, book = seen.who, seen.who.book
    fighter = who.require_fight().visible_fight.combatant(who.actor.id)
    marks = fighter.marks if fighter else {}
    sneaks = "actor.set-up" in actors.preview_actor(tx, seen.resolver, who).facts
    for arm in actors.list_weapons(who):
        if characters.is_gone(marks, arm.name) or len(arm.id) > MAX_VALUE // 2:
            continue
        weapon, readiness = find_weapon(book, arm.token), characters.read_readiness(marks, arm.name)
        about = f"Not ready: {turn_card.describe_debt(readiness)}" if readiness.owes else ""
        first = find_mode(book, weapon, None).id
        yield f"{arm.id}:", arm.name, about
        ways = [*(mode for mode in list_modes(book, weapon) if mode != first), *actors.list_choosable_traits(weapon)]
        for way in [*ways, *([SNEAK] if sneaks else [])]:
            yield f"{arm.id}:{way}", f"{arm.name}: {way}", about


def _read_metres(far: str) -> float | None:
    if far == USUAL:
        return None
    if reply.number(far) not in METRES:
        raise NotOpen(*reply.STALE)
    return reply.number(far)


@reply.component(WEAPON)
async def _pick_weapon(
    interaction: Interaction, *, campaign: int, moment: str, target: int, far: str, _place: int
) -> None:
    arm, colon, fire = read_one(interaction).rpartition(":")
    if not colon:
        raise NotOpen(*reply.STALE)
    bot, asker, at = interaction.client, find_asker(interaction), TurnMoment.read(moment)
    attack = partial(_open_attack, target=target, arm=arm, fire=fire or None, metres=_read_metres(far))
    card = await bot.database.write(_look, attack, bot.resolver, asker, campaign, at)
    await reply.say(interaction, view=layout.draw(card, 0))


def _open_attack(
    tx: Connection, seen: SeenFighter, *, target: int, arm: str, fire: str | None, metres: float | None
) -> CardView:
    named = seen.label_target(tx, target)
    form = AttackForm(target=named, weapon=arm, fire=fire, range=metres, character=seen.name)
    command = replace(read_attack(tx, seen.asker, form), campaign=seen.campaign)
    return open_roll(tx, seen.resolver, seen.asker.person, command)


COMPONENTS: tuple[reply.Component, ...] = (_pick_target, _pick_distance, _pick_weapon)
