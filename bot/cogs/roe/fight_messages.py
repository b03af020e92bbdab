"""Messages about fights: buttons, a fight as it is now, and the fights that wait for somebody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, starmap

import discord
from discord import ButtonStyle, ui
from sqlalchemy import Connection

from bot.cogs.roe.fight_entries import PROPOSED, describe_choosing, describe_fight
from bot.cogs.roe.fight_view import BOOK, FIGHTS, FightView, view_fight
from bot.core import profiles, scenes
from bot.core.campaigns import Campaign
from bot.core.encoding import Json
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.records import Entry
from bot.core.visibility import Viewer
from bot.outbox.queue import Buttons
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.ui.colours import COLOURS
from bot.ui.components import IdTemplate
from bot.ui.parsing import MAX_CHOICE
from bot.ui.receipt import receipt
from bot.ui.text import DOT, fit_lines, listing, plain, shorten
from bot.ui.todo import FEW, Item, Todo, few
from rules.books.roe import fights
from rules.books.roe.catalog import ACTOR
from rules.books.roe.explosives import FUSE, Fuse
from rules.books.roe.fights import FIGHT, Fight
from rules.phrases import inside
from rules.scenes import Participant

CHOOSE = IdTemplate("fight:{campaign:int}:choose:{fight:int}:{mode:word}")
TURN = IdTemplate("fight:{campaign:int}:turn:{fight:int}:{turn:int}:{now:int}")
WHY_NOT = IdTemplate("fight:{campaign:int}:why:{fight:int}")
SURE = IdTemplate("fight:{campaign:int}:sure:{fight:int}:{turn:int}:{now:int}")
CARD = IdTemplate("fight:{campaign:int}:card:{fight:int}")
ACT = IdTemplate("fight:{campaign:int}:act:{fight:int}:{turn:int}:{now:int}:{left:int}")
TYPED = IdTemplate("fight:{campaign:int}:typed:{fight:int}:{turn:int}:{now:int}:{left:int}:{act:rest}")
END = IdTemplate("fight:{campaign:int}:end:{fight:int}")
VOTE = IdTemplate("fight:{campaign:int}:vote:{fight:int}:{proposed:int}:{word:word}")
COME = IdTemplate("fight:{campaign:int}:come:{fight:int}:{who:int}")
EXPLODE = IdTemplate("fight:{campaign:int}:explode:{fight:int}:{fuse:int}")
"""The ids of buttons and windows. A fight is named by the entry that began it, a turn by its round and whose it is (`now`).

`left` is how much of that was left when it was seen, `proposed` the entry of a proposal, `fuse` a grenade by its number.
"""

SAYS = {"yes": "Agree", "no": "Refuse"}
MOST_DUE = 3
"""How many grenades have buttons under one post; further ones explode by their command."""

MODES = (("Dice", "dice"), ("Free-form", "freeform"))
BLUE, GREEN, GREY, RED = (
    style.value for style in (ButtonStyle.primary, ButtonStyle.success, ButtonStyle.secondary, ButtonStyle.danger)
)


def offer_modes(campaign_id: int, fight: int) -> Buttons:
    """Return what the defender can choose."""
    key = {"campaign": campaign_id, "fight": fight}
    return [(label, CHOOSE.fill(**key, mode=mode), GREEN) for label, mode in MODES]


def offer_votes(campaign_id: int, fight: int, proposed: int) -> Buttons:
    """Return what can be said to what an entry has proposed."""
    key = {"campaign": campaign_id, "fight": fight, "proposed": proposed}
    return [(label, VOTE.fill(**key, word=word), GREEN if word == "yes" else GREY) for word, label in SAYS.items()]


def offer_coming(campaign_id: int, fight: int, called: Mapping[int, str]) -> Buttons:
    """Return what lets those come who were called, by their names."""
    key = {"campaign": campaign_id, "fight": fight}
    return [(shorten(f"Come: {name}", 60), COME.fill(**key, who=number), GREEN) for number, name in called.items()]


def offer_turn(campaign_id: int, fight: Fight) -> Buttons:
    """Return what shows the turn of now and what ends it; nothing while there is none."""
    header, now = fight.header, fight.now
    if header.mode is None or not isinstance(now, int):
        return []
    return offer_seen_turn(campaign_id, header.entry, header.turn, now)


def offer_seen_turn(campaign_id: int, fight: int, turn: int, now: int) -> Buttons:
    """Return what shows the turn of now in a fight, and what ends the turn that was seen: whose (number), in which round."""
    key = {"campaign": campaign_id, "fight": fight}
    return [("Show turn", CARD.fill(**key), BLUE), ("End turn", TURN.fill(**key, turn=turn, now=now), GREY)]


IN_TURN = "in_turn"
"""What the body of a roll has that was made by whoever had the turn: the round, and who (a number)."""


def note_fight(tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Return, for the body of a roll in a fight, the entry that began that, and the turn in which whoever has it acts."""
    scene = made.moment.scene or ""
    found = scenes.find_scenes(tx, made.campaign.id, FIGHTS, [scene]) if scene.startswith(f"{FIGHT}:") else ()
    for fight in found:
        body: dict[str, Json] = {FIGHT: fight.header.entry}
        actors = {number for part in made.request.parts for number in part.ids.get(ACTOR, ())}
        return ExtraChanges(body={**body, IN_TURN: [fight.header.turn, fight.now]} if fight.now in actors else body)
    return ExtraChanges()


