"""The embed of a roll: who did what and how it ended, dice and totals, modifiers, what follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile
from operator import not_

import discord

from bot.core.entry_kinds import Body, EntryView, Publication, View
from bot.core.permissions import is_group
from bot.core.records import Entry, read_body
from bot.rolls.entry_body import (
    deed_of,
    done_body,
    is_calculated,
    is_makers,
    is_shared,
    read_deed,
    throw_body,
    was_kept_private,
)
from bot.rolls.headline import (
    Record,
    describe_outside_failure,
    find_left_out,
    headline,
    join_faces,
    number,
    say_once,
    title,
)
from bot.ui.colours import COLOURS
from bot.ui.receipt import entry_footer
from bot.ui.text import DOT, fit_embeds, has_words, listing, paginate, plain, plus
from rules.dice import BY_HAND, KEPT, SHARED, term_of
from rules.phrases import signed
from rules.procedure import Step, Throw
from rules.tables import Consequence, Deed, Tone

LONGEST_LINE = 400
"""Characters of modifiers in one line; longer lists have a line for each."""

PRIVATE_REASON = "adjusted (reason: game masters only)"
"""What players read instead of a reason that only game masters may read."""


def result_pages(shown: EntryView, view: View) -> list[list[discord.Embed]]:
    """Return the messages that show a roll: staff see every part whole, the public what is theirs to see."""
    body = read_body(shown.entry)
    parts = visible_parts(shown, body, view)
    pages = paginate(embed for part in parts for embed in _part_embeds(shown, body, part, view))
    once = {*filter(None, (_private_first(shown, part) for part in parts)), *describe_outside_failure(body)}
    for page in pages:
        say_once(page, once)
    return pages


def visible_parts(shown: EntryView, body: Body, view: View) -> list[Record]:
    """Return the parts of a roll that this view shows."""
    whole = view == "staff" or shown.published or is_makers(body)
    return [part for part in body["parts"] if whole or is_shared(part)]


def _part_embeds(shown: EntryView, body: Body, part: Record, view: View) -> list[discord.Embed]:
    tone: Tone = part["outcome"]["tone"] if part["outcome"] else "neutral"
    first = _private_first(shown, part)
    return fit_embeds(
        title(body, part, view),
        dropwhile(not_, _lines(shown, body, part, view)),
        colour=COLOURS[tone],
        footer=entry_footer(shown, *([first] if first else []), *describe_outside_failure(body)),
    )


def _lines(shown: EntryView, body: Body, part: Record, view: View) -> Iterator[str]:
    entry = shown.entry
    yield from _situation(body, part)
    yield from _rolled_by(shown, body, part)
    if "amends" in body:
        yield f"-# {_amends(body, view)}"
    if part["unrolled"]:
        yield f"{plain(part['unrolled'])}: no dice needed."
    if view == "staff" or not part["secret"]:
        for block in _blocks(part["steps"]):
            yield ""
            yield "\n".join(_block_lines(entry, body, block, view))
        if part.get("unused"):
            yield ""
            yield f"**Unused dice:** {dice_line(part['unused'])}"
        yield from _overruled_lines(part, view)
    elif is_calculated(part):
        yield "*Dice and modifiers: game masters only.*"
        by_hand = list(_done_by_hand(part))
        yield from [f"**By hand:** {listing(by_hand)}."] if by_hand else []
    follows = [*filter(None, [find_left_out(body, part)]), *map(_consequence_text, part["consequences"])]
    if follows:
        yield ""
        yield f"**What follows:** {'. '.join(follows)}."
    for name, label in _texts(shown, body, part, view):
        text = entry.text(name, body)
        if text:
            yield f"**{label}:** {plain(text)}"


def _amends(body: Body, view: View) -> str:
    """Return that a roll amends another; the public reads no number where that one was private."""
    if view == "public" and body.get("amends_private") and not is_makers(body):
        return "Amends a private roll, which only game masters see."
    return f"Amends #{body['amends']}, with the same dice."


def _overruled_lines(part: Record, view: View) -> Iterator[str]:
    """Yield the modifiers that a person left out; the public doesn't read the names of hidden ones."""
    taken = part.get("overruled", [])
    labels = [plain(item["label"]) for item in taken if view == "staff" or not item["secret"]]
    labels += ["something hidden"] if len(labels) < len(taken) else []
    if labels:
        yield ""
        yield f"**Left out by hand:** {listing(labels)}"


