"""What waits for a yes before it is rolled: of the captor to be present at an escape, of somebody to surrender."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from sqlalchemy import Connection

from bot.cogs.roe.after.facts import FACTS
from bot.cogs.roe.after.held import ALONE, CAPTURES, captivity_of, surrendering
from bot.core import subjects
from bot.core.campaigns import locate, open_campaign
from bot.core.permissions import Person
from bot.core.visibility import Viewer, require_own, viewer_of
from bot.errors import BadInput
from bot.rolls.cast import identify
from bot.rolls.pending import service
from bot.rolls.pending.answering import Answer, Answering
from bot.rolls.pending.service import Ask, PendingRoll
from bot.rolls.pending.store import Seat, Words
from bot.rolls.request import PartRequest, RollCommand, RollRequest
from bot.rolls.resolver import Resolver
from bot.ui import parsing
from bot.ui.text import plain
from rules.books.roe.contests import ACTOR, RESISTER

NOUN = "request"
LASTS = timedelta(hours=24)
"""How long somebody has to say yes."""


def ask(tx: Connection, resolver: Resolver, person: Person, command: RollCommand, how: str) -> PendingRoll:
    """Ask the captor to be present at an escape, or somebody to surrender; the post is the caller's to send."""
    campaign = open_campaign(tx, locate(tx, person.guild_id, command.channels, lock=True).id)
    viewer = viewer_of(tx, person, campaign)
    require_own(tx, campaign, person, [command.parts[0].subjects[ACTOR]])
    parts = identify(tx, viewer, [command.parts[0].model_copy(update={"inputs": {}})])
    note = parsing.text(command.note, "note")
    book, family = command.family
    request = RollRequest(book=book, family=family, parts=parts, note=note, by=viewer.mine)
    preview = resolver.preview(tx, campaign, _agreed(request, 0, None), viewer)
    resolver.require_able(tx, viewer, preview)
    for item in preview.parts:
        item.procedure.method.check(item.part, item.book)
    who = parts[0].subjects[ACTOR]
    if how in ALONE:
        seat, asks = _captor(tx, viewer, who), f"to be present while **{plain(who)}** tries to escape"
    else:
        seat, asks = _other(tx, viewer, parts[0]), f"to surrender to **{plain(who)}**"
    words = Words(NOUN, who, ("asks", asks), f"/roe capture how:{how}")
    return service.ask(tx, resolver, person, campaign, Ask(command.channels[0], request, (seat,), LASTS, words))


def _captor(tx: Connection, viewer: Viewer, captive: str) -> Seat:
    """Return the seat of whoever plays the captor: the game masters', where nobody does or is known to."""
    held = captivity_of(tx, viewer, captive)
    by = subjects.by_number(tx, viewer.campaign.id, [held[1]["by"]]).values() if held else ()
    return next((Seat(subject=item.id, name=item.name) for item in by), Seat())


def _other(tx: Connection, viewer: Viewer, part: PartRequest) -> Seat:
    """Return the seat of whoever is asked to surrender."""
    (number,) = part.ids[RESISTER]
    found = subjects.by_number(tx, viewer.campaign.id, [number]).get(number) if number else None
    if found is None:
        raise BadInput(
            f"I don't know a character called {part.subjects[RESISTER]!r}.", "See /character list for all characters."
        )
    return Seat(subject=found.id, name=found.name)


def _agreed(request: RollRequest, place: int, _answer: Answer | None) -> RollRequest:
    """Return the request once somebody has said yes: the captor is present, or the other one surrenders."""
    part = request.parts[place]
    said = {FACTS: [f"{ACTOR}.watched"]} if RESISTER not in part.subjects else surrendering()
    return request.with_part(place, part.model_copy(update={"inputs": {**part.inputs, **said}}))


ANSWERING: Mapping[str, Answering] = {
    CAPTURES["escape"]: Answering(_agreed, {"yes": "I'm present: roll"}),
    CAPTURES["cuff"]: Answering(_agreed, {"yes": "Surrender"}),
    CAPTURES["detain"]: Answering(_agreed, {"yes": "Surrender"}),
}
"""How these are answered."""