def offer_next_turn(_person: Person, campaign: Campaign, entry: Entry) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield the buttons that show the turn of now and end it, under the result of a roll in a fight."""
    body = entry.content()
    if FIGHT in body:
        both = offer_seen_turn(campaign.id, body[FIGHT], *body.get(IN_TURN, (0, 0)))
        for label, key, style in both if IN_TURN in body else both[:1]:
            yield ui.Button(label=label, custom_id=key, style=ButtonStyle(style))


def offer_ending_anyway(campaign_id: int, fight: Fight) -> Buttons:
    """Return what ends the turn of now although something of it is unspent, and what shows it."""
    header = fight.header
    seen = {"campaign": campaign_id, "fight": header.entry}
    key = SURE.fill(**seen, turn=header.turn, now=fight.now)
    return [("End turn anyway", key, RED), ("Show turn", CARD.fill(**seen), GREY)]


def offer_explosions(campaign_id: int, fight: Fight, due: Mapping[str, Fuse]) -> Buttons:
    """Return what lets grenades explode with the turn of now."""
    key = {"campaign": campaign_id, "fight": fight.header.entry}
    first = [(item.charge.item, int(name.removeprefix(FUSE))) for name, item in due.items()][:MOST_DUE]
    return [(shorten(f"Explode: {item}", 60), EXPLODE.fill(**key, fuse=number), RED) for item, number in first]


ROOM_FOR_FIGHT = 3700
"""Characters of a fight as it is now, under Discord's 4,000 in all."""


def show_fight(
    seen: FightView, waits: str | None, more: Sequence[str] = (), extra: Sequence[ui.Button[ui.LayoutView]] = ()
) -> ui.LayoutView:
    """Return a fight as it is now for whoever looks at it, with what they can do in it; `more` and `extra` come last.

    What `waits` for answers of others is shown instead of the button that ends the turn.
    """
    shown = seen.shown
    more = [*more, *([plain(waits)] if waits else [])]
    stands = [*describe_fight(shown, describe_choice(seen), seen.people.keys() - seen.open)]
    lines = [*fit_lines(ROOM_FOR_FIGHT - sum(len(line) + 1 for line in more), stands), *more]
    return receipt(plain(shown.name), lines, COLOURS["neutral"], [*make_steps(seen, waits=waits is not None), *extra])


def ask_unspent(seen: FightView, left: list[str]) -> ui.LayoutView:
    """Return the question whether a turn ends with so much of it unspent."""
    now = seen.shown.combatant(int(seen.shown.now or 0))
    offered = offer_ending_anyway(seen.campaign.id, seen.shown)
    pressed = [
        ui.Button[ui.LayoutView](label=label, custom_id=key, style=discord.ButtonStyle(style))
        for label, key, style in offered
    ]
    title = f"End {plain(now.name)}'s turn?" if now else "End the turn?"
    return receipt(title, [f"Still unused: {listing(left)}."], COLOURS["neutral"], pressed)


def describe_choice(seen: FightView) -> str | None:
    """Return who has still to say how a fight is settled, as a line; None where that is said."""
    shown = seen.shown
    defender = shown.combatant(shown.header.defender)
    return describe_choosing(defender.name if defender else None) if shown.header.mode is None else None


