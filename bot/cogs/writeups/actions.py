"""Actions on write-ups, and the options that name one."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, ClassVar, cast, get_args

from discord import ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.actions import Action, Answer, Done, Outcome, Window, Work, entry_kind, make_window
from bot.cogs.writeups import queries
from bot.cogs.writeups.todo import DONE_BUTTON, MOVES, RESULT, moves_after, receipt_of
from bot.core import entries
from bot.core.campaigns import Campaign, make_moment
from bot.core.errors import BadInput, NotAsItIs, NotOpen
from bot.core.ledger import Body
from bot.core.permissions import Person
from bot.core.records import Change, Entry
from bot.orders.task_rolls import next_steps, post_digest_if_done
from bot.outbox.queue import WRITE_UP, OutgoingMessage
from bot.rolls.entries import take_back_button
from bot.rolls.entry_body import list_calls
from bot.rolls.extension import ExtraChanges, ResolvedRoll
from bot.rolls.options import Completed, Completion, Completions
from bot.ui.parsing import option
from bot.ui.reply import STALE, AnyInteraction, text_field
from bot.ui.text import DOT, plain, shorten, strip_marks


def _complete(*states: str) -> Completed:
    return Completed(partial(_complete_number, states), re.compile(r"^\d+ "))


async def _complete_number(states: Sequence[str], at: Completion, current: str) -> Completions:
    found = await at.read(queries.suggest, current, states)
    return [(f"{item.number} {strip_marks(item.gist)}", item.number) for item in found]


OpenNumber = Annotated[str, _complete(queries.OPEN)]
AnyNumber = Annotated[str, _complete(queries.OPEN, queries.CLAIMED, queries.DONE)]
UnwrittenNumber = Annotated[str, _complete(queries.OPEN, queries.CLAIMED)]


RESULTS: Mapping[queries.Result, str] = {
    "won": "{who} won its battle",
    "drawn": "the battle of {who} was drawn",
    "lost": "{who} lost its battle",
}
GOES_ON: Mapping[bool | None, str] = {None: "", True: "; the move goes on", False: "; the move is stopped"}


ENDINGS: Mapping[queries.Result, str] = {
    "won": "{who} won (any move goes on)",
    "drawn": "Draw (any move stops)",
    "lost": "{who} lost (any move stops)",
}
MAX_WHO = 70  # characters; a select's option has 100


HOW = {ended: name.format(who="The one caught or attacked") for ended, name in ENDINGS.items()}
NUMBER = "The write-up's number, such as 12 or 12.2"


class WriteupAction(Action):
    """An action on a write-up, as `seen` (entry)."""

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
        """Return the sentence: the entry says little more."""
        return cls.sentence(body)

    @classmethod
    def lines(cls, entry: Entry) -> list[str]:
        """Name the roll and the link."""
        link = entry.text("link")
        return [f"It belongs to entry #{entry.content()['entry']}.", *([f"**Where:** <{link}>"] if link else [])]

    def outcome(
        self,
        item: queries.StoredWriteup,
        after: queries.WriteupValue,
        more: Sequence[Change] = (),
        link: str | None = None,
        **body: object,
    ) -> Outcome:
        """Return the new value, other changes and fields."""
        number, part = queries.place_of(item.value)
        change = Change(f"{queries.WRITEUP}:{number}.{part}", queries.WRITEUP, dict(item.value), dict(after))
        about = {"entry": number, "part": part, "number": item.number, **body}
        return Outcome(about, [change, *more], texts={"link": link} if link else {})

    def require_unchanged(self, item: queries.StoredWriteup, changed: int) -> None:
        """Refuse if entry `changed` about the write-up is newer than the one seen."""
        if self.seen is not None and changed > self.seen:
            what = f"Write-up #{item.number} was changed since you looked: entry #{changed}."
            raise NotOpen(what, "Nothing was done. See /writeups list.")

    def answer(self, work: Work, entry: Entry, outcome: Outcome) -> Answer:
        """Show the write-up with its buttons."""
        body = entry.content()
        called = entries.get_entries(work.tx, work.campaign.id, [body["entry"]])[body["entry"]]
        (writeup,) = queries.describe(work.tx, work.viewer, [queries.StoredWriteup(outcome.changes[0].after, called)])
        leads = work.person.leads(work.campaign)
        steps = [*self.steps(work), *([take_back_button(work.campaign.id, entry.number)] if leads else [])]
        number = [f"Entry #{entry.number}"] if leads else []  # such entries are the staff's
        foot = f"-# {DOT.join([*number, plain(work.campaign.name)])}"
        return Answer(view=receipt_of(writeup, work.campaign, work.person, foot, *steps))

    def steps(self, _work: Work) -> Sequence[ui.Button[ui.LayoutView]]:
        """Return buttons for what comes next."""
        return ()


class Claim(WriteupAction):
    """Claim a write-up, or take it over."""

    number: OpenNumber = option(NUMBER)

    summary = "Claim a write-up to show that you're writing it."
    verb, says = "claim", "claimed"

    def apply(self, work: Work) -> Outcome:
        """Refuse what another person writes, or is done."""
        item = queries.find(work.tx, work.viewer, self.number)
        _require_free(work, item)
        if item.value["state"] == queries.CLAIMED and item.value["by"] == work.viewer.mine:
            raise NotAsItIs(f"Write-up #{item.number} is already yours.", "When it is written, use /writeups done.")
        self.require_unchanged(item, item.since)
        return self.outcome(item, {**item.value, "state": queries.CLAIMED, "by": work.actor, "since": work.number})


class GiveBack(WriteupAction):
    """Give a claimed write-up back."""

    verb, says = "give-back", "given back"

    def apply(self, work: Work) -> Outcome:
        """Refuse what isn't the person's."""
        item = queries.find(work.tx, work.viewer, self.number)
        self.require_unchanged(item, item.since)
        if item.value["state"] != queries.CLAIMED or item.value["by"] != work.viewer.mine:
            raise NotAsItIs(f"Write-up #{item.number} isn't yours to give back.", "See /writeups list.")
        after: queries.WriteupValue = {**item.value, "state": queries.OPEN, "since": work.number}
        del after["by"]
        return self.outcome(item, after)


class Finish(WriteupAction):
    """Mark a write-up done; `link` can follow."""

    number: UnwrittenNumber = option(NUMBER)
    link: str | None = option("A link to the message or page", default=None)

    summary = "Mark a write-up as done, and link to it."
    verb, says = "done", "done"

    def apply(self, work: Work) -> Outcome:
        """Refuse what another person writes, or is done."""
        link, item = queries.check_link(self.link), queries.find(work.tx, work.viewer, self.number)
        if link is None or not _lacks_link(work, item):
            _require_free(work, item)
        self.require_unchanged(item, item.since)
        author = item.value.get("by") or work.actor
        return self.outcome(item, {**item.value, "state": queries.DONE, "by": author, "since": work.number}, link=link)


class EnterResult(WriteupAction):
    """Enter how a battle ended; the latest result counts."""

    number: AnyNumber = option(NUMBER)
    result: str = option("How the battle ended", choices=HOW)

    summary = "Enter how a battle ended."
    verb, may = "result", "enter the result of a battle"

    @classmethod
    def sentence(cls, body: Body) -> str:
        """Say how the battle ended."""
        ended = RESULTS[body["result"]].format(who=plain(body["who"]))
        return f"Write-up #{body['number']}: {ended}{GOES_ON[body['moves']]}"

    def apply(self, work: Work) -> Outcome:
        """Refuse no battle, a cancelled one, or that result."""
        if self.result not in get_args(queries.Result):
            raise NotOpen(*STALE)
        result, item = cast("queries.Result", self.result), queries.find(work.tx, work.viewer, self.number)
        fought = next(list_calls(item.part, "battle"), None)
        if fought is None:
            raise BadInput(f"Write-up #{item.number} isn't about a battle.", "Only a battle has a result.")
        if item.value["state"] == queries.WITHDRAWN:
            raise NotOpen(f"Write-up #{item.number} is cancelled: only the ambush is fought.")
        if item.value.get("result") == result:
            raise NotOpen(f"Write-up #{item.number} already has that result.")
        self.require_unchanged(item, item.newest)
        moving = next((each["to"] for each in item.part["consequences"] if each["do"] == MOVES), None)
        now = make_moment(item.body["update"]["number"], work.ledger.now(), work.number)
        follows = () if moving is None else moves_after(work.tx, work.campaign, item, moving, result, now)
        after: queries.WriteupValue = {**item.value, "result": result, "decided": work.number}
        moves = None if moving is None else result == "won"
        return self.outcome(item, after, tuple(follows), result=result, who=fought["to"], moves=moves)

    def steps(self, work: Work) -> Sequence[ui.Button[ui.LayoutView]]:
        """Return buttons for what comes next."""
        return next_steps(work.tx, work.person, work.campaign)

    async def after(self, interaction: AnyInteraction, done: Done) -> None:
        """Post the digest if that was its last answer."""
        await post_digest_if_done(interaction, done.campaign)


def _lacks_link(work: Work, item: queries.StoredWriteup) -> bool:
    value = item.value
    if value["state"] != queries.DONE or not (value["by"] == work.viewer.mine or work.person.leads(work.campaign)):
        return False
    done = entries.get_entry(work.tx, work.campaign.id, value["since"])
    return done is not None and done.text("link") is None


def _require_free(work: Work, item: queries.StoredWriteup) -> None:
    value = item.value
    if value["state"] == queries.DONE:
        raise NotOpen(f"Write-up #{item.number} is already done (entry #{value['since']}).")
    if value["state"] == queries.WITHDRAWN:
        raise NotOpen(f"Write-up #{item.number} is cancelled (entry #{value['since']}): only the ambush is fought.")
    others = value["state"] == queries.CLAIMED and value["by"] != work.viewer.mine
    if others and not work.person.leads(work.campaign):
        raise NotAsItIs(f"Another player is writing write-up #{item.number}.", "A game master can take it over.")


def _finish_window(tx: Connection, person: Person, campaign: Campaign, entry: int, part: int, newest: int) -> Window:
    item = queries.find_writeup(tx, person, campaign, f"{entry}.{part + 1}")
    where = "A link to the message or page, if there is one"
    field = text_field("link", "Link", placeholder=where, limit=queries.MAX_LINK, needed=False)
    return Window(f"Mark write-up #{item.number} done", Finish(number=item.place, seen=newest), [field])


def _result_window(tx: Connection, person: Person, campaign: Campaign, entry: int, part: int, newest: int) -> Window:
    item = queries.find_writeup(tx, person, campaign, f"{entry}.{part + 1}")
    select: ui.Select[ui.Modal] = ui.Select(custom_id="result")
    for ended, name in ENDINGS.items():
        select.add_option(label=name.format(who=shorten(item.fought or "", MAX_WHO)), value=ended)
    fields = [ui.Label(text="Battle result", component=select), ui.TextDisplay(item.gist)]
    return Window(
        f"#{item.number}: {strip_marks(item.gist)}", EnterResult(number=item.place, seen=newest, result=""), fields
    )


ask_link, finish = make_window(DONE_BUTTON, _finish_window)
ask_result, end = make_window(RESULT, _result_window)


WRITEUP_CHANGED = entry_kind("staff", Claim, GiveBack, Finish, EnterResult)


def open_writeups(_tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Return changes that open a write-up for each part of a roll that calls for one."""
    number = made.moment.entry
    return ExtraChanges(
        {
            (f"{queries.WRITEUP}:{number}.{place}", queries.WRITEUP): {
                "entry": number,
                "part": place,
                "state": queries.OPEN,
            }
            for place, part in enumerate(made.resolution.parts)
            if part.conclusion is not None
            and any(made.book.deeds[item.do].calls for item in part.conclusion.consequences)
        }
    )


def ask_for_threads(campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]) -> Sequence[OutgoingMessage]:
    """Ask for a thread under a result with a write-up."""
    if not campaign.writeup_threads:
        return messages
    audiences = {part["audience"].partition(":")[0] for part in entry.content()["parts"] if any(list_calls(part))}
    first = {kind: place for place, kind in reversed(list(enumerate(message.kind for message in messages)))}
    audiences |= {"staff"} if "group" in audiences else set()  # a group without a channel gets its results there
    threads = {first[kind] for kind in ("results", "group", "staff") if kind in first and kind in audiences}
    return [replace(item, topic=WRITE_UP) if place in threads else item for place, item in enumerate(messages)]