def _done_by_hand(part: Record) -> Iterator[str]:
    """Yield what people did to a roll, apart from how much and to what."""
    dice = [roll for step in part["steps"] for roll in step.get("dice", [step])]
    if any(step.get("adjustments") for step in part["steps"]):
        yield "adjusted by a game master"
    if part.get("overruled"):
        yield "a known modifier left out"
    if any(BY_HAND in roll["drawn"] for roll in dice):
        yield "a face typed in"


def _texts(shown: EntryView, body: Body, part: Record, view: View) -> Iterator[tuple[str, str]]:
    """Yield the free texts to show: a note is public only with a roll that was its readers' as a whole from the start, a reason never."""
    theirs = all(is_shared(other) and "published" not in other for other in body["parts"])
    whole = theirs and not part["secret"] and not (is_group(part["audience"]) and shown.published)
    if view == "staff" or whole:
        yield "note", "Note"
    if view == "staff" or not body.get("amends_private"):
        yield "amended", "Amended because"
    if view == "staff":
        yield "reason", "Rolled again because"


def unknown_embed(shown: EntryView, lines: Iterable[str]) -> discord.Embed:
    """Return what changed the roll without the player knowing, for the staff channel."""
    text = "\n".join(map(plain, lines))
    embed = discord.Embed(title="Hidden from the player", description=text, colour=COLOURS["neutral"])
    return embed.set_footer(text=entry_footer(shown))


def _situation(body: Body, part: Record) -> Iterator[str]:
    """Yield what was chosen, where and in which week it happened, in one line."""
    region, about = part.get("region", body["region"]), headline(body, part, mark="")
    facts = [choice[:1].upper() + choice[1:] for choice in part["choices"].values()]
    facts += [plain(region)] if region and not has_words(about, plain(region)) else []
    facts += [f"week {body['week']}"] if body.get("week") is not None else []
    if facts:
        yield f"-# {DOT.join(facts)}"


def _rolled_by(shown: EntryView, body: Body, part: Record) -> Iterator[str]:
    """Yield who rolled where anybody could do so under a label; for whom, where several did."""
    by = {role: f"<@{shown.people[name]}>" for role, name in body.get("by", {}).items() if name in shown.people}
    if by:
        several = [f"{who} for {plain(part['subjects'][role])}" for role, who in by.items() if role in part["subjects"]]
        yield f"-# {deed_of([part])} by {listing(several if len(by) > 1 else list(by.values()))}"


def _blocks(steps: Sequence[Record]) -> Iterator[list[Record]]:
    """Yield steps by what is told together: rolls against each other that are repeated, and what needs no dice with what is before it."""
    block: list[Record] = []
    for place, step in enumerate(steps):
        throws = step.get("dice")
        goes_on = throws == [] if throws is not None else _repeats(block, steps[place : place + 2])
        if block and not goes_on:
            yield block
        block = [*block, step] if goes_on else [step]
    yield from [block] if block else []


def _repeats(block: Sequence[Record], pair: Sequence[Record]) -> bool:
    """Return whether a step goes on with a block: against the roll that begins it, or as one more roll of the same two."""
    if len(block) % 2:
        return not any("dice" in step for step in block) and _opposed(block[-1], pair[0])
    alike = [_counting(step) for step in block[:2]] == [_counting(step) for step in pair]
    return bool(block) and alike and _opposed(*pair)


def throw_lines(steps: Iterable[Step | Throw]) -> list[str]:
    """Return how dice fell that no entry keeps."""
    return [line for step in steps if isinstance(step, Throw) for line in ("", *_throw_lines({}, throw_body(step)))]