def offer_answers(seen: FightView) -> Buttons:
    """Return what a fight asks of whoever looks at it: how it is settled, or whether they agree to what is proposed."""
    header, campaign = seen.fight.header, seen.campaign
    if header.mode is None and seen.acts_for(header.defender):
        return offer_modes(campaign.id, header.entry)
    if header.votes is not None and (not {*seen.votes} <= {*header.votes.yes} or seen.decides):
        return offer_votes(campaign.id, header.entry, header.votes.entry)
    return ()


def make_steps(
    seen: FightView, due: Mapping[str, Fuse] | None = None, *, waits: bool = False
) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield what whoever looks at a fight can do in it now; `due` are the grenades that explode with the turn.

    The turn is not ended while something of it `waits` for others' answers.
    """
    shown = seen.shown
    mine = not waits and isinstance(shown.now, int) and seen.acts_for(shown.now)
    own = {name: item for name, item in (due or {}).items() if seen.acts_for(item.of)}
    exploding = offer_explosions(seen.campaign.id, shown, own)
    for label, key, style in (*(offer_turn(seen.campaign.id, shown) if mine else ()), *exploding, *offer_answers(seen)):
        yield ui.Button(label=label, custom_id=key, style=discord.ButtonStyle(style))


MOST_COMING = 2
"""How many have a button each who were called into one fight; further ones come by the call's own, or by `/fight join`."""
MAX_LABEL = 80
"""The characters of a button's label."""


def list_waiting_fights(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield the fights that wait for the viewer's choice or answer; for game masters all that wait for anybody's."""
    campaign = viewer.campaign
    if BOOK not in campaign.books:
        return
    fights = [view_fight(tx, viewer, item) for item in scenes.list_running(tx, campaign.id, FIGHTS)]
    waiting = [(item, _list_called(tx, item)) for item in fights]
    found = [
        (item, called)
        for item, called in waiting
        if called or offer_answers(item) or (item.leads and _is_waiting(item))
    ]
    if found:
        lines = few(starmap(_describe_waiting, found), len(found), "/fight show")
        yield Todo("Fights waiting", lines, [row for each in found[:FEW] if (row := _make_row(*each))])


def _list_called(tx: Connection, seen: FightView) -> list[Profile]:
    """Return who was called into a fight and has not said yet that they come: the viewer's own, for game masters all, by callers they know of."""
    numbers = fights.list_called(seen.shown)
    people = profiles.read_profiles(tx, seen.campaign.id, numbers) if numbers else {}
    return [item for item in people.values() if seen.leads or seen.viewer.owns(item)]


def _is_waiting(seen: FightView) -> bool:
    """Return whether a fight waits for anybody: for a choice, for an answer, or for a turn of which the others do not know."""
    return seen.fight.header.mode is None or seen.fight.header.votes is not None or _find_secret_turn(seen) is not None


def _find_secret_turn(seen: FightView) -> Participant | None:
    """Return who has a turn of which only game masters know."""
    return next((item for item in seen.fight.roster if item.id == seen.fight.now and item.id not in seen.open), None)


def _describe_waiting(seen: FightView, called: Sequence[Profile]) -> str:
    header, hidden = seen.fight.header, _find_secret_turn(seen) if seen.leads else None
    words = [f"**{plain(header.name)}**{f' in <#{header.channel}>' if header.channel else ''}"]
    words += ["the defender chooses dice or free-form"] if header.mode is None else []
    words += [f"vote: {inside(PROPOSED[header.votes.aim])}?"] if header.votes else []
    words += [f"it's **{plain(hidden.name)}**'s turn (hidden from players)"] if header.mode and hidden else []
    words += [f"called for aid, waiting for Come: {listing([plain(item.name) for item in called])}"] if called else []
    return DOT.join(words)


def _make_row(seen: FightView, called: Sequence[Profile]) -> list[Item]:
    name, header = shorten(seen.fight.name, MAX_CHOICE // 2), seen.fight.header
    says = {item.id: item.name for item in called if seen.viewer.owns(item) or item.owner is None}
    comings = offer_coming(seen.campaign.id, header.entry, dict(islice(says.items(), MOST_COMING)))
    return [
        ui.Button(label=shorten(f"{label}: {name}", MAX_LABEL), custom_id=key, style=ButtonStyle(style))
        for label, key, style in (*offer_answers(seen), *comings)
    ]
