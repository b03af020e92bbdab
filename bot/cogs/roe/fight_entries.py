"""Fights in words: their entries and their state now."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import discord
from discord.utils import format_dt

from bot.core.ledger import About, Body, EntryKind, EntryView, Pages, View
from bot.core.records import UNKNOWN
from bot.ui.receipt import entry_footer
from bot.ui.text import COLOURS, DOT, fit_lines, join_words, plain, shorten
from rules.books.roe.fights import ACTIONS, ARRIVING, DAY, METRES, MOVEMENTS, NIGHT, WEATHER, Fight
from rules.phrases import format_signed, lower_first
from rules.scenes import Participant

MAX_SENTENCE = 180
MAX_LASTING = 1500
MAX_MISSING = 600
"""Characters of names still to agree; above that, a count."""
ARRIVES = "arriving: no Actions or movement this turn"
WAITS = ("turn done", "joins next round")
"""Why a fighter has no more turn this round; the second has just arrived."""

SAYS_SO = "Their player presses Come before then, or uses `/fight join` with how:called by com."

ON_TURN = "\N{BLACK RIGHT-POINTING TRIANGLE} "
NEXT = frozenset({"turn", "down", "begin"})
"""Changes whose title names the next turn."""

MODES: Mapping[str, str] = {"dice": "with dice", "freeform": "free-form"}

AIMS: Mapping[str, str] = {
    "dice": "This fight uses dice.",
    "freeform": "This fight is free-form.",
    "lock": "The fight is locked. Only fighters called by com or drawn by gunfire can still join.",
}

PROPOSED: Mapping[str, str] = {
    "dice": "Use dice from here on",
    "freeform": "Go free-form from here on",
    "lock": "Let no one else join",
}

TURN_OVER: Mapping[str, str] = {
    "turn": "has ended their turn",
    "down": "is down, so the turn moves on",
    "overtaken": "didn't act in time, but can still use what's left until their next turn",
}

HOWS: Mapping[str, str] = {
    "claim": "joins",
    "call": "was called and joins",
    "gunfire": "heard gunfire and joins",
}


def _show_name(body: Body, number: int, view: View) -> str:
    hidden = view == "public" and number in body["hidden"]
    return UNKNOWN if hidden else f"**{plain(body['names'][str(number)])}**"


def _show_names(body: Body, numbers: Iterable[int], view: View) -> str:
    return join_words([_show_name(body, number, view) for number in numbers])


def _list_known(body: Body, numbers: Iterable[int], view: View) -> list[int]:
    return [number for number in numbers if view == "staff" or number not in body["hidden"]]


def _describe_change(body: Body, view: View) -> str:
    return shorten(f"{plain(body['fight'])}: {CHANGES[body['deed']][1](body, view)[0]}", MAX_SENTENCE)


def draw_entry(shown: EntryView, view: View) -> Pages:
    """Draw a fight's entry in full."""
    body = shown.entry.content()
    lines = [*CHANGES[body["deed"]][1](body, view), *_describe_now(body, view)]
    reason = shown.entry.text("reason", body)
    lines += [f"**Reason:** {plain(reason)}"] if reason else []
    title = f"{plain(body['fight'])}: {_make_title(body, view)}"
    embed = discord.Embed(title=title, description="\n".join(lines), colour=COLOURS["success"])
    return [[embed.set_footer(text=entry_footer(shown))]]


def _make_title(body: Body, view: View) -> str:
    turn, now = body["turn"][view]
    if body["deed"] not in NEXT or body["mode"] is None or now is None:
        return lower_first(CHANGES[body["deed"]][0])
    return f"round {turn}, {_show_name(body, now, view).strip('*')}'s turn"


def describe_fight(fight: Fight, choosing: str | None, secret: Collection[int]) -> Iterator[str]:
    """Yield lines on a fight: round, fighters, choice and vote; `secret` fighters (numbers) have no vote."""
    header = fight.header
    words = [f"Round {header.turn}", *([MODES[header.mode]] if header.mode else [])]
    words += ["locked"] if header.locked else []
    yield DOT.join([*words, *_describe_conditions(header.conditions)])
    for place, item in enumerate(fight.roster, 1):
        yield f"{_describe_fighter(fight, place, item)}{f'{DOT}hidden from players' if item.id in secret else ''}"
    if choosing is not None:
        yield choosing
    if header.votes is not None:
        asked = [item for item in fight.roster if item.id not in secret and item.id not in header.votes.yes]
        names = join_words([f"**{plain(item.name)}**" for item in asked])
        waits = f"Waiting for {names if len(names) <= MAX_MISSING else f'{len(asked)} fighters'}."
        settles = "Everyone left has agreed. One more Agree settles it."
        yield f"Vote: {lower_first(PROPOSED[header.votes.aim])}? {waits if asked else settles}"


