"""Loot and captives picked on a turn card. The roll's card follows, or a question to who must agree."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.roe import aftermath, fight_messages, turn_card
from bot.cogs.roe.turn_choices import ChoicePage, SeenFighter, ask_next, read_one, read_turn
from bot.core import subjects
from bot.core.errors import NotAsItIs, NotOpen
from bot.ui.receipt import picker, pickers
from bot.ui.reply import STALE, Component, IdTemplate, component, number

SPOIL = IdTemplate("fight:{campaign:int}:spoil:{moment:word}")
SPOIL_OF = IdTemplate("fight:{campaign:int}:of:{moment:word}:{how:word}:{_place:int}")
SPOILS = {
    **{f"take.{how}": words for how, words in aftermath.WAYS_TO_TAKE.items() if how not in {"surgery", "install"}},
    **{f"capture.{how}": words for how, words in aftermath.WAYS_TO_CAPTURE.items()},
}
"""Surgery needs a number of tools, which is typed."""


Spoil = aftermath.TakeForm | aftermath.CaptureForm
BeginSpoil = Callable[[Interaction, Spoil], Awaitable[None]]


@component(fight_messages.SPOILS)
async def _ask_spoils(interaction: Interaction, *, campaign: int, moment: str) -> None:
    await ask_next(interaction, campaign, moment, await read_turn(interaction, campaign, moment, _list_spoils))


def _list_spoils(tx: Connection, seen: SeenFighter) -> ChoicePage:
    able = {way: words for way, words in SPOILS.items() if _is_alone(way) or _list_able(tx, seen, way)}
    rows = [(way, words.partition(": ")[2].capitalize(), "") for way, words in able.items()]
    key = SPOIL.fill(campaign=seen.campaign, moment=seen.moment.word)
    line = "-# Surgery, or the size of a stack: `/roe take`."
    return ChoicePage(f"{seen.who.actor.name}: loot or capture", line, [*picker(key, "What to do …", rows)])


def _is_alone(way: str) -> bool:
    return way.partition(".")[2] in aftermath.ALONE


def _list_able(tx: Connection, seen: SeenFighter, way: str) -> list[subjects.Numbered]:
    how = way.partition(".")[2]
    found = aftermath.list_able(tx, seen.asker.person, seen.who.viewer.campaign, "", how)
    return [item for item in found if item.id != seen.who.actor.id]


async def _pick_spoil(begin: BeginSpoil, interaction: Interaction, *, campaign: int, moment: str) -> None:
    way = read_one(interaction)
    if way not in SPOILS:
        raise NotOpen(*STALE)
    page = await read_turn(interaction, campaign, moment, partial(_ask_spoil_of, way=way))
    if isinstance(page, ChoicePage):
        await ask_next(interaction, campaign, moment, page)
    else:
        await begin(interaction, page)


def _ask_spoil_of(tx: Connection, seen: SeenFighter, way: str) -> ChoicePage | Spoil:
    kind, _, how = way.partition(".")
    if _is_alone(way):
        return aftermath.CaptureForm(how=how, character=seen.name)
    rows = turn_card.list_named(_list_able(tx, seen, way))
    ids = {"campaign": seen.campaign, "moment": seen.moment.word, "how": way}
    title = SPOILS[way].partition(": ")[2].capitalize()
    return ChoicePage(
        f"{title}: who?",
        f"-# `/roe {kind}` does the same.",
        [*pickers(partial(SPOIL_OF.fill, **ids), "Pick one …", rows)],
    )


async def _pick_spoil_of(
    begin: BeginSpoil, interaction: Interaction, *, campaign: int, moment: str, how: str, _place: int
) -> None:
    target = number(read_one(interaction))
    if how not in SPOILS:
        raise NotOpen(*STALE)
    await begin(
        interaction, await read_turn(interaction, campaign, moment, partial(_make_spoil, way=how, target=target))
    )


def _make_spoil(tx: Connection, seen: SeenFighter, way: str, target: int) -> Spoil:
    kind, _, how = way.partition(".")
    named = next((subjects.label_subject(item) for item in _list_able(tx, seen, way) if item.id == target), None)
    if named is None:
        raise NotAsItIs("You can't do that to them now.", "See /fight show.")
    if kind == "take":
        return aftermath.TakeForm(how=how, from_=named, character=seen.name)
    return aftermath.CaptureForm(how=how, who=named, character=None if how == "release" else seen.name)


def list_components(begin: BeginSpoil) -> tuple[Component, ...]:
    """Return the components' handlers; `begin` begins the roll."""
    return (
        _ask_spoils,
        Component(SPOIL, partial(_pick_spoil, begin)),
        Component(SPOIL_OF, partial(_pick_spoil_of, begin)),
    )
