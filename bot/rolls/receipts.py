"""What people see after a roll or change: the receipt, and where its posts are."""

from collections.abc import Collection, Iterator, Mapping, Sequence

import discord
from discord import ui

from bot.core.campaigns import Campaign
from bot.core.permissions import Person, is_group, may_maker_read, name_if_current
from bot.core.records import read_body
from bot.outbox.delivery import Show
from bot.outbox.queue import LETTER, Post
from bot.rolls import desk, embed, entries, entry_body, resolver
from bot.ui import answering, reply
from bot.ui.receipt import receipt
from bot.ui.text import COLOURS, fit_lines, plain, shorten
from rules.expression import BadExpression

ROOM_FOR_OUTCOMES, ROOM_FOR_NOTES, ROOM_FOR_POSTS, ROOM_FOR_NOTE = 2300, 1300, 1100, 300
MOST_LINKS = 4
ROOM_BEFORE, ROOM_AFTER = 24, 12
"""Characters shown around the fault of a dice expression."""

HIDDEN: Mapping[str, str] = {
    "staff": "-# Game masters only. Publish shows it to everyone.",
    "mixed": "-# Players see part of this. Publish shows them the rest.",
    "maker": "-# This isn't public. Publish shows it to everyone.",
    "group": "-# Only {group} sees this. Publish shows it to everyone.",
}


async def deliver(interaction: reply.AnyInteraction, posts: Sequence[Post], show: Show, *, done: str) -> None:
    """Send posts and show whether they arrived, again once slow ones have. `done` says what happened, in case the answer is lost."""
    answering.note_done(interaction, done)
    await desk.desk_of(interaction).outbox.deliver(interaction.client, posts, show)


async def group_of(interaction: reply.AnyInteraction, rolled: resolver.RollResult) -> str:
    """Return the name of the group that a roll is for; empty if none."""
    if not is_group(rolled.entry.audience):
        return ""
    return await desk.desk_of(interaction).database.read(name_if_current, rolled.campaign.id, rolled.entry.audience)


def roll_receipt(  # noqa: PLR0913 - what was rolled, where it went, and who reads of it where
    rolled: resolver.RollResult,
    posts: Sequence[Post],
    asides: Sequence[str] = (),
    steps: Sequence[ui.Button[ui.LayoutView]] = (),
    *,
    reader: Person,
    here: int | None = None,
    group: str = "",
) -> ui.LayoutView:
    """Return the message that replaces a rolled card. Posts in the reader's channel (`here`) aren't secret."""
    campaign = rolled.campaign
    leads = reader.leads(campaign)
    about = {rolled.entry.number} if rolled.notes else {rolled.entry.number, None}
    own = [post for post in posts if post.entry_number in about and post.kind != "board"]
    visible = [post for post in own if leads or post.kind == "results" or post.channel_id == here]
    shows_all = leads or any(post.kind == "group" for post in visible)
    room = ROOM_FOR_OUTCOMES - (ROOM_FOR_NOTES if rolled.notes else 0)
    told = _list_outcomes(rolled, () if leads else rolled.unknown, all_of_it=shows_all, leads=leads)
    outcomes = fit_lines(room, list(told))
    audience = rolled.entry.audience
    kind = "group" if group else "staff" if is_group(audience) else audience
    hidden = [HIDDEN[kind].format(group=plain(group))] if leads and kind in HIDDEN else []
    note = rolled.entry.text("note") if leads else None
    noted = [f"**Note:** {plain(shorten(note, ROOM_FOR_NOTE))}"] if note else []
    lines = [
        *outcomes,
        *noted,
        *hidden,
        *fit_lines(ROOM_FOR_NOTES, rolled.notes),
        *asides,
        *delivery_lines(campaign, visible),
    ]
    faults = any(post.fault for post in visible)
    colour = COLOURS["danger" if faults else "success"]
    number = rolled.entry.number
    public = [entries.publish_button(campaign.id, number)] if hidden else []
    buttons = [*public, *corrections(rolled)] if leads else []
    return receipt(title_of(rolled, reader), lines, colour, [*steps, *buttons])


def corrections(rolled: resolver.RollResult) -> list[ui.Button[ui.LayoutView]]:
    """Return a roll's undo and amend buttons."""
    ref = (rolled.campaign.id, rolled.entry.number)
    return [entries.take_back_button(*ref), *([entries.amend_button(*ref)] if rolled.amendable else [])]


