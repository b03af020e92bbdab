"""What is done with write-ups, the entries about it, and the options that name one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, ClassVar, cast, get_args

from discord import ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.actions import Action, Answer, Done, Outcome, Window, Work, entry_kind, window
from bot.cogs.writeups.buttons import DONE_BUTTON, RESULT, receipt_of
from bot.cogs.writeups.queries import (
    CLAIMED,
    DONE,
    MAX_LINK,
    OPEN,
    WITHDRAWN,
    WRITEUP,
    CalledFor,
    Result,
    WriteupValue,
    checked_link,
    describe,
    find,
    look,
    place_of,
    suggest,
)
from bot.cogs.writeups.todo import MOVES, moves_after
from bot.core import entries
from bot.core.campaigns import Campaign, make_moment
from bot.core.entry_kinds import Body
from bot.core.permissions import Person
from bot.core.records import Change, Entry
from bot.errors import BadInput, NotAsItIs, NotOpen
from bot.orders.task_rolls import next_steps, post_digest_if_done
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import WRITE_UP
from bot.rolls.buttons import take_back_button
from bot.rolls.entry_body import calls
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.options import Completed, Completion, Completions
from bot.ui.form import option
from bot.ui.reply import STALE, AnyInteraction, text_field
from bot.ui.text import DOT, plain, shorten, strip_marks


class NumberCompleter(Completed):
    """The number of a write-up in some states, offered with what it is about."""

    def __init__(self, *states: str) -> None:
        super().__init__(partial(_complete_number, states), re.compile(r"^\d+ "))


async def _complete_number(states: Sequence[str], at: Completion, current: str) -> Completions:
    """Return the newest that contain what is typed."""
    return [
        (f"{item.number} {strip_marks(item.gist)}", item.number) for item in await at.read(suggest, current, states)
    ]


OpenNumber = Annotated[str, NumberCompleter(OPEN)]
AnyNumber = Annotated[str, NumberCompleter(OPEN, CLAIMED, DONE)]
UnwrittenNumber = Annotated[str, NumberCompleter(OPEN, CLAIMED)]


RESULTS: Mapping[Result, str] = {
    "won": "{who} won its battle",
    "drawn": "the battle of {who} was drawn",
    "lost": "{who} lost its battle",
}
GOES_ON: Mapping[bool | None, str] = {None: "", True: "; the move goes on", False: "; the move is stopped"}


ENDINGS: Mapping[Result, str] = {
    "won": "{who} won (any move goes on)",
    "drawn": "Draw (any move stops)",
    "lost": "{who} lost (any move stops)",
}
"""How a battle can end for the one who was caught or attacked, as it is picked."""

MAX_WHO = 70
"""Characters of a name in an option of a select, which has 100 at most."""


HOW = {ended: name.format(who="The one caught or attacked") for ended, name in ENDINGS.items()}
NUMBER = "The write-up's number, such as 12 or 12.2"


class WriteupAction(Action):
    """An action about one write-up. `seen` is the newest entry about it that the person saw; None where they didn't look."""

    number: str
    seen: int | None = None

    kind = "writeup"
    says: ClassVar[str]

    @classmethod
    def sentence(cls, body: Body) -> str:
        """Return the entry in one line."""
        return f"Write-up #{body['number']} {cls.says}"

    @classmethod
    def heading(cls, body: Body) -> str:
        """Return the whole sentence: the entry says little more."""
        return cls.sentence(body)

    @classmethod
    def lines(cls, entry: Entry) -> list[str]:
        """Return which roll called for it and where the text is."""
        link = entry.text("link")
        return [f"It belongs to entry #{entry.content()['entry']}.", *([f"**Where:** <{link}>"] if link else [])]

    def outcome(
        self, item: CalledFor, after: WriteupValue, more: Sequence[Change] = (), link: str | None = None, **body: object
    ) -> Outcome:
        """Return the write-up as the state keeps it from now on, with what else changes and what else its entry says."""
        number, part = place_of(item.value)
        change = Change(f"{WRITEUP}:{number}.{part}", WRITEUP, dict(item.value), dict(after))
        said = {"entry": number, "part": part, "number": item.number, **body}
        return Outcome(said, [change, *more], texts={"link": link} if link else {})

    def require_unchanged(self, item: CalledFor, changed: int) -> None:
        """Refuse where an entry has changed the write-up since the person saw it."""
        if self.seen is not None and changed > self.seen:
            what = f"Write-up #{item.number} was changed since you looked: entry #{changed}."
            raise NotOpen(what, "Nothing was done. See /writeups list.")

    def answer(self, work: Work, entry: Entry, outcome: Outcome) -> Answer:
        """Return the write-up as it is now, with what the person may do about it."""
        body = entry.content()
        called = entries.get_entries(work.tx, work.campaign.id, [body["entry"]])[body["entry"]]
        (writeup,) = describe(work.tx, work.viewer, [CalledFor(outcome.changes[0].after, called)])
        leads = work.person.leads(work.campaign)
        steps = [*self.steps(work), *([take_back_button(work.campaign.id, entry.number)] if leads else [])]
        number = [f"Entry #{entry.number}"] if leads else []  # such entries are the staff's
        foot = f"-# {DOT.join([*number, plain(work.campaign.name)])}"
        return Answer(view=receipt_of(writeup, work.campaign, work.person, foot, *steps))

    def steps(self, _work: Work) -> Sequence[ui.Button[ui.LayoutView]]:
        """Return what else can be done now."""
        return ()