def describe_turn(fight: Fight, choosing: str | None) -> Iterator[str]:
    """Yield whose turn it is and what's left of it; only `choosing` if given."""
    if choosing is not None:
        yield choosing
        return
    for item in fight.roster:
        if item.id == fight.now:
            yield f"It's **{plain(item.name)}**'s turn."
            left = DOT.join(describe_left(item.marks))
            yield left[:1].upper() + left[1:]


def describe_choosing(name: str | None) -> str:
    """Say whose player chooses dice or free-form; without a name, the defender."""
    who = f"**{plain(name)}**'s player" if name else "The defender"
    return f"{who} chooses dice or free-form, then the first turn begins."


def _describe_fighter(fight: Fight, place: int, item: Participant) -> str:
    header, marks = fight.header, item.marks
    on_turn, waits = header.mode is not None and fight.now == item.id, item.id in header.done
    role = " (defender)" if item.id == header.defender else ""
    words = [f"{place}\\. {ON_TURN if on_turn else ''}**{plain(item.name)}**{role}"]
    words += [WAITS[ARRIVING in marks]] if waits else describe_left(marks) if on_turn else []
    words += [f"{marks[METRES]} m"] if METRES in marks else []
    return DOT.join(words)


def describe_left(marks: Mapping[str, int]) -> list[str]:
    """Describe the Actions and movements left in a turn."""
    left = [(marks.get(mark, 0), word) for mark, word in ((ACTIONS, "Action"), (MOVEMENTS, "movement"))]
    words = [f"{count or 'no'} {word}{'' if count == 1 else 's'} left" for count, word in left]
    return [ARRIVES] if ARRIVING in marks else words


def _describe_conditions(conditions: Mapping[str, int]) -> list[str]:
    light = [f"by {fact.partition('.')[2]}" for fact in (DAY, NIGHT) if conditions.get(fact)]
    return [*light, *([f"weather {format_signed(conditions[WEATHER])}"] if WEATHER in conditions else [])]


def describe_effect(label: str, left: int | None = None, at: str | None = None, amount: int | None = None) -> str:
    """Describe an effect: amount, turns left, and the time of its end (ISO)."""
    words = [f"{left} turn{'' if left == 1 else 's'} left"] if left is not None else []
    words += [f"until {format_dt(datetime.fromisoformat(at), 'f')}"] if at is not None else []
    much = f": {amount}" if amount else ""
    return f"{plain(label)}{much}{f' ({DOT.join(words)})' if words else ''}"


def _describe_now(body: Body, view: View) -> Iterator[str]:
    over = [f"{_show_name(body, number, view)}: {plain(label)}" for number, label in body.get("ended", ())]
    if over:
        yield f"Ended: {'; '.join(fit_lines(MAX_LASTING, over))}."
    turn, now = body["turn"][view]
    if body["mode"] is not None and now is not None and body["deed"] not in NEXT:
        yield f"Round {turn}: it's {_show_name(body, now, view)}'s turn."
    if "stands" in body and now is not None:
        lasting = DOT.join(fit_lines(MAX_LASTING, [describe_effect(*each) for each in body["stands"]]))
        yield f"Effects on {_show_name(body, now, view)}: {lasting}"


def _describe_order(body: Body, view: View) -> list[str]:
    return [f"Turn order: {_show_names(body, _list_known(body, body['order'], view), view)}."]


def _describe_start(body: Body, view: View) -> list[str]:
    conditions = DOT.join(_describe_conditions(body["conditions"]))
    defender = body["defender"]
    hidden = view == "public" and defender in body["hidden"]
    asked = describe_choosing(None if hidden else body["names"][str(defender)])
    return [*_describe_order(body, view), *([conditions[:1].upper() + conditions[1:]] if conditions else []), asked]


def _describe_turn_end(body: Body, view: View) -> list[str]:
    come = _list_known(body, body.get("came", ()), view)
    came = [f"{_show_names(body, come, view)} {'joins' if len(come) == 1 else 'join'} now."] if come else []
    return [f"{_show_name(body, body['who'], view)} {TURN_OVER[body['deed']]}.", *came]


def _describe_flight(body: Body, view: View) -> list[str]:
    return [f"{_show_name(body, body['who'], view)} is out of the fight."]