def title_of(rolled: resolver.RollResult, reader: Person) -> str:
    """Return a receipt's title: the entry, if the reader may know of it."""
    if not may_maker_read(reader, rolled.campaign, rolled.entry):
        return "Rolled"
    body = rolled.entry.content()
    if body.get("amends"):
        return f"Amended: entry #{rolled.entry.number} replaces #{body['amends']}"
    leads = reader.leads(rolled.campaign)
    seen = [
        part
        for part in body["parts"]
        if leads or (_is_shown_to_maker(part) and not (part["secret"] and entry_body.is_calculated(part)))
    ]
    return f"{entry_body.choose_verb(seen) if seen else 'Rolled'}: entry #{rolled.entry.number}"


def _list_outcomes(
    rolled: resolver.RollResult, unknown: Collection[str], *, all_of_it: bool, leads: bool
) -> Iterator[str]:
    body = read_body(rolled.entry)
    seen = [(part, all_of_it or _is_shown_to_maker(part)) for part in body["parts"]]
    known = [(part, visible) for part, visible in seen if visible or not {*part["subjects"].values()} & {*unknown}]
    for part, visible in known or seen:
        if not visible:
            yield f"{entry_body.headline(body, part, unknown=unknown)}: the game masters have the result"
            continue
        text = plain(part["outcome"]["text"]) if part["outcome"] else f"not rolled. {plain(part['unrolled'])}"
        yield entry_body.outcome_line(body, part, text, unknown=unknown)
        yield from filter(None, [embed.describe_dice(body, part)] if leads or not part["secret"] else [])


def _is_shown_to_maker(part: Mapping[str, object]) -> bool:
    return part["audience"] in {"results", "maker"}


def delivery_lines(campaign: Campaign, posts: Sequence[Post]) -> Iterator[str]:
    """Yield where posts are, or why they aren't posted yet, while there is room."""
    shown = [post for post in posts if post.kind != LETTER]  # who gets letters stays private
    return fit_lines(ROOM_FOR_POSTS, list(_post_lines(campaign, shown)))


def list_posted(campaign: Campaign, posts: Sequence[Post]) -> Iterator[str]:
    """Yield a line for each channel with links to its posts."""
    by_channel: dict[int, list[Post]] = {}
    for post in posts:
        if post.message_id is not None:
            by_channel.setdefault(post.channel_id, []).append(post)
    for channel, (first, *others) in by_channel.items():
        links = [f"[Posted]({first.link(campaign.guild_id)}) in <#{channel}>"]
        for place, post in enumerate(others[: MOST_LINKS - 1], 1):
            links.append(f"[{_name_post(post, [first, *others][:place])}]({post.link(campaign.guild_id)})")
        more = [f"and {len(others) + 1 - MOST_LINKS} more"] * (len(others) >= MOST_LINKS)
        yield ", ".join(links + more)


def _name_post(post: Post, before: Sequence[Post]) -> str:
    if post.thread_name:
        return post.thread_name
    kinds = [item.kind for item in before if item.entry_number == post.entry_number]
    if not kinds:
        return "another message" if post.entry_number is None else f"entry #{post.entry_number}"
    return f"page {kinds.count(post.kind) + 1}" if post.kind in kinds else post.kind


def _post_lines(campaign: Campaign, posts: Sequence[Post]) -> Iterator[str]:
    yield from list_posted(campaign, posts)
    waiting = [post for post in posts if post.message_id is None]
    soon = dict.fromkeys(post.channel_id for post in waiting if post.fault is None)
    yield from (f"Waiting for Discord to post it in <#{channel}>." for channel in soon)
    for post in waiting:
        if post.fault is not None:
            safe = f"The result is safe as entry #{post.entry_number}. " if post.entry_number else ""
            trying = f"{safe}I'll keep trying."
            yield f"\N{WARNING SIGN} Not posted yet: {post.fault}. {trying}"


def fault_embed(expression: str, fault: BadExpression) -> discord.Embed:
    """Return a faulty expression with a mark under its fault."""
    start, end = max(0, fault.place - 1 - ROOM_BEFORE), fault.place - 1 + ROOM_AFTER
    first, last = "\N{HORIZONTAL ELLIPSIS}" if start else "", "\N{HORIZONTAL ELLIPSIS}" if end < len(expression) else ""
    shown = "".join(sign if sign.isprintable() and sign != "`" else " " for sign in expression[start:end])
    marked = f"{first}{shown}{last}\n{' ' * (fault.place - 1 - start + len(first))}^"
    text = f"{plain(str(fault))}\n```\n{marked}\n```\nNothing was rolled."
    return discord.Embed(title="That won't work", description=text, colour=COLOURS["danger"])
