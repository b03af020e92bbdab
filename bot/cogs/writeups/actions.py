"""Write-ups with their buttons; actions on them, and the options that name one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, ClassVar, Final, cast, get_args

from discord import ui
from sqlalchemy import Connection

from bot.actions import Action, Answer, Done, Outcome, Window, Work, entry_kind, make_window
from bot.cogs.writeups import queries
from bot.cogs.writeups.queries import CLAIMED, DONE, OPEN, WITHDRAWN, Result, StoredWriteup, Writeup, WriteupValue
from bot.core import entries, ledger, state
from bot.core.campaigns import Campaign, current_update, make_moment
from bot.core.errors import BadInput, NotAsItIs, NotOpen
from bot.core.permissions import Person
from bot.core.records import Change, Entry
from bot.orders.task_rolls import next_steps, post_digest_if_done
from bot.rolls import entry_body, options
from bot.rolls.entries import take_back_button
from bot.ui import reply
from bot.ui.receipt import receipt
from bot.ui.text import COLOURS, DOT, plain, shorten, strip_marks
from rules.books.campaign import orders
from rules.effects import Moment, is_current
from rules.subjects import name_key, subject_key

_ONE: Final = "writeup:{campaign:int}:{entry:int}.{part:int}:"
TAKE = reply.IdTemplate(_ONE + "take")
CLAIM, GIVE_BACK, DONE_BUTTON, RESULT = (
    reply.IdTemplate(_ONE + "{newest:int}:" + verb) for verb in ("claim", "back", "done", "result")
)
"""`newest` is the newest entry about the write-up."""


def _list_buttons(item: Writeup, campaign: Campaign, reader: Person) -> Iterator[ui.Button[ui.LayoutView]]:
    leads, mine = reader.leads(campaign), item.by == reader.user_id
    unwritten = campaign.archived_at is None and item.state in {OPEN, CLAIMED}
    key = {"campaign": campaign.id, "entry": item.entry, "part": item.part, "newest": item.seen}
    if unwritten and not mine and (item.state == OPEN or leads):
        yield ui.Button(label="Claim" if item.state == OPEN else "Take over", custom_id=CLAIM.fill(**key))
    if unwritten and (item.state == OPEN or mine or leads):
        yield finish_button(item, campaign)
    if item.state == DONE and item.link is None and (mine or leads) and campaign.archived_at is None:
        yield finish_button(item, campaign, "Add a link")
    if unwritten and mine:
        yield ui.Button(label="Give back", custom_id=GIVE_BACK.fill(**key))
    if item.fought and leads and campaign.archived_at is None and item.state != WITHDRAWN:
        yield ui.Button(label="Battle result", custom_id=RESULT.fill(**key))


def finish_button(item: Writeup, campaign: Campaign, label: str = "Done") -> ui.Button[ui.LayoutView]:
    """Return the button that marks it done."""
    key = {"campaign": campaign.id, "entry": item.entry, "part": item.part, "newest": item.seen}
    return ui.Button(label=label, custom_id=DONE_BUTTON.fill(**key))


def receipt_of(
    item: Writeup, campaign: Campaign, reader: Person, foot: str = "", *more: ui.Button[ui.LayoutView]
) -> ui.LayoutView:
    """Draw a write-up; `foot` says what was just done."""
    colour = COLOURS["success" if foot else "neutral"]
    lines = [queries.line(item), *filter(None, [foot])]
    return receipt(f"Write-up #{item.number}", lines, colour, [*_list_buttons(item, campaign, reader), *more])


def _complete(*states: str) -> options.Completed:
    return options.Completed(partial(_complete_number, states), re.compile(r"^\d+ "))


async def _complete_number(states: Sequence[str], at: options.Completion, current: str) -> options.Completions:
    found = await at.read(queries.suggest, current, states)
    return [(f"{item.number} {strip_marks(item.gist)}", item.number) for item in found]


AnyNumber = Annotated[str, _complete(OPEN, CLAIMED, DONE)]


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
MAX_WHO = 70  # characters; a select's option has 100


MOVES = "stop-unless-won"


class WriteupAction(Action):
    """An action on a write-up, as `seen` (entry)."""

    number: str
    seen: int | None = None

    kind = "writeup"
    says: ClassVar[str]

    @classmethod
    def sentence(cls, body: ledger.Body) -> str:
        """Return the entry in one line."""
        return f"Write-up #{body['number']} {cls.says}"

    @classmethod
    def heading(cls, body: ledger.Body) -> str:
        """Return the sentence: the entry says little more."""
        return cls.sentence(body)

    @classmethod
    def lines(cls, entry: Entry) -> list[str]:
        """Name the roll and the link."""
        link = entry.text("link")
        return [f"It belongs to entry #{entry.content()['entry']}.", *([f"**Where:** <{link}>"] if link else [])]

    def outcome(
        self,
        item: StoredWriteup,
        after: WriteupValue,
        more: Sequence[Change] = (),
        link: str | None = None,
        **body: object,
    ) -> Outcome:
        """Return the new value, other changes and fields."""
        number, part = queries.place_of(item.value)
        change = Change(queries.key_of(number, part), queries.WRITEUP, dict(item.value), dict(after))
        about = {"entry": number, "part": part, "number": item.number, **body}
        return Outcome(about, [change, *more], texts={"link": link} if link else {})

    def require_unchanged(self, item: StoredWriteup, changed: int) -> None:
        """Refuse if entry `changed` about the write-up is newer than the one seen."""
        if self.seen is not None and changed > self.seen:
            what = f"Write-up #{item.number} was changed since you looked: entry #{changed}."
            raise NotOpen(what, "Nothing was done. See /writeups.")

    def answer(self, work: Work, entry: Entry, outcome: Outcome) -> Answer:
        """Show the write-up with its buttons."""
        body = entry.content()
        called = entries.get_entries(work.tx, work.campaign.id, [body["entry"]])[body["entry"]]
        (writeup,) = queries.describe(work.tx, work.viewer, [StoredWriteup(outcome.changes[0].after, called)])
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

    verb, says = "claim", "claimed"

    def apply(self, work: Work) -> Outcome:
        """Refuse what another person writes, or is done."""
        item = queries.find(work.tx, work.viewer, self.number)
        _require_free(work, item)
        if item.value["state"] == CLAIMED and item.value["by"] == work.viewer.mine:
            raise NotAsItIs(
                f"Write-up #{item.number} is already yours.", "When it is written, press Done in /writeups."
            )
        if item.value["state"] != OPEN:  # what was given back can be claimed with the post's old button, too
            self.require_unchanged(item, item.since)
        return self.outcome(item, {**item.value, "state": CLAIMED, "by": work.actor, "since": work.number})


class GiveBack(WriteupAction):
    """Give a claimed write-up back."""

    verb, says = "give-back", "given back"

    def apply(self, work: Work) -> Outcome:
        """Refuse what isn't the person's."""
        item = queries.find(work.tx, work.viewer, self.number)
        self.require_unchanged(item, item.since)
        if item.value["state"] != CLAIMED or item.value["by"] != work.viewer.mine:
            raise NotAsItIs(f"Write-up #{item.number} isn't yours to give back.", "See /writeups.")
        after: WriteupValue = {**item.value, "state": OPEN, "since": work.number}
        del after["by"]
        return self.outcome(item, after)


class Finish(WriteupAction):
    """Mark a write-up done; `link` can follow."""

    link: str | None = None

    verb, says = "done", "done"

    def apply(self, work: Work) -> Outcome:
        """Refuse what another person writes, or is done."""
        link, item = queries.check_link(self.link), queries.find(work.tx, work.viewer, self.number)
        if link is None or not _lacks_link(work, item):
            _require_free(work, item)
        self.require_unchanged(item, item.since)
        author = item.value.get("by") or work.actor
        return self.outcome(item, {**item.value, "state": DONE, "by": author, "since": work.number}, link=link)


class EnterResult(WriteupAction):
    """Enter how a battle ended; the latest result counts."""

    result: str = ""

    verb, may = "result", "enter the result of a battle"

    @classmethod
    def sentence(cls, body: ledger.Body) -> str:
        """Say how the battle ended."""
        ended = RESULTS[body["result"]].format(who=plain(body["who"]))
        return f"Write-up #{body['number']}: {ended}{GOES_ON[body['moves']]}"

    def apply(self, work: Work) -> Outcome:
        """Refuse no battle, a cancelled one, or that result."""
        if self.result not in get_args(Result):
            raise NotOpen(*reply.STALE)
        result, item = cast("Result", self.result), queries.find(work.tx, work.viewer, self.number)
        fought = next(entry_body.list_calls(item.part, "battle"), None)
        if fought is None:
            raise BadInput(f"Write-up #{item.number} isn't about a battle.", "Only a battle has a result.")
        if item.value["state"] == WITHDRAWN:
            raise NotOpen(f"Write-up #{item.number} is cancelled: only the ambush is fought.")
        if item.value.get("result") == result:
            raise NotOpen(f"Write-up #{item.number} already has that result.")
        self.require_unchanged(item, item.newest)
        moving = next((each["to"] for each in item.part["consequences"] if each["do"] == MOVES), None)
        now = make_moment(item.body["update"]["number"], work.ledger.now(), work.number)
        follows = () if moving is None else _list_moves(work.tx, work.campaign, item, moving, result, now)
        after: WriteupValue = {**item.value, "result": result, "decided": work.number}
        moves = None if moving is None else result == "won"
        return self.outcome(item, after, tuple(follows), result=result, who=fought["to"], moves=moves)

    def steps(self, work: Work) -> Sequence[ui.Button[ui.LayoutView]]:
        """Return buttons for what comes next."""
        return next_steps(work.tx, work.person, work.campaign)

    async def after(self, interaction: reply.AnyInteraction, done: Done) -> None:
        """Post the digest if that was its last answer."""
        await post_digest_if_done(interaction, done.campaign)


def _list_moves(
    tx: Connection, campaign: Campaign, item: StoredWriteup, moving: str, result: Result, now: Moment
) -> Iterator[Change]:
    # line 24
    called = (number for number, name in item.entry.names().items() if name_key(name) == name_key(moving))
    number = next(called, None)
    if number is None:  # an entry of an older version, which has no numbers
        return
    subject = subject_key(number)
    kept = state.get_values_named(tx, campaign.id, {subject}, {orders.AWAITS_BATTLE, orders.MOVE_STOPPED})
    battle, awaits = item.value["entry"], kept.get((subject, orders.AWAITS_BATTLE))
    for _, name, after in orders.decide_battle(subject, battle, awaits, won=result == "won", moment=now):
        before = kept.get((subject, name))
        own = name == orders.AWAITS_BATTLE or (before is not None and before["entry"] == item.value.get("decided"))
        others = before is not None and not own and name == orders.MOVE_STOPPED and is_current(before, now)
        if others:  # another patrol's stop stays
            continue
        if own or (after is not None and current_update(tx, campaign.id)["number"] == now.update):
            yield Change(subject, name, before, after)


def _lacks_link(work: Work, item: StoredWriteup) -> bool:
    value = item.value
    if value["state"] != DONE or not (value["by"] == work.viewer.mine or work.person.leads(work.campaign)):
        return False
    done = entries.get_entry(work.tx, work.campaign.id, value["since"])
    return done is not None and done.text("link") is None


def _require_free(work: Work, item: StoredWriteup) -> None:
    value = item.value
    if value["state"] == DONE:
        raise NotOpen(f"Write-up #{item.number} is already done (entry #{value['since']}).")
    if value["state"] == WITHDRAWN:
        raise NotOpen(f"Write-up #{item.number} is cancelled (entry #{value['since']}): only the ambush is fought.")
    others = value["state"] == CLAIMED and value["by"] != work.viewer.mine
    if others and not work.person.leads(work.campaign):
        raise NotAsItIs(f"Another player is writing write-up #{item.number}.", "A game master can take it over.")


def _finish_window(tx: Connection, person: Person, campaign: Campaign, entry: int, part: int, newest: int) -> Window:
    item = queries.find_writeup(tx, person, campaign, f"{entry}.{part + 1}")
    where = "A link to the message or page, if there is one"
    field = reply.text_field("link", "Link", placeholder=where, limit=queries.MAX_LINK, needed=False)
    return Window(f"Mark write-up #{item.number} done", Finish(number=item.place, seen=newest), [field])


def _result_window(tx: Connection, person: Person, campaign: Campaign, entry: int, part: int, newest: int) -> Window:
    item = queries.find_writeup(tx, person, campaign, f"{entry}.{part + 1}")
    select: ui.Select[ui.Modal] = ui.Select(custom_id="result")
    for ended, name in ENDINGS.items():
        select.add_option(label=name.format(who=shorten(item.fought or "", MAX_WHO)), value=ended)
    fields = [ui.Label(text="Battle result", component=select), ui.TextDisplay(item.gist)]
    asked = EnterResult(number=item.place, seen=newest, result="")
    return Window(f"#{item.number}: {strip_marks(item.gist)}", asked, fields)


ask_link, finish = make_window(DONE_BUTTON, _finish_window)
ask_result, end = make_window(RESULT, _result_window)


WRITEUP_CHANGED = entry_kind("staff", Claim, GiveBack, Finish, EnterResult)
