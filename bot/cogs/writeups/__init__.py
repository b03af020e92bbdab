"""`/writeups`: battles and scenes to write up."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import discord
from discord import app_commands, ui
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.actions import act, find_pressed_campaign
from bot.client import Interaction
from bot.cogs.writeups import actions, queries
from bot.cogs.writeups.queries import CLAIMED, DONE, OPEN, STATES, WITHDRAWN, WRITEUP, Place, StoredWriteup, Writeup
from bot.core import entries, errors, ledger, library, permissions, state, subjects, visibility
from bot.core.campaigns import Campaign
from bot.core.records import Change, Entry
from bot.kernel import Feature
from bot.outbox.queue import SECONDARY, WRITE_UP, OutgoingMessage
from bot.rolls import desk, resolver
from bot.rolls import entries as entries_of_rolls
from bot.rolls.entry_body import list_calls
from bot.rolls.extension import ExtraChanges, Question, ResolvedRoll, RollExtension, StateKey, as_todo
from bot.ui.parsing import Form, fill_form, option
from bot.ui.receipt import FEW, Todo, entry_footer, few, page_buttons, picker, receipt, tally
from bot.ui.reply import STALE, IdTemplate, component, person, read_picked, redraw, say
from bot.ui.text import COLOURS, DOT, plain, shorten, strip_marks
from rules.books.campaign import orders
from rules.effects import Moment, is_current
from rules.subjects import name_key, names_of, number_of

LIST = IdTemplate("writeups:{campaign:int}:{what:word}:{entry:int}.{part:int}")
"""Pages of a list: below a part of an entry, 0.0 for the newest."""

PICK = IdTemplate("writeups:{campaign:int}:show")
UNWRITTEN = "unwritten"
SHOWN: Mapping[str, tuple[str, Sequence[str]]] = {
    UNWRITTEN: ("Write-ups to do", (OPEN, CLAIMED)),
    OPEN: ("Open", (OPEN,)),
    CLAIMED: ("Claimed", (CLAIMED,)),
    DONE: ("Done", (DONE,)),
    "all": ("All write-ups", STATES),
}


@component(LIST)
async def turn(interaction: Interaction, *, campaign: int, what: str, entry: int, part: int) -> None:
    """Show another page of a list."""
    if what not in SHOWN:
        raise errors.NotOpen(*STALE)
    here = await find_pressed_campaign(interaction, campaign)
    below = (entry, part) if entry else None
    await redraw(interaction, await list_view(interaction, here, what, below))


async def list_view(interaction: Interaction, campaign: Campaign, what: str, below: Place | None) -> ui.LayoutView:
    """Draw a page of write-ups older than a place."""
    title, wanted = SHOWN[what]
    listed = await interaction.client.database.read(queries.list_page, person(interaction), campaign, wanted, below)
    lines = queries.fit_page(listed[: queries.PAGE])
    shown = listed[: len(lines)]
    newest = None if below is None else LIST.fill(campaign=campaign.id, what=what, entry=0, part=0)
    last = shown[-1] if len(shown) < len(listed) else None
    older = None if last is None else LIST.fill(campaign=campaign.id, what=what, entry=last.entry, part=last.part)
    pages = page_buttons(("Newest", newest), ("Older", older))
    options = [(item.place, f"#{item.number} {item.status}", strip_marks(item.gist)) for item in shown]
    select = picker(PICK.fill(campaign=campaign.id), "Claim one or mark it done ...", options)
    head, lines = f"{title}{DOT}{plain(campaign.name)}", lines or ["No write-ups that you can see."]
    return receipt(head, lines, COLOURS["neutral"], pages, select)


@component(PICK)
async def pick(interaction: Interaction, *, campaign: int) -> None:
    """Show the picked write-up."""
    await _show(
        interaction, await find_pressed_campaign(interaction, campaign), next(iter(read_picked(interaction)), "")
    )


async def _show(interaction: Interaction, campaign: Campaign, number: str) -> None:
    item = await interaction.client.database.read(queries.find_writeup, person(interaction), campaign, number)
    await say(interaction, view=actions.receipt_of(item, campaign, person(interaction)))


@component(actions.TAKE)
async def take(interaction: Interaction, *, campaign: int, entry: int, part: int) -> None:
    """Claim what a roll called for; its receipt stays."""
    await act(interaction, actions.Claim(number=f"{entry}.{part + 1}", seen=entry), campaign)


@component(actions.CLAIM)
async def claim(interaction: Interaction, *, campaign: int, entry: int, part: int, newest: int) -> None:
    """Claim a write-up."""
    await act(interaction, actions.Claim(number=f"{entry}.{part + 1}", seen=newest), campaign, replaces=True)


@component(actions.GIVE_BACK)
async def give_back(interaction: Interaction, *, campaign: int, entry: int, part: int, newest: int) -> None:
    """Give a write-up back."""
    await act(interaction, actions.GiveBack(number=f"{entry}.{part + 1}", seen=newest), campaign, replaces=True)


class WriteupsForm(Form):
    """Options of `/writeups`."""

    number: actions.AnyNumber | None = option("One write-up, such as 12 or 12.2, with its buttons", default=None)
    state: str = option(
        "Which to list. Default: those still to write",
        default=UNWRITTEN,
        choices={what: title for what, (title, _) in SHOWN.items()},
    )


@app_commands.command(name="writeups")
@fill_form
async def show_writeups(interaction: Interaction, form: WriteupsForm) -> None:
    """List battles and scenes to write up, and claim one."""
    campaign = await desk.desk_of(interaction).campaign(interaction)
    if form.number is None:
        await say(interaction, view=await list_view(interaction, campaign, form.state, None))
    else:
        await _show(interaction, campaign, form.number)


def open_writeups(_tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Return changes that open a write-up for each part of a roll that calls for one."""
    number = made.moment.entry
    return ExtraChanges(
        {
            (queries.key_of(number, place), WRITEUP): {"entry": number, "part": place, "state": OPEN}
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


MAX_CLAIMS = 3  # `/writeups` has the rest


def claims(person: permissions.Person, campaign: Campaign, entry: Entry) -> Iterator[ui.Button[ui.LayoutView]]:
    """Yield buttons that claim write-ups for the parts of a roll that the person may see."""
    for label, key in _list_claims(campaign, entry, None if person.leads(campaign) else "results"):
        yield ui.Button(label=label, custom_id=key)


def _list_claims(campaign: Campaign, entry: Entry, audience: str | None) -> Iterator[tuple[str, str]]:
    parts = entry.content()["parts"]
    called = [
        place for place, part in enumerate(parts) if any(list_calls(part)) and audience in {None, part["audience"]}
    ]
    for place in called[:MAX_CLAIMS]:
        which = f" #{entry.number}.{place + 1}" if len(parts) > 1 else ""
        yield f"Claim write-up{which}", actions.TAKE.fill(campaign=campaign.id, entry=entry.number, part=place)


def offer_claims(campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]) -> Sequence[OutgoingMessage]:
    """Add the claim buttons below the last message that players or a group read."""
    last = {item.kind: place for place, item in enumerate(messages)}
    pages = Counter(item.kind for item in messages)
    below = {}
    for kind, audience in (("results", "results"), ("group", entry.audience), ("published", None)):
        if kind in last and (found := [*_list_claims(campaign, entry, audience)]):
            details = entries_of_rolls.DETAILS.fill(campaign=campaign.id, number=entry.number)
            found += [("Details", details)] * (pages[kind] == 1)
            below[last[kind]] = [(label, key, SECONDARY) for label, key in found]
    return [replace(item, buttons=below.get(place, item.buttons)) for place, item in enumerate(messages)]


def withdraw_by_roll(tx: Connection, made: ResolvedRoll) -> ExtraChanges:
    """Return changes that cancel patrols' battles where a roll begins an ambush (line 23)."""
    ambushed = {
        name_key(name)
        for part in made.resolution.parts
        for item in (part.conclusion.consequences if part.conclusion else ())
        if item.do == "ambush"
        for name in names_of(part.part.subjects.get(item.to or "", ""))
    }
    caught = {
        number_of(key): value
        for (key, name), value in made.before.items()
        if ambushed and name == orders.AWAITS_BATTLE and is_current(value, made.moment)
    }
    named = subjects.name_subjects(tx, made.campaign.id, caught)
    changes: dict[StateKey, object] = {}
    lines: list[str] = []
    for number, value in caught.items():
        if name_key(named[number]) in ambushed:
            for change, line in _cancel_writeups(tx, made.campaign, number, value, made.moment):
                changes[change.subject, change.name] = change.after
                lines.append(line)
    return ExtraChanges(changes, {"withdrawn": lines} if lines else {})


def describe_cancelled(
    campaign: Campaign, entry: Entry, messages: Sequence[OutgoingMessage]
) -> Sequence[OutgoingMessage]:
    """Add a staff message about cancelled battles."""
    lines = entry.content().get("withdrawn")
    if not lines:
        return messages
    embed = discord.Embed(title="Battle cancelled", description="\n".join(map(plain, lines)), colour=COLOURS["neutral"])
    embed.set_footer(text=entry_footer(ledger.EntryView(entry, campaign.name)))
    return [*messages, OutgoingMessage("notice", campaign.staff_channel_id, [embed])]


def withdraw_by_hand(
    tx: Connection, _resolver: resolver.Resolver, campaign: Campaign, effect: StateKey, now: Moment
) -> Iterator[tuple[Change, str]]:
    """Yield changes, with lines about them, if an effect entered by hand is an ambush."""
    subject, name = effect
    kept = state.get_values_named(tx, campaign.id, {subject}, {orders.AWAITS_BATTLE, orders.MOVE_STOPPED})
    caught = kept.get((subject, orders.AWAITS_BATTLE))
    if name != orders.AMBUSH or caught is None or not is_current(caught, now):
        return
    cancelled = list(_cancel_writeups(tx, campaign, number_of(subject), caught, now))
    yield from cancelled
    for _, key, after in orders.ambush_fought(subject, now) if cancelled else ():
        yield Change(subject, key, kept.get((subject, key)), after), ""


def _cancel_writeups(
    tx: Connection, campaign: Campaign, caught: int, value: Mapping[str, object], now: Moment
) -> Iterator[tuple[Change, str]]:
    battles = [(number, caught) for number in orders.list_waiting_battles(value, now)]
    for _, item in _find_deciding(tx, campaign, battles):
        line = (
            f"{item.entry.names().get(caught)} was caught, then ambushed. Only the ambush is fought, and its move is "
            f"stopped. Write-up #{item.number}, the patrol's battle, is cancelled."
        )
        after = {**item.value, "state": WITHDRAWN, "since": now.entry}
        yield Change(queries.key_of(item.entry.number, item.value["part"]), WRITEUP, dict(item.value), after), line


def _find_deciding(
    tx: Connection, campaign: Campaign, battles: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, StoredWriteup]]:
    calling = entries.get_entries(tx, campaign.id, {entry for entry, _ in battles})
    keys = [
        queries.key_of(item.number, place) for item in calling.values() for place in range(len(item.content()["parts"]))
    ]
    kept = state.get_values_named(tx, campaign.id, keys, {WRITEUP})
    for number, caught in battles:
        entry = calling[number]
        name = name_key(entry.names().get(caught, ""))
        for place, part in enumerate(entry.content()["parts"]):
            if any(item["do"] == actions.MOVES and name_key(item["to"] or "") == name for item in part["consequences"]):
                yield caught, StoredWriteup(kept[queries.key_of(number, place), WRITEUP], entry)