def _describe_heard(body: Body, view: View) -> list[str]:
    return [f"{_show_names(body, body['called'], view)} heard the shots.", *_describe_call(body, view)]


def _describe_call(body: Body, view: View) -> list[str]:
    # Who hides in the fight is shown as anybody else, or the call would find out.
    shown = body if body.get("audience") else {**body, "hidden": ()}
    called, asked = (_show_names(shown, body.get(which, ()), view) for which in ("called", "asked"))
    turns, who = body["turns"], _show_name(body, body["who"], view)
    once = f"once {who} has had {turns} more turn{'' if turns == 1 else 's'}" if turns else f"when {who}'s turn ends"
    join = "joins" if len(body["called"]) == 1 else "join"
    was = "was" if len(body.get("asked", ())) == 1 else "were"
    lines = [f"{called} {join} {once}."] if called else []
    return lines + ([f"{asked} {was} called and can join {once}. {SAYS_SO}"] if asked else [])


def _describe_gone(_body: Body, _view: View) -> list[str]:
    return ["The fighter whose turn it was is gone."]


def _describe_joining(body: Body, view: View) -> list[str]:
    when = "in the next round" if body["waits"] else "now"
    return [f"{_show_name(body, body['who'], view)} {HOWS[body['how']]} {when}.", *_describe_order(body, view)]


def _describe_proposal(body: Body, view: View) -> list[str]:
    asked = [item for item in body["order"] if item not in (*body["hidden"], *body["who"])]
    waits = f"Every fighter must agree. Waiting for {_show_names(body, asked, view)}."
    return [*_describe_vote("Proposed", body, view), waits]


def _describe_agreement(body: Body, _view: View) -> list[str]:
    return [AIMS[body["aim"]]]


def _describe_vote(verb: str, body: Body, view: View) -> list[str]:
    who = _show_names(body, body["who"], view)
    return [f"{verb}{f' by {who}' if who else ''}: {lower_first(PROPOSED[body['aim']])}."]


def _describe_unlocking(_body: Body, _view: View) -> list[str]:
    return ["Others can join."]


def _describe_end(body: Body, view: View) -> list[str]:
    who = _show_names(body, _list_known(body, body["fought"], view), view)
    left = _show_names(body, _list_known(body, body.get("left", ()), "public"), view)
    last = [f"Left standing: {left or 'none'}."] if "left" in body else []
    return [f"Ended in round {body['turn'][view][0]}. Fighters: {who}.", *last]


CHANGES: Mapping[str, tuple[str, Callable[[Any, View], Sequence[str]]]] = {
    "start": ("The fight begins", _describe_start),
    "choose": ("The defender has chosen", _describe_agreement),
    "turn": ("Next turn", _describe_turn_end),
    "down": ("Next turn", _describe_turn_end),
    "overtaken": ("A hidden turn is over", _describe_turn_end),
    "begin": ("Next turn", _describe_gone),
    "order": ("New turn order", _describe_order),
    "join": ("A fighter joins", _describe_joining),
    "propose": ("A proposal", _describe_proposal),
    "yes": ("One more agrees", partial(_describe_vote, "Agreed")),
    "agreed": ("Everyone agrees", _describe_agreement),
    "no": ("Proposal refused", partial(_describe_vote, "Refused")),
    "overrule": ("A game master decides", _describe_agreement),
    "open": ("Open again", _describe_unlocking),
    "end": ("The fight is over", _describe_end),
    "flee": ("A fighter has fled", _describe_flight),
    "through": ("A call for aid", _describe_call),
    "come": ("Help is coming", _describe_call),
    "heard": ("Gunfire heard", _describe_heard),
}
"""The title of each kind of change, and what describes it, line by line."""


def _audience(body: Body, _before: Sequence[str]) -> str:
    return str(body.get("audience", "results"))


_NUMBERED = "\ue000{}\ue001"
_NUMBER = re.compile(_NUMBERED.format(r"(\d+)"))


def _list_shown(body: Body, view: View) -> Iterator[About]:
    # Names are replaced by numbers, so exactly the fighters whose names are shown are found.
    numbered = {**body, "names": {number: _NUMBERED.format(number) for number in body["names"]}}
    lines = [_make_title(numbered, view), *CHANGES[body["deed"]][1](numbered, view), *_describe_now(numbered, view)]
    shown = {*_NUMBER.findall("\n".join(lines))} if view == "public" else {*body["names"]}
    yield "family", "fight"
    yield from (("unit", int(number)) for number in body["names"] if number in shown)


FIGHT_CHANGED = EntryKind("fight", _audience, _describe_change, draw_entry, about=_list_shown)