def _opposed(step: Record, other: Record) -> bool:
    return "reads" not in step and other.get("reads") == "reach" and other["value"] == step["total"]


def _counting(step: Record) -> object:
    """Return what a roll is made on, and what counts on it; nothing of other steps."""
    return [step.get(name) for name in ("table", "die", "modifiers", "adjustments")]


def _block_lines(entry: Entry, body: Body, block: Sequence[Record], view: View) -> Iterator[str]:
    if len(block) > 2 and "dice" not in block[-1]:  # noqa: PLR2004 - more than one pair
        yield from _repeated_lines(entry, body, block, view)
        return
    for place, step in enumerate(block):
        yield from [""] if place and "dice" not in step else []
        met = not step.get("natural") and any(_opposed(step, other) for other in block[place + 1 : place + 2])
        yield from _throw_lines(body, step) if "dice" in step else _table_lines(entry, body, step, view, met=met)


def _repeated_lines(entry: Entry, body: Body, block: Sequence[Record], view: View) -> Iterator[str]:
    """Yield what two rolls are made on and what counts, once, and a line for each time that they were made."""
    for step, between in zip(block[:2], ("", "against "), strict=True):
        yield f"{between}**{plain(step['title'])}**, {step['die']}"
        yield from _counted_lines(entry, body, step, view)
    for place in range(0, len(block), 2):
        first, second = block[place : place + 2]
        decided = f" ({plain(first['row']['text'])})" if first["natural"] else ""
        rolls = f"{_fallen(body, first)}{decided} against {_fallen(body, second)}"
        yield f"{place // 2 + 1}) {rolls} \N{RIGHTWARDS ARROW} {plain(second['row']['text'])}"


def _throw_lines(body: Body, throw: Record) -> Iterator[str]:
    """Yield what the dice were for, their faces by kind of die, and the result; in one line where there are none."""
    if not throw["dice"]:
        yield (f"**{plain(throw['title'])}:** " if throw["title"] else "") + plain(throw["text"])
        return
    yield f"**{plain(throw['title'])}**"
    thrown = [
        f"{_term(die, faces)}: **{', '.join(map(str, faces))}**{drawn}"
        for (die, drawn), faces in _by_kind(body, throw["dice"]).items()
    ]
    yield f"{', '.join(thrown)} \N{RIGHTWARDS ARROW} {plain(throw['text'])}"


def _by_kind(body: Body, dice: Iterable[Record]) -> dict[tuple[str, str], list[int]]:
    """Return the faces of dice with the same sides and source, by sides and source label."""
    faces: dict[tuple[str, str], list[int]] = {}
    for roll in dice:
        sides = str(term_of(roll["die"]).sides)
        faces.setdefault((sides, _drawn(body, roll)), []).extend(roll["faces"])
    return faces


def _drawn(body: Body, roll: Record) -> str:
    """Return whence faces come, where that is to be told: typed by hand; in an amended roll also kept or new."""
    if roll["drawn"] == SHARED:
        return " (the same die)"
    sources = [source if source in {BY_HAND, KEPT} else "new" for source in roll["drawn"].split(" and ")]
    shown = sources if "amends" in body else [source for source in sources if source == BY_HAND]
    return f" ({listing(shown)})" if shown else ""


def new_dice(part: Record) -> list[Record]:
    """Return the dice of a part of an amended roll that were thrown for it, with the faces that are new."""
    rolls = [roll for step in part["steps"] for roll in step.get("dice", [step])]
    return [roll for roll in rolls if not {BY_HAND, KEPT, SHARED, ""}.issuperset(roll["drawn"].split(" and "))]


def dice_line(dice: Iterable[Record]) -> str:
    """Return dice with their faces."""
    return ", ".join(f"{roll['die']}: {join_faces(roll)}" for roll in dice)


def _term(sides: str, faces: Sequence[int]) -> str:
    return f"{len(faces)}d{sides}" if len(faces) > 1 else f"d{sides}"


