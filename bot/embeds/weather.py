"""A week's weather as people see it: the post of a rollover, one week, many weeks, and the words beside the pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import discord

from bot.embeds import split
from bot.embeds.result import COLOURS, Shown, View
from bot.embeds.text import plain, plus, signed
from rules.book import Book, Region, Zone
from rules.books.campaign.weather import Week
from rules.climate import FLOOD, GOOD

PICTURE = "weather.png"
HISTORY_PICTURE = "history.png"
MAX_ALT = 1000
"""Characters of a picture's alt text, a little under what Discord takes."""

HARSH = 2
"""The least severity that a zone's line in the history names."""

DOT = " \N{MIDDLE DOT} "
ARROW = " \N{RIGHTWARDS ARROW} "
UNKNOWN = "not known"
_CUT = " And {count} more that are not named here."

Told = Mapping[str, Any]
"""A week as entries and services tell it: its number, and its zones with their outcome and their regions' conditions."""


def category(outcome: str) -> str:
    """An outcome of a zone's table in short: `category-6-west` is 6 West, `good` is Good."""
    return outcome.removeprefix("category-").replace("-", " ").title()


def named(outcome: str) -> str:
    """An outcome as a sentence has it: category 6 West, but Good."""
    return f"{'category ' if outcome.startswith('category-') else ''}{category(outcome)}"


