"""Amend a roll: make it again with the same dice, and say in its channels what changed."""

from collections.abc import Iterator
from contextlib import suppress

import discord
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.core import entries, errors, scenes, subjects, voiding
from bot.core.campaigns import (
    Campaign,
    find_pseudonym,
    find_update_entry,
    open_campaign,
    require_on_server,
    require_open,
)
from bot.core.ledger import Body, EntryView, View
from bot.core.permissions import Person, find_readable, find_unreadable, is_group
from bot.core.records import Entry, read_body
from bot.core.visibility import make_viewer
from bot.outbox import queue as posts
from bot.outbox.queue import OutgoingMessage
from bot.rolls import request, void
from bot.rolls.amended import find_first_number, is_too_low, rebuild_request
from bot.rolls.card import service
from bot.rolls.card.store import CardKey, CardView
from bot.rolls.embed import dice_line, new_dice, reason_of
from bot.rolls.entry_body import headline, outcome_line
from bot.rolls.preview import require_procedure
from bot.rolls.resolver import Resolver, RollOrder, RollResult
from bot.ui.receipt import entry_footer
from bot.ui.text import COLOURS, fit_lines, join_words, plain
from rules.dice import KEPT
from rules.errors import RulesError
from rules.phrases import format_signed
from rules.stages import PUSH
from rules.subjects import subject_number

ARROW = " \N{RIGHTWARDS ARROW} "
UNCHANGED = "Unchanged: "


def _list_differences(old: Entry, new: Entry, view: View) -> Iterator[str]:
    before, after = read_body(old), read_body(new)
    changed, same = False, []
    for was, now in zip(before["parts"], after["parts"], strict=True):
        known = "results" in {old.audience, was["audience"]} and now["audience"] == "results"
        if view != "staff" and not known:
            continue
        whole = view == "staff" or not (was["secret"] or now["secret"])
        about, about_now = headline(before, was), headline(after, now)
        details = [
            *_describe_names(was, now),
            *(_list_counted((old, before, was), (new, after, now), view) if whole else ()),
        ]
        if (about, _outcome(was)) != (about_now, _outcome(now)):
            yield f"{about}: {_outcome(was)}{ARROW}{f'{about_now}: ' if about_now != about else ''}**{_outcome(now)}**"
        elif details:
            yield f"{about}: still **{_outcome(now)}**"
        else:
            same.append(outcome_line(after, now, _outcome(now)))
            continue
        yield from details
        changed = True
    if same and not changed:
        yield f"{UNCHANGED}{'; '.join(same)}"


def _outcome(part: Body) -> str:
    return plain(part["outcome"]["text"]) if part["outcome"] else "not rolled"


def _describe_names(was: Body, now: Body) -> Iterator[str]:
    for field, missing in (("subjects", "no one"), ("choices", "not chosen")):
        for name, value in now[field].items():
            before = was[field].get(name, missing)
            if before != value:
                yield f"\N{BULLET} {name}: {plain(before)}{ARROW}{plain(value)}"


def _list_counted(old: tuple[Entry, Body, Body], new: tuple[Entry, Body, Body], view: View) -> Iterator[str]:
    before, after = _describe_weights(*old, view), _describe_weights(*new, view)
    gone = [line for line in before if line not in after]
    come = [line for line in after if line not in before]
    for text, lines in (("Now counts", come), ("No longer counts", gone)):
        if lines:
            yield f"\N{BULLET} {text}: {join_words(lines)}"
    part = new[2]
    fresh = [_without_kept(roll) for roll in new_dice(part)]
    for text, dice in (("New dice", fresh), ("Unused dice", part["unused"])):
        if dice:
            yield f"\N{BULLET} {text}: {dice_line(dice)}"


def _without_kept(roll: Body) -> Body:
    if "first" not in roll or KEPT not in roll["drawn"]:
        return roll
    faces = roll["faces"][roll["first"] :]
    return {**roll, "faces": faces, "die": f"{len(faces)}d{roll['die'].partition('d')[2]}"}


def _describe_weights(entry: Entry, body: Body, part: Body, view: View) -> list[str]:
    lines: dict[str, None] = {}
    for step in part["steps"]:
        for item in step.get("modifiers", ()):
            if item["count"]:
                lines[f"{format_signed(item['value'] * item['count'])} {plain(item['label'])}"] = None
        for item in step.get("adjustments", ()):
            lines[f"{format_signed(item['value'])} {reason_of(entry, body, item, view)}"] = None
    return list(lines)


MAX_NOTICE = 3500
PUSHED = "Pushed"
ONCE = "A roller can push a roll once in its update, if it's too low and nothing builds on it."

OTHERWISE = "Undo it with /gm undo, then use its command again."