def _table_lines(entry: Entry, body: Body, step: Record, view: View, *, met: bool = False) -> Iterator[str]:
    """Yield a roll on a table and what counted; of one that is `met` the roll against it tells what comes of it."""
    natural = ", decided by the die alone" if step["natural"] else ""
    yield f"**{plain(step['title'])}**"
    outcome = "" if met else f" \N{RIGHTWARDS ARROW} {plain(step['row']['text'])}{natural}"
    yield f"{_total_text(body, step)}{outcome}"
    yield from _counted_lines(entry, body, step, view)


def _counted_lines(entry: Entry, body: Body, step: Record, view: View) -> Iterator[str]:
    """Yield everything that counted on a roll, in one line where that is short enough."""
    counted = [_counted(item) for item in step["modifiers"] if item["count"]]
    adjusted = step["adjustments"]
    counted += [f"{signed(item['value'])} {reason_of(entry, body, item, view)} (game master)" for item in adjusted]
    one_line = ", ".join(counted)
    yield from [f"-# {line}" for line in ([one_line] if len(one_line) <= LONGEST_LINE else counted) if line]


def _total_text(body: Body, step: Record) -> str:
    """Return what was thrown or counted, what was added, and what that came to or had to reach."""
    thrown, added = f"{step['die']}: {_faces(body, step)}", _added(step)
    match step.get("reads"):
        case "number":
            return f"{number(step['value'])} {added} = **{number(step['total'])}**"
        case "under":
            return f"{thrown}, at most {number(step['value'])} {added} = **{number(step['value'] + step['sum'])}**"
        case "reach":
            return f"{thrown} {added} = **{number(step['total'])}** against **{number(step['value'])}**"
        case _:
            return f"{thrown} {added} = **{number(step['total'])}**"


def _fallen(body: Body, step: Record) -> str:
    """Return the faces of a roll, what was added, and what that came to."""
    return f"{_faces(body, step)} {_added(step)} = **{number(step['total'])}**"


def _faces(body: Body, step: Record) -> str:
    return f"**{join_faces(step)}**{_drawn(body, step)}"


def _added(step: Record) -> str:
    return plus(step["sum"]) + (f" (limit, from {signed(step['uncapped'])})" if "uncapped" in step else "")


def reason_of(entry: Entry, body: Body, adjustment: Record, view: View) -> str:
    """Return why a game master adjusted a roll, as far as it is for these readers."""
    if view != "staff" and adjustment.get("private"):
        return PRIVATE_REASON
    reason = entry.text(adjustment["text"], body)
    return plain(reason) if reason else "reason erased"


def _counted(item: Record) -> str:
    times = f" \N{MULTIPLICATION SIGN} {item['count']}" if item["count"] > 1 else ""
    source = f" ({item['origin']['label']})" if item["origin"] else ""
    return f"{signed(item['value'] * item['count'])} {plain(item['label'] + times + source)}"


def _consequence_text(item: Record) -> str:
    text: str = read_deed(item)["text"]
    return text.replace("{to}", plain(item["to"] or ""))


def consequences_text(
    consequences: Sequence[Consequence], subjects: Mapping[str, str], deeds: Mapping[str, Deed]
) -> str:
    """Return what a row would do to those in its roles, in words; empty when it does nothing."""
    return ". ".join(_consequence_text(done_body(deeds[item.do], item, subjects)) for item in consequences)


def _private_first(shown: EntryView, part: Record) -> str | None:
    """Return how a part is public that was rolled in private: out of how many such rolls, unless the rules had it so."""
    inherited = part.get("published")
    published = shown.published if inherited is None else Publication(**inherited)
    if published is None or (inherited is None and part["audience"] == "results"):
        return None
    update = f"in update {published.update}"
    tries = f", {published.tries} earlier private {'try' if published.tries == 1 else 'tries'} {update}"
    before = tries if published.tries else ""
    if not was_kept_private(shown.entry.content()):
        return f"Rolled privately first (per the rules){before}"
    only, several = "the only private roll", f"1 of {published.rolls} private rolls"
    counted = f", {only if published.rolls == 1 else several} by this person {update}" if published.rolls else ""
    return f"Rolled privately first{counted}{before}"