class Claim(WriteupAction):
    """A player writes what is open; a game master may also take it over."""

    number: OpenNumber = option(NUMBER)

    summary = "Claim a write-up to show that you're writing it."
    verb, says = "claim", "claimed"

    def apply(self, work: Work) -> Outcome:
        """Refuse what another writes, or is done."""
        item = find(work.tx, work.viewer, self.number)
        _require_free(work, item)
        if item.value["state"] == CLAIMED and item.value["by"] == work.viewer.mine:
            raise NotAsItIs(f"Write-up #{item.number} is already yours.", "When it is written, use /writeups done.")
        self.require_unchanged(item, item.since)
        return self.outcome(item, _after(work, item, CLAIMED, work.actor))


class GiveBack(WriteupAction):
    """A player leaves a claimed write-up to others."""

    verb, says = "give-back", "given back"

    def apply(self, work: Work) -> Outcome:
        """Refuse what isn't the person's."""
        item = find(work.tx, work.viewer, self.number)
        self.require_unchanged(item, item.since)
        if item.value["state"] != CLAIMED or item.value["by"] != work.viewer.mine:
            raise NotAsItIs(f"Write-up #{item.number} isn't yours to give back.", "See /writeups list.")
        after: WriteupValue = {**item.value, "state": OPEN, "since": work.number}
        del after["by"]
        return self.outcome(item, after)


class Finish(WriteupAction):
    """A write-up is written by whoever claimed it. A `link` that was forgotten can be added."""

    number: UnwrittenNumber = option(NUMBER)
    link: str | None = option("A link to the message or page", default=None)

    summary = "Mark a write-up as done, and link to it."
    verb, says = "done", "done"

    def apply(self, work: Work) -> Outcome:
        """Refuse what another writes, or is done."""
        link, item = checked_link(self.link), find(work.tx, work.viewer, self.number)
        if link is None or not _lacks_link(work, item):
            _require_free(work, item)
        self.require_unchanged(item, item.since)
        author = item.value.get("by") or work.actor
        return self.outcome(item, _after(work, item, DONE, author), link=link)


class EnterResult(WriteupAction):
    """A battle ended. Entered again, the later result counts."""

    number: AnyNumber = option(NUMBER)
    result: str = option("How the battle ended", choices=HOW)

    summary = "Enter how a battle ended."
    verb, may = "result", "enter the result of a battle"

    @classmethod
    def sentence(cls, body: Body) -> str:
        """Return how the battle ended and whether a move goes on."""
        ended = RESULTS[body["result"]].format(who=plain(body["who"]))
        return f"Write-up #{body['number']}: {ended}{GOES_ON[body['moves']]}"

    def apply(self, work: Work) -> Outcome:
        """Refuse what isn't a battle, is cancelled, or already has that result."""
        if self.result not in get_args(Result):
            raise NotOpen(*STALE)
        result, item = cast("Result", self.result), find(work.tx, work.viewer, self.number)
        fought = next(calls(item.part, "battle"), None)
        if fought is None:
            raise BadInput(f"Write-up #{item.number} isn't about a battle.", "Only a battle has a result.")
        if item.value["state"] == WITHDRAWN:
            raise NotOpen(f"Write-up #{item.number} is cancelled: only the ambush is fought.")
        if item.value.get("result") == result:
            raise NotOpen(f"Write-up #{item.number} already has that result.")
        self.require_unchanged(item, item.newest)
        moving = next((deed["to"] for deed in item.part["consequences"] if deed["do"] == MOVES), None)
        now = make_moment(item.body["update"]["number"], work.ledger.now(), work.number)
        follows = () if moving is None else moves_after(work.tx, work.campaign, item, moving, result, now)
        after: WriteupValue = {**item.value, "result": result, "decided": work.number}
        moves = None if moving is None else result == "won"
        return self.outcome(item, after, tuple(follows), result=result, who=fought["to"], moves=moves)

    def steps(self, work: Work) -> Sequence[ui.Button[ui.LayoutView]]:
        """Return what goes on with the result."""
        return next_steps(work.tx, work.person, work.campaign)

    async def after(self, interaction: AnyInteraction, done: Done) -> None:
        """Post the digest where this was the last answer that it waited for."""
        await post_digest_if_done(interaction, done.campaign)