def plan(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, number: int) -> void.VoidPlan:
    """Return what an amendment undoes, the roll itself last. NotOpen where it can't be amended."""
    entry = voiding.find_valid_entry(tx, person, campaign, number, "amend rolls")
    if entry.kind != "roll":
        raise errors.NotOpen(f"Entry #{number} isn't a roll, so you can't amend it.", OTHERWISE)
    body = entry.content()
    if not resolver.library.book(tx, campaign, body["book"]).procedure(body["family"]).amendable:
        raise errors.NotOpen(f"Entry #{number} can't be amended: {body['title']} has no modifiers.", OTHERWISE)
    return void.plan_of(tx, resolver, person, campaign, entry, amended=True)


def is_amendable(tx: Connection, resolver: Resolver, campaign: Campaign, entry: Entry) -> bool:
    """Return whether an entry is a roll of a kind that can be amended."""
    with suppress(errors.UserError, RulesError):
        body = entry.content()
        return (
            entry.kind == "roll"
            and resolver.library.book(tx, campaign, body["book"]).procedure(body["family"]).amendable
        )
    return False


def open_again(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, order: void.VoidOrder) -> CardView:
    """Open the card of a roll again, to amend it."""
    require_on_server(tx, person.guild_id, campaign_id)
    campaign = open_campaign(tx, campaign_id)
    planned = plan(tx, resolver, person, campaign, order.number)
    why = void.require_agreed(planned, order, "Press Amend again.")
    entry = planned.chain[-1]
    first = find_first_number(entry.number, entry.content())
    amends = request.AmendedEntry(number=order.number, since=first, why=why, upto=order.upto)
    return service.open_card(tx, resolver, person, campaign, rebuild_request(entry, amends))


def roll(  # noqa: PLR0913 - the card, and what it amends
    tx: Connection,
    resolver: Resolver,
    person: Person,
    key: CardKey,
    amends: request.AmendedEntry,
    *,
    unchanged: bool = True,
) -> object:
    """Amend with a card and undo later entries. Unless `unchanged`, refuse a card that changes nothing."""
    planned = plan(tx, resolver, person, open_campaign(tx, key.campaign_id), amends.number)
    wanted = void.VoidOrder(amends.number, amends.why, amends.upto)
    why = void.require_agreed(planned, wanted, "Nothing was amended. Run /gm amend again.")
    *later, entry = planned.chain
    undone = void.void_all(tx, resolver, person, replace(planned, chain=tuple(later)), why)
    rolled = service.roll(tx, resolver, person, key)
    if not isinstance(rolled, RollResult):
        return rolled
    notices = list(_list_notices(tx, rolled, entry, person.user_id))
    queued = resolver.outbox.queue(tx, rolled.campaign.id, rolled.entry.number, notices, rolled.posts)
    changed = (*_list_differences(entry, rolled.entry, "staff"), *_list_overtaken_rolls(tx, rolled))
    alike = entry.audience == rolled.entry.audience and rebuild_request(entry) == rebuild_request(rolled.entry)
    if not unchanged and alike and not later and changed and changed[0].startswith(UNCHANGED):
        raise errors.NotAsItIs("Nothing would change.", "Change something on the card first, or press Cancel.")
    struck = void.restyle_posts(tx, resolver.outbox, resolver.kinds, rolled.campaign, entry)
    return replace(rolled, posts=(*rolled.posts, *undone.posts, *queued, *struck), notes=changed)


def may_push(tx: Connection, resolver: Resolver, person: Person, campaign: Campaign, entry: Entry) -> bool:
    """Return whether its roller, in its update, or a game master may push a valid roll."""
    own = entry.actor == find_pseudonym(tx, campaign.id, person.user_id)
    if entry.kind != "roll" or not (person.leads(campaign) or own):
        return False
    body, leads = entry.content(), person.leads(campaign)
    with suppress(errors.UserError, RulesError):
        require_open(campaign)
        book = resolver.library.book(tx, campaign, body["book"])
        procedure = book.procedure(body["family"])
        require_procedure(person, campaign, procedure)
        low = PUSH in procedure.choices and is_too_low(body, procedure, book, secrets=leads)
        return low and (leads or entry.number > find_update_entry(tx, campaign.id))
    return False