def shared(held: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """What holds, in the order in which it is first met, with the names of those for whom it does."""
    names: dict[str, list[str]] = {}
    for words, name in held:
        names.setdefault(words, []).append(name)
    return names


def grouped(held: Iterable[tuple[str, str]]) -> str:
    """What holds and where, each thing said once: Storms: India, Sri Lanka · Good weather: Malaysia."""
    return DOT.join(f"{words}: {', '.join(names)}" for words, names in shared(held).items())


def condition_label(book: Book, trait: str) -> str:
    """A condition in words, also one that the book has no more."""
    return book.conditions[trait].label if trait in book.conditions else trait.replace("-", " ")


def digest_pages(shown: Shown, view: View) -> list[list[discord.Embed]]:
    """The messages that tell of a rollover; none when any part of it is not for the public that looks on."""
    body = shown.entry.content()
    if view == "public" and not shown.published and any(part["audience"] != "results" for part in body["parts"]):
        return []
    void = "VOID: " if shown.voided is not None else ""
    embeds = split.fit(
        f"{void}Weather of week {body['weather']['week']}",
        _digest(shown, body, view),
        colour=COLOURS["failure" if void else "neutral"],
        footer=DOT.join([f"Entry #{shown.entry.number}", shown.campaign, *_sources(body)]),
    )
    return split.pages(_pictured(embeds, PICTURE))


def week_embeds(
    told: Told, *, campaign: str, entry: int | None, region: str | None, changed: int | None = None
) -> list[discord.Embed]:
    """A week's weather, whole or for the one region of this id or label.

    `entry` is the number of the entry that made the week, `changed` of the one that set something in it last.
    """
    about = f"Weather of week {told['week']}"
    lines = list(_whole(told))
    for zone, place in _places(told):
        if region in {place["id"], place["label"]}:
            about, lines = f"{plain(place['label'])}, week {told['week']}", list(_single(zone, place))
    by_hand = "" if changed is None else f", set by hand in entry #{changed}"
    footer = campaign if entry is None else f"Entry #{entry}{by_hand}{DOT}{campaign}"
    return _pictured(split.fit(about, lines, colour=COLOURS["neutral"], footer=footer), PICTURE)


def alt(told: Told) -> str:
    """The map in words, at most 1,000 characters: categories, Mud/Flood, then all that is not good weather."""
    zones = [f"{zone['label']} {_category(zone['outcome'])}" for zone in told["zones"]]
    rough = shared((words, place["label"]) for _, place in _places(told) if (words := _rough(place)))
    held = {"Categories": zones, "Mud/Flood": _flooded(told), **rough}
    return _cut(f"Map of the weather of week {told['week']}.", held)


def history_embeds(
    weeks: Sequence[Week], book: Book, *, campaign: str, place: Zone | Region | None
) -> list[discord.Embed]:
    """A line for each week, the newest first: every zone's category, or one zone's or one region's weather."""
    newest_first = sorted(weeks, key=lambda week: -week.number)
    lines = [f"**{week.number}** {_gist(week, book, place)}" for week in newest_first]
    title = f"Weather of {plain(place.label) if place else 'all zones'}, week by week"
    embeds = split.fit(title, lines or ["No week is known yet."], colour=COLOURS["neutral"], footer=campaign)
    return _pictured(embeds, HISTORY_PICTURE) if lines else embeds


def history_alt(weeks: Sequence[Week], book: Book) -> str:
    """The heat map in words, at most 1,000 characters: in how many weeks each zone had each category."""
    if not weeks:
        return "Heat map of the weather. No week is known yet."
    numbers = [week.number for week in weeks]
    counts = {zone.label: _counts(weeks, zone, book) for zone in book.zones.values()}
    return _cut(
        f"Heat map of the weather of weeks {min(numbers)} to {max(numbers)}: in how many of them each zone had each category.",
        counts,
    )


def _pictured(embeds: list[discord.Embed], name: str) -> list[discord.Embed]:
    embeds[0].set_image(url=f"attachment://{name}")
    return embeds


def _digest(shown: Shown, body: Told, view: View) -> Iterator[str]:
    told = body["weather"]
    rolled = {part["subjects"]["zone"]: part for part in body["parts"] if "region" not in part["subjects"]}
    if shown.voided is not None:
        yield f"**Voided by entry #{shown.voided}.**"
        yield ""
    for zone in told["zones"]:
        part = rolled[zone["label"]]
        yield _rolled(zone["label"], part, f"**{_category(zone['outcome'])}**", view)
        yield from _reasons(part, view)
        yield _conditions(zone)
        yield ""
    yield from _changes(told)
    yield from _flood_watch(body, view)
    yield from _texts(shown, body, view)


def _texts(shown: Shown, body: Told, view: View) -> Iterator[str]:
    """The free texts to show: a note is public only when nothing secret counted, a reason never."""
    note, reason = shown.entry.text("note"), shown.entry.text("reason")
    if note and (view == "staff" or not any(part["secret"] for part in body["parts"])):
        yield f"**Note:** {plain(note)}"
    if reason and view == "staff":
        yield f"**Rolled again because:** {plain(reason)}"


def _rolled(name: str, part: Told, what: str, view: View) -> str:
    """Who rolled, the die where the viewer may see it, and what it came to."""
    if view == "public" and part["secret"]:
        return f"**{plain(name)}**{ARROW}{what}"
    step = part["steps"][0]
    faces = " + ".join(str(face) for face in step["faces"])
    total = str(step["total"]).replace("-", "\N{MINUS SIGN}")
    return f"**{plain(name)}** {step['die']}: **{faces}** {plus(step['sum'])} = **{total}**{ARROW}{what}"


def _reasons(part: Told, view: View) -> Iterator[str]:
    if view == "staff" or not part["secret"]:
        for item in part["steps"][0]["modifiers"]:
            if item["count"]:
                yield f"\N{BULLET} {signed(item['value'] * item['count'])} {plain(item['label'])}"


def _changes(told: Told) -> Iterator[str]:
    """What is other than the week before; `last`, where it is told, is the number of that week when it is known."""
    moved = shared(
        (f"{_words(place['was'])}{ARROW}{_words(place['labels'])}", plain(place["label"]))
        for _, place in _places(told)
        if place["was"] is not None
    )
    if moved or told.get("last") is not None:
        yield "**What changed**"
        yield from [f"{', '.join(names)}: {change}" for change, names in moved.items()] or ["nothing"]
        yield ""


def _flood_watch(body: Told, view: View) -> Iterator[str]:
    watches = [part for part in body["parts"] if "region" in part["subjects"]]
    yield "**Flood Watch**"
    for part in watches:
        yield _rolled(part["subjects"]["region"], part, f"**{plain(part['outcome']['text'])}**", view)
        yield from _reasons(part, view)
    flooded = ", ".join(map(plain, _flooded(body["weather"])))
    yield f"Mud/Flood this week: {flooded or 'none'}." if watches else "No watch was due."


def _sources(body: Told) -> Iterator[str]:
    lines: dict[str, set[int]] = {}
    for step in (step for part in body["parts"] for step in part["steps"]):
        lines.setdefault(step["source"]["book"], set()).add(step["source"]["line"])
    for book, found in lines.items():
        yield f"{book}, lines {', '.join(map(str, sorted(found)))}"


def _whole(told: Told) -> Iterator[str]:
    for zone in told["zones"]:
        yield f"**{plain(zone['label'])}: {_category(zone['outcome'])}**"
        yield _conditions(zone)
        yield ""
    flooded = ", ".join(map(plain, _flooded(told)))
    yield f"**Mud/Flood:** {flooded or 'none'}"


def _single(zone: Told, place: Told) -> Iterator[str]:
    yield f"**{_words(place['labels'])}**"
    outcome = UNKNOWN if zone["outcome"] is None else named(zone["outcome"])
    yield f"{'Land' if place['land'] else 'Sea'}, in the zone {plain(zone['label'])}: {outcome}"
    if place["was"] is not None:
        yield f"Last week: {_words(place['was'])}"


def _conditions(zone: Told) -> str:
    """The conditions of a zone's regions, the worst first."""
    places = sorted(zone["regions"], key=lambda place: -(place["severity"] or 0))
    return grouped((_words(place["labels"]), plain(place["label"])) for place in places)


def _words(labels: Iterable[str]) -> str:
    return ", ".join(map(plain, labels)) or UNKNOWN


def _category(outcome: str | None) -> str:
    return UNKNOWN if outcome is None else category(outcome)


def _places(told: Told) -> Iterator[tuple[Told, Told]]:
    return ((zone, place) for zone in told["zones"] for place in zone["regions"])


def _rough(place: Told) -> str:
    """What a region has besides good weather and Mud/Flood, in words."""
    held = zip(place["conditions"], place["labels"], strict=True)
    return ", ".join(label for trait, label in held if trait not in {GOOD, FLOOD})


def _flooded(told: Told) -> list[str]:
    return [place["label"] for _, place in _places(told) if FLOOD in place["conditions"]]


def _gist(week: Week, book: Book, place: Zone | Region | None) -> str:
    if place is None:
        zones = book.zones.values()
        return DOT.join(f"{plain(zone.label)} {_category(week.zones.get(zone.id))}" for zone in zones)
    if isinstance(place, Region):
        return _words(condition_label(book, trait) for trait in week.conditions(place.id))
    harsh = ", ".join(plain(condition_label(book, trait)) for trait in _harsh(week, book, place))
    return f"**{_category(week.zones.get(place.id))}**" + (f"{DOT}{harsh}" if harsh else "")


def _harsh(week: Week, book: Book, zone: Zone) -> list[str]:
    """The harsher conditions of a zone's regions, each once, the most severe first."""
    held = dict.fromkeys(trait for region in zone.regions for trait in week.conditions(region.id))
    severity = {trait: book.conditions[trait].severity if trait in book.conditions else HARSH for trait in held}
    return sorted((trait for trait in held if severity[trait] >= HARSH), key=lambda trait: -severity[trait])


def _counts(weeks: Sequence[Week], zone: Zone, book: Book) -> list[str]:
    """How often a zone had each outcome, in the table's order, then what that table has no more."""
    found = Counter(week.zones.get(zone.id) for week in weeks)
    order = [row.outcome for row in book.table(zone.table).rows]
    known = sorted(found, key=lambda outcome: order.index(outcome) if outcome in order else len(order))
    return [f"{_category(outcome)} in {found[outcome]}" for outcome in known]


def _cut(opening: str, held: Mapping[str, Sequence[str]]) -> str:
    """Headed lists after an opening, as far as an alt text has room, then how many of their items are left out."""
    items = [
        (f" {head}: " if place == 0 else ", ", name, place == len(names) - 1)
        for head, names in held.items()
        for place, name in enumerate(names)
    ]
    text = opening
    for done, (before, name, last) in enumerate(items):
        added = f"{before}{name}{'.' if last else ''}"
        if len(text) + len(added) + len(_CUT) > MAX_ALT:
            return text.removesuffix(".") + "." + _CUT.format(count=len(items) - done)
        text += added
    return text
