"""The embed of a roll: outcome, who against whom, die and total, what counted, what follows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile
from operator import not_
from typing import Any

import discord

from bot.core.entry_kinds import Body, EntryView, Publication, View
from bot.core.groups import is_group
from bot.core.people import told
from bot.core.records import Entry
from bot.core.visibility import unknown_as
from bot.rolls.entry_body import deed_of, deed_told, done_body, is_makers, is_reckoned, is_shared, throw_body, was_kept
from bot.rolls.footers import footer, outside_told, say_once
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.entries import entry_footer
from bot.ui.text import listing, plain, plus, tells
from rules.deeds import Deed
from rules.dice import BY_HAND, KEPT, SHARED, term_of
from rules.modifiers import BY_HAND as TICKED
from rules.phrases import signed
from rules.procedure import Step, Throw
from rules.subjects import name_key
from rules.tables import Consequence

Record = Mapping[str, Any]
"""A part, step or consequence in the body of a roll's entry, as `entry_body` writes it."""

PRIVATE_REASON = "adjusted; the reason stays with the staff"
"""What players read in place of an adjustment's reason that is for the staff alone."""


def result_pages(shown: EntryView, view: View) -> list[list[discord.Embed]]:
    """Return the messages that show a roll: staff see every part whole, the public what is theirs to see."""
    body = told(shown.entry)
    whole = view == "staff" or shown.published or is_makers(body)
    parts = [part for part in body["parts"] if whole or is_shared(part)]
    pages = paging.pages(embed for part in parts for embed in _part_embeds(shown, body, part, view))
    once = {*filter(None, (_private_first(shown, part) for part in parts)), *outside_told(body)}
    for page in pages:
        say_once(page, once)
    return pages


def _part_embeds(shown: EntryView, body: Body, part: Record, view: View) -> list[discord.Embed]:
    outcome = part["outcome"] or {"text": "Not rolled", "tone": "neutral"}
    return paging.fit(
        plain(outcome["text"]),
        dropwhile(not_, _lines(shown, body, part, view)),
        colour=COLOURS[outcome["tone"]],
        footer=footer(shown, body, part, _private_first(shown, part)),
    )


def _lines(shown: EntryView, body: Body, part: Record, view: View) -> Iterator[str]:
    entry = shown.entry
    yield from _situation(body, part)
    yield from _rolled_by(shown, body, part)
    if "amends" in body:
        yield f"-# {_amends(body, view)}"
    if part["unrolled"]:
        yield f"{plain(part['unrolled'])}; no die was rolled."
    if view == "staff" or not part["secret"]:
        for block in _blocks(part["steps"]):
            yield ""
            yield "\n".join(_block_lines(entry, body, block, view))
        if part.get("unused"):
            yield ""
            yield f"**No longer used:** {dice_line(part['unused'])}"
        yield from _overruled_lines(part, view)
    elif is_reckoned(part):
        yield "*Die and modifiers stay with the staff.*"
        by_hand = list(_done_by_hand(part))
        yield from [f"**By hand:** {listing(by_hand)}."] if by_hand else []
    if part["consequences"]:
        yield ""
        yield f"**What follows:** {'. '.join(_consequence_text(item) for item in part['consequences'])}."
    for name, label in _texts(shown, body, part, view):
        text = entry.text(name, body)
        if text:
            yield f"**{label}:** {plain(text)}"


def _amends(body: Body, view: View) -> str:
    """Return that a roll amends another, which the public is not told of where it was private; whoever made that reads it."""
    if view == "public" and body.get("amends_private") and not is_makers(body):
        return "Amends a roll that was private: what that was stays with the staff, its die too."
    return f"Amends entry #{body['amends']}; the dice that fell there are kept."


def _overruled_lines(part: Record, view: View) -> Iterator[str]:
    """Yield what a person took away of what the campaign knows; what is secret stays nameless to the public."""
    taken = part.get("overruled", [])
    labels = [plain(item["label"]) for item in taken if view == "staff" or not item["secret"]]
    labels += ["something that stays with the staff"] if len(labels) < len(taken) else []
    if labels:
        yield ""
        yield f"**Taken away by hand:** {listing(labels)}"


def _done_by_hand(part: Record) -> Iterator[str]:
    """Yield what people did to a roll, apart from how much and to what."""
    dice = [roll for step in part["steps"] for roll in step.get("dice", [step])]
    if any(step.get("adjustments") for step in part["steps"]):
        yield "adjusted by a game master"
    if part.get("overruled"):
        yield "something that is known taken away"
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
    """Return for the staff what the player who has rolled could not know, and what came of that."""
    text = "\n".join(map(plain, lines))
    embed = discord.Embed(title="What the player could not know", description=text, colour=COLOURS["neutral"])
    return embed.set_footer(text=entry_footer(shown))


def headline(body: Body, part: Record, mark: str = "**", unknown: Collection[str] = ()) -> str:
    """Return who does what to whom in one part of a roll, with the names set off by a mark; `unknown` ones are not told."""
    subjects = {role: unknown_as(role) if name in unknown else name for role, name in part["subjects"].items()}
    template: str = body["headline"] if body["subject"] in subjects else body["headline_alone"]
    return filled(template, in_headline(subjects, part.get("inputs", {}), mark))


