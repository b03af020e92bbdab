"""Saved units and characters in words: one of them, a list of them, and the entries about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import discord

from bot.cogs.roster.bodies import ProfileAdded, ProfileEdited, RosterBody, RosterImported, SingleBody, TraitsEdited
from bot.core.entry_kinds import Body, EntryKind, EntryView, Pages, View
from bot.core.profiles import Profile, kind_of
from bot.core.subjects import label_each
from bot.ui.colours import COLOURS
from bot.ui.entries import plain_pages
from bot.ui.text import DOT, plain, shorten, within
from rules.fields import Fields
from rules.subjects import PROFILE, subject_number

ROOM = 3900
"""Characters for a list, under an embed's 4,096."""

MAX_SENTENCE, MAX_MEMBERS, MAX_NAMES = 180, 602, 1200
LABELS: Mapping[str, str] = {"newtype": "newtype level"}
"""What fields are called in entries that do not say it themselves, since they were made before books said what is kept."""


def heading(item: Profile, owner_id: int | None, fields: Fields) -> str:
    """Return what stands under a name: kind, side, and whatever else is known in a few words."""
    words = [
        kind_of(item.kind),
        plain(item.side) if item.side else "no side",
        plain(item.region) if item.region else "",
        f"in {plain(item.squad)}" if item.squad else "",
        *(plain(kept.told(item.fields[name])) for name, kept in fields.items() if name in item.fields),
        f"played by <@{owner_id}>" if owner_id else "",
        "**secret**" if item.secret else "",
    ]
    return DOT.join(filter(None, words))


def profile_lines(head: str, members: Sequence[str], traits: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Yield all that is saved of one: heading, members, and the traits by group."""
    yield f"-# {head}"
    if members:
        yield f"**Members:** {some_names(members, MAX_MEMBERS)}"
    for group, labels in traits:
        yield f"**{plain(group.capitalize())}:** {', '.join(map(plain, labels))}"
    if not traits:
        yield "No traits yet."


def list_embed(what: str, saved: Sequence[tuple[Profile, int | None]], fields: Fields) -> discord.Embed:
    """Return a list of saved units or characters with their owners; `fields` are those of the books."""
    names = label_each(item for item, _ in saved)
    lines = [
        f"\N{BULLET} **{plain(name)}**{DOT}{heading(item, owner_id, fields)}"
        for name, (item, owner_id) in zip(names, saved, strict=True)
    ]
    text = "\n".join(within(ROOM, lines)) or f"No {what}s match that."
    embed = discord.Embed(title=f"{what.capitalize()}s ({len(saved)})", description=text, colour=COLOURS["neutral"])
    return embed.set_footer(text=f"Details: /{what} show. Filter by kind or side.")


def removal_lines(head: str, item: Profile, status: Sequence[str]) -> list[str]:
    """Return what goes when somebody is removed, and how it comes back; `status` is what features tell of it."""
    count = len(item.traits)
    traits = [f"{count} trait{'' if count == 1 else 's'}"] if count else []
    return [
        f"-# {head}",
        f"This removes {', '.join([f'the {kind_of(item.kind)}', *traits, 'its effects'])}.",
        *status,
        "Its rolls stay in the ledger. You can undo this.",
    ]


def removed_line(item: Profile) -> str:
    """Return the answer to a removal."""
    return f"{plain(item.name)} and its effects are removed. If you save it again, its earlier rolls still count."


def some_names(names: Sequence[str], room: int) -> str:
    """Return as many names as `room` characters take, and how many more there are."""
    shown = list(_fitting(names, room))
    more = [f"and {len(names) - len(shown)} more"] if len(shown) < len(names) else []
    return ", ".join([*shown, *more])


def _fitting(names: Sequence[str], room: int) -> Iterator[str]:
    for name in map(plain, names):
        room -= len(name) + 2
        if room < 0:
            return
        yield name


def entry_lines(body: RosterBody) -> list[str]:
    """Return what an entry has done, in full."""
    if body["deed"] == "add":
        return _added(body)
    if body["deed"] == "edit":
        return _edited(body)
    if body["deed"] == "traits":
        return _retraited(body)
    if body["deed"] == "import":
        return _imported(body)
    return [f"{_subject(body)} removed"]


def _imported(body: RosterImported) -> list[str]:
    names: dict[str, list[str]] = {"New": [], "Changed": []}
    for change in body["changes"]:
        if change["name"] == PROFILE:
            number = str(subject_number(change["subject"]))
            name = change["after"].get("name") or body["names"][number]  # of format 1, a profile has its name in it
            names["New" if change["before"] is None else "Changed"].append(str(name))
    head = f"Units and characters imported: {body['new']} new, {body['changed']} changed"
    return [head, *(f"{label}: {some_names(some, MAX_NAMES)}" for label, some in names.items() if some)]


def _subject(body: SingleBody) -> str:
    kind = kind_of(body["kind"])
    return f"{kind[0].upper()}{kind[1:]} {plain(body['name'])}"


def _added(body: ProfileAdded) -> list[str]:
    saved = next(change["after"] for change in body["changes"] if change["name"] == PROFILE)
    fields = {field: value for field, value in saved.items() if field not in {"name", "kind", "traits", "owner"}}
    fields["squad"] = body.get("names", {}).get(
        str(saved["squad"]), saved["squad"]
    )  # of format 1, it is a name already
    return [
        f"{_subject(body)} saved",
        *(
            f"{_field(body, field)}: {_value(value)}"
            for field, value in fields.items()
            if value is not None and value is not False
        ),
    ]


def _edited(body: ProfileEdited) -> list[str]:
    before, after = body["before"], body["after"]
    lines = [f"{_subject(body)} changed"]
    for field, value in after.items():
        if field == "owner":
            lines.append("owner: another player" if value else "owner: none")
        else:
            lines.append(f"{_field(body, field)}: {_value(before[field])} \N{RIGHTWARDS ARROW} {_value(value)}")
    return lines


def _retraited(body: TraitsEdited) -> list[str]:
    before, after = body["before"], body["after"]
    return [f"{_subject(body)} changed"] + [_trait(label, before[label], count) for label, count in after.items()]


def _trait(label: str, before: int, after: int) -> str:
    if {before, after} == {0, 1}:
        return f"{'with' if after else 'no longer'}: {plain(label)}"
    return f"{plain(label)}: {before} \N{RIGHTWARDS ARROW} {after}"


def _field(body: ProfileAdded | ProfileEdited, field: str) -> str:
    return plain(body.get("labels", LABELS).get(field, field))


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        value = ", ".join(value)
    return "none" if value is None else plain(str(value))


def _sentence(body: Body, _view: View) -> str:
    return shorten("; ".join(entry_lines(cast("RosterBody", body))), MAX_SENTENCE)


def _pages(shown: EntryView, _view: View) -> Pages:
    return plain_pages(shown, "Units and characters", entry_lines(cast("RosterBody", shown.entry.content())))


PROFILE_CHANGED = EntryKind("unit", "staff", _sentence, _pages)
