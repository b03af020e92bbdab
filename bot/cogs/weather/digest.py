"""A rollover told whole: every die with what was added and why, what changed, and each Flood Watch."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from bot.cogs.weather.entry_body import shared
from bot.cogs.weather.words import ARROW, conditions, grouped, phrase, worded
from bot.core.entry_kinds import Body, EntryView, View
from bot.ui.text import plain, plus
from rules.books.campaign.accounts import RegionAccount, WeekAccount, ZoneAccount, had, places
from rules.climate import FLOOD, spoken_conditions
from rules.phrases import signed


def digest(shown: EntryView, body: Body, view: View) -> Iterator[str]:
    """Return a rollover line by line, as far as the view may see it."""
    week: WeekAccount = body["weather"]
    rolled = {part["subjects"]["zone"]: part for part in body["parts"] if "region" not in part["subjects"]}
    for zone in week["zones"]:
        yield _rolled(zone, rolled[zone["label"]], view)
        yield conditions(zone, flood=False)
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
    what = phrase(zone["outcome"], "**")
    if view == "public" and part["secret"]:
        return f"**{plain(zone['label'])}**{ARROW}{what}"
    step = part["steps"][0]
    why = ", ".join(_reasons(step))
    return f"**{plain(zone['label'])}** {step['die']}: {_sum(step, '**')}, {what}" + (f" ({why})" if why else "")


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
    regions = [place for _, place in places(week)]
    moved = shared((change, plain(place["label"])) for place in regions if (change := _moved(place)) is not None)
    dry = [plain(place["label"]) for place in regions if FLOOD in had(place) and FLOOD not in place["conditions"]]
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
    was = worded(spoken_conditions(had(place), place["was"], flood=False))
    now = worded(spoken_conditions(place["conditions"], place["labels"], flood=False))
    return None if was == now else f"{was}{ARROW}{now}"


def _flood_watch(body: Body, view: View) -> Iterator[str]:
    watches = [part for part in body["parts"] if "region" in part["subjects"]]
    if not watches:
        yield "**Flood Watch:** none was due."
        return
    before = {place["label"] for _, place in places(body["weather"]) if FLOOD in had(place)}
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