def in_headline(subjects: Mapping[str, str], inputs: Mapping[str, Any], mark: str = "**") -> dict[str, str]:
    """Return what a headline can name: what a roll takes besides, and those in it, set off by a mark."""
    taken = {name: plain(value) for name, value in inputs.items() if isinstance(value, str)}
    return taken | {role: f"{mark}{plain(name)}{mark}" for role, name in subjects.items()}


def filled(template: str, names: Mapping[str, str]) -> str:
    """Return a headline with its names; without what leads up to one that is not said."""
    return template.format(**names).strip(" :")


def outcome_line(body: Body, part: Record, text: str, mark: str = "**", unknown: Collection[str] = ()) -> str:
    """Return what one part of a roll came to behind its headline; of two that say the same the one that says more."""
    about = headline(body, part, mark, unknown)
    return text if tells(text, about) else about if tells(about, text) else f"{about}: {text}"


def _situation(body: Body, part: Record) -> Iterator[str]:
    """Yield who does what to whom and where, unless the outcome says all of that."""
    choices = ", ".join(part["choices"].values())
    region = part.get("region", body["region"])
    named = {name_key(name) for name in part["subjects"].values()}
    where = f" in {plain(region)}" if region and name_key(region) not in named else ""
    where += f", week {body['week']}" if body.get("week") is not None else ""
    line = headline(body, part) + (f" ({choices})" if choices else "") + where
    if not (part["outcome"] and tells(plain(part["outcome"]["text"]), line)):
        yield line


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
    """Return whether a roll is made against the total of another."""
    return "reads" not in step and other.get("reads") == "reach" and other["value"] == step["total"]


def _counting(step: Record) -> Any:  # noqa: ANN401 - compared alone
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
    return ", ".join(f"{roll['die']}: {_joined_faces(roll)}" for roll in dice)


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
    """Yield what counted on a roll."""
    yield from _modifier_lines([item for item in step["modifiers"] if item["count"]])
    for item in step["adjustments"]:
        yield f"\N{BULLET} {signed(item['value'])} {reason_of(entry, body, item, view)} \N{MIDDLE DOT} game master"


def _total_text(body: Body, step: Record) -> str:
    """Return what was thrown or counted, what was added, and what that came to or had to reach."""
    thrown, added = f"{step['die']}: {_faces(body, step)}", _added(step)
    match step.get("reads"):
        case "number":
            return f"{_number(step['value'])} {added} = **{_number(step['total'])}**"
        case "under":
            return f"{thrown}, at most {_number(step['value'])} {added} = **{_number(step['value'] + step['sum'])}**"
        case "reach":
            return f"{thrown} {added} = **{_number(step['total'])}** against **{_number(step['value'])}**"
        case _:
            return f"{thrown} {added} = **{_number(step['total'])}**"


def _fallen(body: Body, step: Record) -> str:
    """Return the faces of a roll, what was added, and what that came to."""
    return f"{_faces(body, step)} {_added(step)} = **{_number(step['total'])}**"


def _faces(body: Body, step: Record) -> str:
    return f"**{_joined_faces(step)}**{_drawn(body, step)}"


def _joined_faces(roll: Record) -> str:
    """Return faces with what is done with them: added up, or side by side as digits."""
    return ("" if term_of(roll["die"]).digits else " + ").join(map(str, roll["faces"]))


def _added(step: Record) -> str:
    return plus(step["sum"]) + (f" (held, of {signed(step['uncapped'])})" if "uncapped" in step else "")


def reason_of(entry: Entry, body: Body, adjustment: Record, view: View) -> str:
    """Return why a game master adjusted a roll, as far as it is for these readers."""
    if view != "staff" and adjustment.get("private"):
        return PRIVATE_REASON
    reason = entry.text(adjustment["text"], body)
    return plain(reason) if reason else "reason erased"


def _number(value: int) -> str:
    return str(value).replace("-", "\N{MINUS SIGN}")


def _modifier_lines(counted: Sequence[Record]) -> Iterator[str]:
    """Yield a line for each modifier that counted, with its origin; what was ticked by hand stands together in one."""
    ticked = [item for item in counted if item["origin"] and item["origin"]["kind"] == TICKED.kind]
    for item in counted:
        if item not in ticked:
            yield f"\N{BULLET} {_counted(item, item['origin'])}"
    if ticked:
        yield f"\N{BULLET} Ticked by hand: {', '.join(map(_counted, ticked))}"


def _counted(item: Record, origin: Record | None = None) -> str:
    times = f" \N{MULTIPLICATION SIGN} {item['count']}" if item["count"] > 1 else ""
    source = f" \N{MIDDLE DOT} {origin['label']}" if origin else ""
    return f"{signed(item['value'] * item['count'])} {plain(item['label'] + times + source)}"


def _consequence_text(item: Record) -> str:
    text: str = deed_told(item)["text"]
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
    tries = f"; {published.tries} earlier private {'try' if published.tries == 1 else 'tries'} at this in update {published.update}"
    before = tries if published.tries else ""
    if not was_kept(shown.entry.content()):
        return f"Rolled in private first, as the rules have it{before}"
    rolls = f"{published.rolls} private {'roll' if published.rolls == 1 else 'rolls'}"
    counted = f"; 1 of {rolls} of its maker in update {published.update}" if published.rolls else ""
    return f"Rolled in private first{counted}{before}"