def push(tx: Connection, resolver: Resolver, person: Person, campaign_id: int, number: int) -> RollResult:
    """Throw what isn't kept of a roll again."""
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, campaign_id).id)
    entry, mark = find_readable(tx, person, campaign, number), voiding.find_mark(tx, campaign.id, number)
    if entry is not None and mark is not None:
        raise voiding.refuse_void(number, mark)
    refused = errors.NotOpen(f"You can't push entry #{number}.", ONCE)
    if entry is None or not may_push(tx, resolver, person, campaign, entry):
        raise refused
    try:
        planned = void.plan_of(tx, resolver, person, campaign, entry, amended=True)
    except errors.UserError as error:  # it may say what only game masters know
        raise refused from error
    viewer = make_viewer(tx, person, campaign)
    hidden = find_unreadable(tx, person, campaign, viewer.mine, planned.used)  # a refusal would show them
    if len(planned.chain) > 1 or not hidden.issuperset(planned.used):
        raise refused
    since = find_first_number(number, entry.content())
    again = rebuild_request(entry, request.AmendedEntry(number=number, since=since, why=PUSHED, upto=planned.upto))
    parts = tuple(replace(part, choices={**part.choices, PUSH.id: PUSH.options[1]}) for part in again.parts)
    preview = resolver.preview(tx, campaign, replace(again, parts=parts))
    with resolver.in_past(tx, campaign, preview.then):
        resolver.require_able(tx, viewer, preview)
    known = (person.leads(campaign), preview, viewer.mine, person.interaction)
    rolled = resolver.roll(tx, RollOrder(campaign.id, person.user_id, preview.request, None, None, *known))
    body = read_body(rolled.entry)
    if body["overtaken"] or not any(new_dice(part) for part in body["parts"]):
        raise refused
    struck = void.restyle_posts(tx, resolver.outbox, resolver.kinds, rolled.campaign, entry)
    return replace(rolled, posts=(*rolled.posts, *struck))


def link(tx: Connection, resolver: Resolver, rolled: RollResult) -> tuple[posts.Post, ...]:
    """Link the messages of the amended roll to the new one: public ones only to public ones."""
    number = rolled.entry.content()["amends"]
    entry = entries.get_entry(tx, rolled.campaign.id, number)
    if entry is None:
        return ()
    links: dict[View, str] = {}
    for post in posts.posts_of_entry(tx, rolled.campaign.id, rolled.entry.number):
        where, may_show = post.link(rolled.campaign.guild_id), post.kind != "group" or is_group(entry.audience)
        if where is not None and may_show and post.kind in posts.SHOWS:
            links.setdefault(posts.SHOWS[post.kind], where)
    if "public" in links:
        links.setdefault("staff", links["public"])
    return tuple(void.restyle_posts(tx, resolver.outbox, resolver.kinds, rolled.campaign, entry, links))


def _list_notices(tx: Connection, rolled: RollResult, old: Entry, user_id: int) -> Iterator[OutgoingMessage]:
    campaign, new = rolled.campaign, rolled.entry
    if old.audience == "person":
        return
    if old.audience in void.PUBLIC:
        embed = _notice(tx, rolled, old, user_id, "public")
        yield OutgoingMessage("results", campaign.results_channel_id, [embed])
    hidden = any(part["secret"] for item in (old, new) for part in item.content()["parts"])
    if hidden or old.audience != "results" or new.audience != "results":
        embed = _notice(tx, rolled, old, user_id, "staff")
        yield OutgoingMessage("notice", campaign.staff_channel_id, [embed])


def _notice(tx: Connection, rolled: RollResult, old: Entry, user_id: int, view: View) -> discord.Embed:
    new = rolled.entry
    lines = list(_list_differences(old, new, view))
    if view == "staff":
        lines += _list_overtaken_rolls(tx, rolled)
    elif any(part["audience"] != "results" for part in new.content()["parts"]):
        lines.append(f"The {'rest of the ' if lines else ''}result is for game masters only.")
    again = new.text("reason") if view == "staff" else None
    lines += [f"**Rolled again because:** {plain(again)}"] if again and again != old.text("reason") else []
    lines += [f"**Why:** {plain(new.text('amended') or 'erased')}", f"Amended by <@{user_id}>."]
    title = f"Entry #{old.number} was amended by #{new.number}"
    text = "\n".join(fit_lines(MAX_NOTICE, lines))
    embed = discord.Embed(title=title, description=text, colour=COLOURS["neutral"])
    return embed.set_footer(text=entry_footer(EntryView(new, rolled.campaign.name)))


def _list_overtaken_rolls(tx: Connection, rolled: RollResult) -> Iterator[str]:
    keys, campaign = read_body(rolled.entry)["overtaken"], rolled.campaign.id
    numbers = {number for key in keys if (number := subject_number(key)) is not None}
    played = (header.name for key in keys if (header := scenes.find_header(tx, campaign, key)))
    named = [plain(name) for name in (*subjects.name_subjects(tx, campaign, numbers).values(), *played)]
    if named:
        yield f"Left as it is, since later entries changed it: {join_words(named)}."