def _after(work: Work, item: CalledFor, now: str, by: str) -> WriteupValue:
    """Return what the state keeps of a write-up that a person (pseudonym) has claimed or written."""
    return {**item.value, "state": now, "by": by, "since": work.number}


def _lacks_link(work: Work, item: CalledFor) -> bool:
    """Return whether the text is written, has no link yet, and the person may add one."""
    value = item.value
    if value["state"] != DONE or not (value["by"] == work.viewer.mine or work.person.leads(work.campaign)):
        return False
    done = entries.get_entry(work.tx, work.campaign.id, value["since"])
    return done is not None and done.text("link") is None


def _require_free(work: Work, item: CalledFor) -> None:
    """Refuse what is done or cancelled, and to players what another has claimed."""
    value = item.value
    if value["state"] == DONE:
        raise NotOpen(f"Write-up #{item.number} is already done (entry #{value['since']}).")
    if value["state"] == WITHDRAWN:
        raise NotOpen(f"Write-up #{item.number} is cancelled (entry #{value['since']}): only the ambush is fought.")
    others = value["state"] == CLAIMED and value["by"] != work.viewer.mine
    if others and not work.person.leads(work.campaign):
        raise NotAsItIs(f"Another player is writing write-up #{item.number}.", "A game master can take it over.")


def _finish_window(tx: Connection, person: Person, campaign: Campaign, entry: int, part: int, newest: int) -> Window:
    item = look(tx, person, campaign, f"{entry}.{part + 1}")
    where = "A link to the message or page, if there is one"
    field = text_field("link", "Link", placeholder=where, limit=MAX_LINK, needed=False)
    return Window(f"Mark write-up #{item.number} done", Finish(number=item.place, seen=newest), [field])


def _result_window(tx: Connection, person: Person, campaign: Campaign, entry: int, part: int, newest: int) -> Window:
    item = look(tx, person, campaign, f"{entry}.{part + 1}")
    select: ui.Select[ui.Modal] = ui.Select(custom_id="result")
    for ended, name in ENDINGS.items():
        select.add_option(label=name.format(who=shorten(item.fought or "", MAX_WHO)), value=ended)
    fields = [ui.Label(text="Battle result", component=select), ui.TextDisplay(item.gist)]
    return Window(
        f"#{item.number}: {strip_marks(item.gist)}", EnterResult(number=item.place, seen=newest, result=""), fields
    )


ask_link, finish = window(DONE_BUTTON, _finish_window)
ask_result, end = window(RESULT, _result_window)


WRITEUP_CHANGED = entry_kind("staff", Claim, GiveBack, Finish, EnterResult)


def open_writeups(_tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Return the write-ups that the parts of a roll call for."""
    number = made.moment.entry
    return ExtraChanges(
        {
            (f"{WRITEUP}:{number}.{place}", WRITEUP): {"entry": number, "part": place, "state": OPEN}
            for place, part in enumerate(made.resolution.parts)
            if part.conclusion is not None
            and any(made.book.deeds[item.do].calls for item in part.conclusion.consequences)
        }
    )


def ask_for_threads(campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]) -> Sequence[OutgoingMessage]:
    """Mark the first message of a result for a thread, where a part that it shows calls for something to be written."""
    if not campaign.writeup_threads:
        return messages
    audiences = {part["audience"].partition(":")[0] for part in entry.content()["parts"] if any(calls(part))}
    first = {kind: place for place, kind in reversed(list(enumerate(message.kind for message in messages)))}
    audiences |= {"staff"} if "group" in audiences else set()  # a group without a channel is told there
    threads = {first[kind] for kind in ("results", "group", "staff") if kind in first and kind in audiences}
    return [replace(item, topic=WRITE_UP) if place in threads else item for place, item in enumerate(messages)]
