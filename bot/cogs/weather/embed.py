"""A week's weather as people see it: the post of a rollover, one week, many weeks, and the words beside the pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import discord

from bot.cogs.weather.entry_body import RegionAccount, WeekAccount, ZoneAccount
from bot.core.entry_kinds import Body, EntryView, View
from bot.rolls.embed import citations, house_rules
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.entries import entry_footer
from bot.ui.text import DOT, listing, plain, plus, signed
from rules.book import Book, Region, Zone
from rules.books.campaign.weather import Week
from rules.climate import FLOOD, GOOD, category_label, category_phrase, condition_label, spoken_conditions

PICTURE = "weather.png"
HISTORY_PICTURE = "history.png"
MAX_ALT = 1000
"""Characters of a picture's alt text, a little under what Discord takes."""

UNRATED = 2
"""How severe a condition counts that the book has no more."""

ARROW = " \N{RIGHTWARDS ARROW} "
UNKNOWN = "not known"
_CUT = " And {count} more that are not named here."


def shared(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return what holds, in the order in which it is first met, with the names of those for whom it does."""
    names: dict[str, list[str]] = {}
    for words, name in pairs:
        names.setdefault(words, []).append(name)
    return names


def grouped(pairs: Iterable[tuple[str, str]]) -> str:
    """Return what holds and where, each thing said once: Storms: India, Sri Lanka · Good weather: Malaysia."""
    return DOT.join(f"{words}: {', '.join(names)}" for words, names in shared(pairs).items())


def digest_pages(shown: EntryView, view: View) -> list[list[discord.Embed]]:
    """Return the messages that show a rollover; none when any part of it is not for the public that looks on."""
    body = shown.entry.content()
    if view == "public" and not shown.published and any(part["audience"] != "results" for part in body["parts"]):
        return []
    cited = citations(body, [step for part in body["parts"] for step in part["steps"]])
    embeds = paging.fit(
        f"Weather of week {body['weather']['week']}",
        _digest(shown, body, view),
        colour=COLOURS["neutral"],
        footer=entry_footer(shown, body["update"]["name"], *cited, *house_rules(body)),
    )
    return paging.pages(_pictured(embeds, PICTURE))


def week_embeds(
    account: WeekAccount, *, campaign: str, entry: int | None, region: str | None, changed: int | None = None
) -> list[discord.Embed]:
    """Return a week's weather, whole or for the one region of this id or label.

    `entry` is the number of the entry that made the week, `changed` of the one that set something in it last.
    """
    about = f"Weather of week {account['week']}"
    lines = list(_whole(account))
    for zone, place in _places(account):
        if region in {place["id"], place["label"]}:
            about, lines = f"{plain(place['label'])}, week {account['week']}", list(_single(zone, place))
    by_hand = "" if changed is None else f", set by hand in entry #{changed}"
    footer = campaign if entry is None else f"Entry #{entry}{by_hand}{DOT}{campaign}"
    return _pictured(paging.fit(about, lines, colour=COLOURS["neutral"], footer=footer), PICTURE)


def alt(account: WeekAccount) -> str:
    """Return the map in words, at most 1,000 characters: categories, Mud/Flood, then all that is not good weather."""
    zones = [f"{zone['label']} {_category(zone['outcome'])}" for zone in account["zones"]]
    rough = shared((words, place["label"]) for _, place in _places(account) if (words := _rough(place)))
    lists = {"Categories": zones, "Mud/Flood": _flooded(account), **rough}
    return _cut(f"Map of the weather of week {account['week']}.", lists)


def history_embeds(
    weeks: Sequence[Week], book: Book, *, campaign: str, place: Zone | Region | None
) -> list[discord.Embed]:
    """Return a line for each week, the newest first: every zone's category, or one zone's or one region's weather."""
    newest_first = sorted(weeks, key=lambda week: -week.number)
    lines = [f"**Week {week.number}**{DOT}{_gist(week, book, place)}" for week in newest_first]
    title = f"Weather of {plain(place.label) if place else 'all zones'}, week by week"
    embeds = paging.fit(title, lines or ["No week is known yet."], colour=COLOURS["neutral"], footer=campaign)
    return _pictured(embeds, HISTORY_PICTURE) if lines else embeds


def history_alt(weeks: Sequence[Week], book: Book, place: Zone | Region | None = None) -> str:
    """Return the heat map in words, at most 1,000 characters: in how many weeks each row of it had what."""
    if not weeks:
        return "Heat map of the weather. No week is known yet."
    numbers = [week.number for week in weeks]
    opening = f"Heat map of the weather of weeks {min(numbers)} to {max(numbers)}: in how many of them each"
    if place is None:
        zones = {zone.label: _counts(weeks, zone, book) for zone in book.zones.values()}
        return _cut(f"{opening} zone had each category.", zones)
    skies = {region.label: _skies(weeks, region, book) for region in regions_of(place)}
    return _cut(f"{opening} region had which conditions.", skies)


def regions_of(place: Zone | Region) -> tuple[Region, ...]:
    """Return the regions of a zone, or the region itself."""
    return place.regions if isinstance(place, Zone) else (place,)


def worst_first(traits: Iterable[str], book: Book) -> list[str]:
    """Return conditions, each once, the most severe first."""
    severity = {trait: book.conditions[trait].severity if trait in book.conditions else UNRATED for trait in traits}
    return sorted(severity, key=lambda trait: -severity[trait])


def _pictured(embeds: list[discord.Embed], name: str) -> list[discord.Embed]:
    embeds[0].set_image(url=f"attachment://{name}")
    return embeds


def _digest(shown: EntryView, body: Body, view: View) -> Iterator[str]:
    week: WeekAccount = body["weather"]
    rolled = {part["subjects"]["zone"]: part for part in body["parts"] if "region" not in part["subjects"]}
    for zone in week["zones"]:
        yield _rolled(zone, rolled[zone["label"]], view)
        yield _conditions(zone, flood=False)
        yield ""
    yield from _changes(week)
    yield from _flood_watch(body, view)
    yield from _texts(shown, body, view)


def _texts(shown: EntryView, body: Body, view: View) -> Iterator[str]:
    """Return the free texts to show: a note is public only when nothing secret counted, a reason never."""
    note, reason = shown.entry.text("note"), shown.entry.text("reason")
    if note and (view == "staff" or not any(part["secret"] for part in body["parts"])):
        yield f"**Note:** {plain(note)}"
    if reason and view == "staff":
        yield f"**Rolled again because:** {plain(reason)}"


def _rolled(zone: ZoneAccount, part: Body, view: View) -> str:
    """Return a zone's die and why it was changed, where the viewer may see that, and its category."""
    category = _phrase(zone["outcome"], "**")
    if view == "public" and part["secret"]:
        return f"**{plain(zone['label'])}**{ARROW}{category}"
    step = part["steps"][0]
    why = ", ".join(_reasons(step))
    return f"**{plain(zone['label'])}** {step['die']}: {_sum(step, '**')}, {category}" + (f" ({why})" if why else "")


def _sum(step: Body, mark: str = "") -> str:
    """Return the die, and where something was added to it, what it came to: 6, or 6 and a minus 1 and what they make."""
    faces = mark + " + ".join(map(str, step["faces"])) + mark
    total = str(step["total"]).replace("-", "\N{MINUS SIGN}")
    return f"{faces} {plus(step['sum'])} = {mark}{total}{mark}" if step["sum"] else faces


def _reasons(step: Body) -> Iterator[str]:
    return (
        f"{signed(item['value'] * item['count'])} {plain(item['label'])}" for item in step["modifiers"] if item["count"]
    )


def _changes(week: WeekAccount) -> Iterator[str]:
    """Return what is other than the week before, and where Mud/Flood is over; `last` is that week's number when it is known.

    Where there is Mud/Flood now is told by the Flood Watch.
    """
    places = [place for _, place in _places(week)]
    moved = shared((change, plain(place["label"])) for place in places if (change := _moved(place)) is not None)
    dry = [plain(place["label"]) for place in places if FLOOD in _had(place) and FLOOD not in place["conditions"]]
    if moved or dry or week.get("last") is not None:
        yield "**What changed**"
        lines = [f"{', '.join(names)}: {change}" for change, names in moved.items()]
        lines += [f"No more Mud/Flood: {', '.join(dry)}"] if dry else []
        yield from lines or ["nothing"]
        yield ""


def _moved(place: RegionAccount) -> str | None:
    """Return what a region had and has now, Mud/Flood left out; None when that is the same."""
    if place["was"] is None:
        return None
    was = _words(spoken_conditions(_had(place), place["was"], flood=False))
    now = _words(spoken_conditions(place["conditions"], place["labels"], flood=False))
    return None if was == now else f"{was}{ARROW}{now}"


def _had(place: RegionAccount) -> Sequence[str]:
    """Return the conditions of a region the week before; their labels where an entry tells no more."""
    return place.get("had", place["was"] or [])


def _flood_watch(body: Body, view: View) -> Iterator[str]:
    watches = [part for part in body["parts"] if "region" in part["subjects"]]
    if not watches:
        yield "**Flood Watch:** none was due."
        return
    before = {place["label"] for _, place in _places(body["weather"]) if FLOOD in _had(place)}
    yield f"**Flood Watch**, {watches[0]['steps'][0]['die']} each"
    yield grouped((_came(part), _watched(part, view, before)) for part in sorted(watches, key=_came))


def _came(part: Body) -> str:
    return "Mud/Flood" if part["outcome"]["id"] == FLOOD else "None"


def _watched(part: Body, view: View, before: Collection[str]) -> str:
    """Return the region of a watch: its die, what else led to Mud/Flood, and whether it had that the week before."""
    region, step = part["subjects"]["region"], part["steps"][0]
    flooded = part["outcome"]["id"] == FLOOD
    seen = view == "staff" or not part["secret"]
    notes = [_sum(step), *_reasons(step)] if seen else []
    notes += ["wet"] if seen and flooded and step["row"]["outcome"] != FLOOD else []
    notes += ["again"] if flooded and region in before else []
    return plain(region) + (f" ({', '.join(notes)})" if notes else "")


def _whole(account: WeekAccount) -> Iterator[str]:
    for zone in account["zones"]:
        yield f"**{plain(zone['label'])}: {_category(zone['outcome'])}**"
        yield _conditions(zone)
        yield ""
    if not _flooded(account):
        yield "No Mud/Flood."


def _single(zone: ZoneAccount, place: RegionAccount) -> Iterator[str]:
    yield f"**{_words(spoken_conditions(place['conditions'], place['labels']))}**"
    yield f"{'Land' if place['land'] else 'Sea'}, in the zone {plain(zone['label'])}: {_phrase(zone['outcome'])}"
    if place["was"] is not None:
        yield f"Last week: {_words(spoken_conditions(_had(place), place['was']))}"


def _conditions(zone: ZoneAccount, *, flood: bool = True) -> str:
    """Return the conditions of a zone's regions, the worst first, also without Mud/Flood."""
    fair = {GOOD} if flood else {GOOD, FLOOD}
    places = sorted(
        zone["regions"], key=lambda place: 0 if fair >= {*place["conditions"]} else -(place["severity"] or 0)
    )
    return grouped(
        (_words(spoken_conditions(place["conditions"], place["labels"], flood=flood)), plain(place["label"]))
        for place in places
    )


def _words(labels: Iterable[str]) -> str:
    return ", ".join(map(plain, labels)) or UNKNOWN


def _category(outcome: str | None) -> str:
    return UNKNOWN if outcome is None else category_label(outcome)


def _phrase(outcome: str | None, mark: str = "") -> str:
    return UNKNOWN if outcome is None else category_phrase(outcome, mark)


def _places(account: WeekAccount) -> Iterator[tuple[ZoneAccount, RegionAccount]]:
    return ((zone, place) for zone in account["zones"] for place in zone["regions"])


def _rough(place: RegionAccount) -> str:
    """Return what a region has besides good weather and Mud/Flood, in words."""
    known = zip(place["conditions"], place["labels"], strict=True)
    return ", ".join(label for trait, label in known if trait not in {GOOD, FLOOD})


def _flooded(account: WeekAccount) -> list[str]:
    return [place["label"] for _, place in _places(account) if FLOOD in place["conditions"]]


def _gist(week: Week, book: Book, place: Zone | Region | None) -> str:
    if place is None:
        zones = book.zones.values()
        return DOT.join(f"{plain(zone.label)} {_category(week.zones.get(zone.id))}" for zone in zones)
    sky = ", ".join(map(plain, _sky(week, regions_of(place), book))) or UNKNOWN
    outcome = week.zones.get(place.id) if isinstance(place, Zone) else None
    return f"{category_phrase(outcome)}{DOT}{sky}" if outcome else sky


def _sky(week: Week, regions: Iterable[Region], book: Book) -> list[str]:
    """Return the conditions of regions in words, each once, the most severe first."""
    skies = [week.conditions(region.id) for region in regions]
    named = [trait for traits in skies for trait in spoken_conditions(traits, traits)]
    return [condition_label(book, trait) for trait in worst_first(named, book)]


def _skies(weeks: Sequence[Week], region: Region, book: Book) -> list[str]:
    """Return how often a region had which conditions, the most frequent first."""
    counts = Counter(listing(_sky(week, (region,), book)) or UNKNOWN for week in weeks)
    return [f"{sky} in {count}" for sky, count in counts.most_common()]


def _counts(weeks: Sequence[Week], zone: Zone, book: Book) -> list[str]:
    """Return how often a zone had each outcome, in the table's order, then what that table has no more."""
    counts = Counter(week.zones.get(zone.id) for week in weeks)
    order = [row.outcome for row in book.table(zone.table).rows]
    known = sorted(counts, key=lambda outcome: order.index(outcome) if outcome in order else len(order))
    return [f"{_category(outcome)} in {counts[outcome]}" for outcome in known]


def _cut(opening: str, lists: Mapping[str, Sequence[str]]) -> str:
    """Return headed lists after an opening, as far as an alt text has room, then how many of their items are left out."""
    items = [
        (f" {head}: " if place == 0 else ", ", name, place == len(names) - 1)
        for head, names in lists.items()
        for place, name in enumerate(names)
    ]
    text = opening
    for count, (before, name, last) in enumerate(items):
        added = f"{before}{name}{'.' if last else ''}"
        if len(text) + len(added) + len(_CUT) > MAX_ALT:
            return text.removesuffix(".") + "." + _CUT.format(count=len(items) - count)
        text += added
    return text