MAX_BATTLE = 160  # characters, so several fit on a board


def find_undecided(tx: Connection, campaign: Campaign, now: Moment) -> Iterator[Question]:
    """Yield, as questions, battles whose result a move waits for, oldest first."""
    kept = state.find_values_of_name(tx, campaign.id, orders.AWAITS_BATTLE)
    battles = sorted(
        (entry, number_of(key)) for key, value in kept.items() for entry in orders.list_waiting_battles(value, now)
    )
    names = subjects.name_subjects(tx, campaign.id, {number for _, number in battles})
    for start in range(0, len(battles), queries.CHUNK):
        for number, item in _find_deciding(tx, campaign, battles[start : start + queries.CHUNK]):
            who, place, body = names[number], item.value["part"], item.body
            key = actions.RESULT.fill(campaign=campaign.id, entry=item.entry.number, part=place, newest=item.newest)
            about = shorten(queries.describe_part(body, body["parts"][place]), MAX_BATTLE)
            line = f"Who won? {about} (write-up #{item.number})"
            yield Question(item.entry.number, who, line, f"Did {who} win? (#{item.number})", key, holds=True)


MAX_LINE = 110  # three lines on a phone
COMMAND = "/writeups"


def list_waiting(tx: Connection, _library: library.Library, viewer: visibility.Viewer) -> Iterator[Todo]:
    """Yield battles to decide, and open write-ups."""
    if viewer.person.leads(viewer.campaign):
        battles = find_undecided(tx, viewer.campaign, permissions.find_now(tx, viewer.person, viewer.campaign))
        yield from as_todo("Battles to decide", "undecided battle{s} that a move waits for", battles, COMMAND)
    found, count = queries.list_unclaimed(tx, viewer, FEW)
    if found:
        rows: list[ui.Button[ui.LayoutView]] = [
            ui.Button(
                label=f"Claim #{item.number}",
                custom_id=actions.TAKE.fill(campaign=viewer.campaign.id, entry=item.entry, part=item.part),
            )
            for item in found
        ]
        undone = tally(count, "unclaimed write-up{s}", (f"#{item.number}" for item in found))
        yield Todo("Write-ups to claim", few(map(_line, found), count, COMMAND), [rows], undone=undone)
    found, count = queries.find_claimed(tx, viewer, FEW)
    if found:
        mine = viewer.person.user_id
        whose = {mine: "yours", None: "claimed"}
        lines = (f"{_line(item)}{DOT}{whose.get(item.by, f'claimed by <@{item.by}>')}" for item in found)
        own = [
            actions.finish_button(item, viewer.campaign, f"Done #{item.number}") for item in found if item.by == mine
        ]
        yield Todo("Write-ups claimed", few(lines, count, f"{COMMAND} state:Claimed"), [own] if own else [])


def _line(item: Writeup) -> str:
    return f"\N{BULLET} **#{item.number}** {shorten(item.gist, MAX_LINE)}"


FEATURE = Feature(
    commands=(show_writeups,),
    components=(turn, pick, take, claim, give_back, actions.ask_link, actions.ask_result, actions.finish, actions.end),
    entry_kinds=(actions.WRITEUP_CHANGED,),
    rolls=(
        RollExtension(
            extra=(open_writeups, withdraw_by_roll),  # tables of a campaign's own ambush, too
            messages=(ask_for_threads, offer_claims, describe_cancelled),
            next_steps=(claims,),
        ),
    ),
    questions=(find_undecided,),
    effect_set=withdraw_by_hand,
    todo=list_waiting,
)
