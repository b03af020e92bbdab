"""Messages about fights: buttons, a fight now, and fights that wait."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import starmap

from discord import ButtonStyle, ui
from sqlalchemy import Connection

from bot.cogs.roe import fight_entries
from bot.cogs.roe.fight_view import BOOK, FIGHTS, FightView, view_fight
from bot.core import profiles, scenes
from bot.core.campaigns import Campaign
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.records import Entry, Json
from bot.core.visibility import Viewer
from bot.outbox.queue import Buttons
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.ui import parsing
from bot.ui.receipt import FEW, Item, Todo, few, receipt
from bot.ui.reply import IdTemplate
from bot.ui.text import COLOURS, DOT, fit_lines, join_words, plain, shorten
from rules.books.roe import explosives, fights
from rules.books.roe.catalog import ACTOR
from rules.phrases import lower_first
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
TARGET = IdTemplate("fight:{campaign:int}:target:{moment:word}:{_place:int}")
ACT_ON = IdTemplate("fight:{campaign:int}:on:{moment:word}:{_place:int}")
SPOILS = IdTemplate("fight:{campaign:int}:spoils:{moment:word}")
PROPOSE = IdTemplate("fight:{campaign:int}:propose:{fight:int}:{aim:word}")
ORDER = IdTemplate("fight:{campaign:int}:order:{fight:int}")
EXPLODE = IdTemplate("fight:{campaign:int}:explode:{fight:int}:{fuse:int}")
"""Ids of buttons and windows. `fight` is the entry that began it; `turn` and `now` are round and fighter.

`left` is what was left of the turn, `moment` all four as one word, `proposed` the proposal's entry, `fuse` a grenade's number.
"""

SAYS = {"yes": "Agree", "no": "Refuse"}
MOST_DUE = 3
"""How many grenades get buttons; the others explode by command."""

AIMS = {"dice": "Use dice", "freeform": "Go free-form", "lock": "Lock", "open": "Unlock"}

BLUE, GREEN, GREY, RED = (ButtonStyle[name].value for name in ("primary", "success", "secondary", "danger"))


def offer_modes(campaign_id: int, fight: int) -> Buttons:
    """Offer dice and free-form."""
    key = {"campaign": campaign_id, "fight": fight}
    modes = {"dice": "Dice", "freeform": "Free-form"}
    return [(label, CHOOSE.fill(**key, mode=mode), GREEN) for mode, label in modes.items()]


def offer_votes(campaign_id: int, fight: int, proposed: int) -> Buttons:
    """Offer the answers to a proposal."""
    key = {"campaign": campaign_id, "fight": fight, "proposed": proposed}
    return [(label, VOTE.fill(**key, word=word), GREEN if word == "yes" else GREY) for word, label in SAYS.items()]


def offer_proposals(view: FightView) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield what a player can propose; a game master can also decide or reorder."""
    header, key = view.fight.header, {"campaign": view.campaign.id, "fight": view.fight.header.entry}
    aims: list[str] = [] if header.mode is None else [fights.find_other_mode(header.mode)]
    aims += ["open"] if header.locked and view.leads else [] if header.locked else ["lock"]
    can = view.leads or (header.votes is None and any(view.acts_for(item.id) for item in view.fight.roster))
    offered = [(AIMS[aim], PROPOSE.fill(**key, aim=aim), GREY) for aim in aims if can]
    yield from _draw_buttons([*offered, *([("Turn order", ORDER.fill(**key), GREY)] if view.leads else [])])


def offer_coming(campaign_id: int, fight: int, called: Mapping[int, str]) -> Buttons:
    """Offer called characters a button to come."""
    key = {"campaign": campaign_id, "fight": fight}
    return [(shorten(f"Come: {name}", 60), COME.fill(**key, who=number), GREEN) for number, name in called.items()]


def offer_turn(campaign_id: int, fight: fights.Fight) -> Buttons:
    """Offer to show and end the current turn, if there is one."""
    header, now = fight.header, fight.now
    if header.mode is None or not isinstance(now, int):
        return []
    return _offer_seen_turn(campaign_id, header.entry, header.turn, now)


def _offer_seen_turn(campaign_id: int, fight: int, turn: int, now: int) -> Buttons:
    key = {"campaign": campaign_id, "fight": fight}
    return [("Show turn", CARD.fill(**key), BLUE), ("End turn", TURN.fill(**key, turn=turn, now=now), GREY)]


IN_TURN = "in_turn"
"""Body key of rolls in the actor's turn: round and fighter."""


def note_fight(tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Note the fight, and the turn if its fighter acts, in a roll's body."""
    scene = made.moment.scene or ""
    found = scenes.find_scenes(tx, made.campaign.id, FIGHTS, [scene]) if scene.startswith(f"{fights.FIGHT}:") else ()
    for fight in found:
        body: dict[str, Json] = {fights.FIGHT: fight.header.entry}
        actors = {number for part in made.request.parts for number in part.ids.get(ACTOR, ())}
        return ExtraChanges(body={**body, IN_TURN: [fight.header.turn, fight.now]} if fight.now in actors else body)
    return ExtraChanges()


def _draw_buttons(offered: Buttons) -> Iterator[ui.Button[ui.LayoutView]]:
    for label, key, style in offered:
        yield ui.Button(label=label, custom_id=key, style=ButtonStyle(style))


def offer_next_turn(_person: Person, campaign: Campaign, entry: Entry) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield turn buttons under the result of a roll in a fight."""
    body = entry.content()
    if fights.FIGHT in body:
        both = _offer_seen_turn(campaign.id, body[fights.FIGHT], *body.get(IN_TURN, (0, 0)))
        yield from _draw_buttons(both if IN_TURN in body else both[:1])


def offer_explosions(campaign_id: int, fight: fights.Fight, due: Mapping[str, explosives.Fuse]) -> Buttons:
    """Offer buttons for the first grenades that explode this turn."""
    key = {"campaign": campaign_id, "fight": fight.header.entry}
    first = [(item.charge.item, int(name.removeprefix(explosives.FUSE))) for name, item in due.items()][:MOST_DUE]
    return [(shorten(f"Explode: {item}", 60), EXPLODE.fill(**key, fuse=number), RED) for item, number in first]


ROOM_FOR_FIGHT = 3700
"""Under Discord's 4,000 characters in all."""


def show_fight(
    view: FightView, waits: str | None, more: Sequence[str] = (), extra: Sequence[ui.Button[ui.LayoutView]] = ()
) -> ui.LayoutView:
    """Draw a fight for its viewer; if something `waits`, a line says so and no button ends the turn."""
    shown = view.visible_fight
    more = [*more, *([plain(waits)] if waits else [])]
    stands = [*fight_entries.describe_fight(shown, describe_choice(view), view.people.keys() - view.public)]
    lines = [*fit_lines(ROOM_FOR_FIGHT - sum(len(line) + 1 for line in more), stands), *more]
    return receipt(plain(shown.name), lines, COLOURS["neutral"], [*make_steps(view, waits=waits is not None), *extra])


def ask_unspent(view: FightView, left: list[str]) -> ui.LayoutView:
    """Ask whether to end a turn in which what `left` names is unused."""
    shown, ref = view.visible_fight, {"campaign": view.campaign.id, "fight": view.visible_fight.header.entry}
    sure = SURE.fill(**ref, turn=shown.header.turn, now=shown.now)
    buttons = _draw_buttons([("End turn anyway", sure, RED), ("Show turn", CARD.fill(**ref), GREY)])
    title = f"End {plain(view.on_turn.name)}'s turn?" if view.on_turn else "End the turn?"
    return receipt(title, [f"Still unused: {join_words(left)}."], COLOURS["neutral"], [*buttons])


def describe_choice(view: FightView) -> str | None:
    """Say who must still choose dice or free-form, or None."""
    shown = view.visible_fight
    defender = shown.combatant(shown.header.defender)
    return fight_entries.describe_choosing(defender.name if defender else None) if shown.header.mode is None else None


def _offer_answers(view: FightView) -> Buttons:
    header, campaign = view.fight.header, view.campaign
    if header.mode is None and view.acts_for(header.defender):
        return offer_modes(campaign.id, header.entry)
    if header.votes is not None and (not {*view.votes} <= {*header.votes.yes} or view.can_decide):
        return offer_votes(campaign.id, header.entry, header.votes.entry)
    return ()


def make_steps(
    view: FightView, due: Mapping[str, explosives.Fuse] | None = None, *, waits: bool = False
) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield the viewer's buttons for the turn (unless it `waits`), `due` grenades and answers."""
    shown = view.visible_fight
    mine = not waits and isinstance(shown.now, int) and view.acts_for(shown.now)
    own = {name: item for name, item in (due or {}).items() if view.acts_for(item.of)}
    exploding = offer_explosions(view.campaign.id, shown, own)
    turn = offer_turn(view.campaign.id, shown) if mine else ()
    yield from _draw_buttons([*turn, *exploding, *_offer_answers(view)])


MOST_COMING = 2
MAX_LABEL = 80


def list_waiting_fights(tx: Connection, _library: Library, viewer: Viewer) -> Iterator[Todo]:
    """Yield one item on all fights that wait for the viewer, or for anyone if they lead."""
    campaign = viewer.campaign
    if BOOK not in campaign.books:
        return
    fights = [view_fight(tx, viewer, item) for item in scenes.list_running(tx, campaign.id, FIGHTS)]
    waiting = [(item, _list_called(tx, item)) for item in fights]
    found = [(item, called) for item, called in waiting if called or _is_waiting(item)]
    if found:
        lines = few(starmap(_describe_waiting, found), len(found), "/fight show")
        yield Todo("Fights waiting", lines, [row for each in found[:FEW] if (row := _make_row(*each))])


def _list_called(tx: Connection, view: FightView) -> list[profiles.Profile]:
    numbers = fights.list_called(view.visible_fight)
    people = profiles.read_profiles(tx, view.campaign.id, numbers) if numbers else {}
    return [item for item in people.values() if view.leads or view.viewer.owns(item)]


def _is_waiting(view: FightView) -> bool:
    header = view.fight.header
    undecided = header.mode is None or header.votes is not None or _find_secret_turn(view) is not None
    return bool(_offer_answers(view)) or (view.leads and undecided)


def _find_secret_turn(view: FightView) -> Participant | None:
    return next((item for item in view.fight.roster if item.id == view.fight.now and item.id not in view.public), None)


def _describe_waiting(view: FightView, called: Sequence[profiles.Profile]) -> str:
    header, hidden = view.fight.header, _find_secret_turn(view) if view.leads else None
    words = [f"**{plain(header.name)}**{f' in <#{header.channel}>' if header.channel else ''}"]
    words += ["the defender chooses dice or free-form"] if header.mode is None else []
    words += [f"vote: {lower_first(fight_entries.PROPOSED[header.votes.aim])}?"] if header.votes else []
    words += [f"it's **{plain(hidden.name)}**'s turn (hidden from players)"] if header.mode and hidden else []
    names = join_words([plain(item.name) for item in called])
    return DOT.join([*words, *([f"called for aid, waiting for Come: {names}"] if called else [])])


def _make_row(view: FightView, called: Sequence[profiles.Profile]) -> list[Item]:
    name, header = shorten(view.fight.name, parsing.MAX_CHOICE // 2), view.fight.header
    mine = [item for item in called if view.viewer.owns(item) or item.owner is None][:MOST_COMING]
    comings = offer_coming(view.campaign.id, header.entry, {item.id: item.name for item in mine})
    offered = [*_offer_answers(view), *comings]
    return [*_draw_buttons([(shorten(f"{label}: {name}", MAX_LABEL), key, style) for label, key, style in offered])]
