"""Entries about rolls: in one line, those of an update, those that decided something, and how many private tries came before one that becomes public."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile
from operator import attrgetter
from typing import Any, TypedDict, cast

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import Decoder
from sqlalchemy import Connection

from bot.core import campaigns, entries, erasing, voiding
from bot.core.campaigns import Campaign, find_update_entry
from bot.core.encoding import Json
from bot.core.entries import AudienceFilter
from bot.core.entry_kinds import About, Body, EntryKind, Publication, View
from bot.core.records import Entry, mark_role, read_body
from bot.core.schema import post
from bot.rolls.amended import first_number
from bot.rolls.embed import result_pages
from bot.rolls.entry_body import entry_audience, home_of, is_makers, is_shared, rollers, was_kept_private
from bot.rolls.headline import outcome_line
from bot.ui.text import DOT, plain, shorten
from bot.ui.todo import MANY
from rules.procedure import SUMMARY
from rules.subjects import name_key, names_of

MAX_LINE = 180


def _sentence(body: Body, view: View) -> str:
    return shorten(f"{plain(body['title'])}{DOT}{'; '.join(_outcomes(body, view))}{_amends(body, view)}", MAX_LINE)


def _results(body: Body, view: View) -> Sequence[str]:
    return [f"{outcome}{_amends(body, view)}" for outcome in _outcomes(body, view, whole=True)]


def _amends(body: Body, view: View) -> str:
    shown = "amends" in body and (view == "staff" or not body.get("amends_private"))
    return f" (amends #{body['amends']})" if shown else ""


def _outcomes(body: Body, view: View, *, whole: bool = False) -> Iterator[str]:
    """Yield what came of each part that is told; `whole` with what is told behind it in words alone."""
    for part in _visible_parts(body, view):
        more = (step["text"] for step in part["steps"] if whole and step.get("title") == "")
        told = [part["outcome"]["text"] if part["outcome"] else "not rolled", *more]
        yield outcome_line(body, part, plain(" ".join(told)), mark="")


def _visible_parts(body: Body, view: View) -> Iterator[Body]:
    everything = view == "staff" or body.get("public") or entry_audience(body) == "results" or is_makers(body)
    return (part for part in body["parts"] if everything or is_shared(part))


def about(body: Body, view: View) -> Iterator[About]:
    """Yield what a roll is about, as far as its parts are told: its family, where and when it was, its outcomes, and who is in it."""
    told = list(_visible_parts(body, view))
    if told:
        yield "family", body["family"]
        regions = dict.fromkeys(part.get("region", body.get("region")) for part in told)
        yield from (("region", region) for region in regions if region)
        if body.get("week") is not None:
            yield "week", body["week"]
    yield from (("outcome", part["outcome"]["text"]) for part in told if part["outcome"])
    named = {name for part in told for name in part["subjects"].values()}
    called = body.get("names", {})
    yield from (("unit", int(number)) for number, name in called.items() if view == "staff" or name in named)


ROLL = EntryKind("roll", entry_audience, _sentence, result_pages, results=_results, about=about)


Same = Mapping[str, frozenset[int | str]]
"""Who is in each role of a part: numbers of subjects, keys of the names of others, pseudonyms of people."""


def publication_of(tx: Connection, campaign: Campaign, entry: Entry) -> Publication:
    """Return what is told of a roll that becomes public.

    A roll that was amended is one roll, made when its dice fell, by the person who threw them. Where it's about something else by
    now, it is a try at that since it was amended.
    """
    first = entries.get_entry(tx, campaign.id, first_number(entry.number, entry.content())) or entry
    update = _update_number(first)
    before, after = ([*_made_in(side, update)] for side in entries.walk_around(tx, campaign.id, first))
    alike = {
        other: pseudonym
        for pseudonym in rollers(first).values()
        for other in erasing.find_all_pseudonyms(tx, campaign.id, pseudonym)
    }
    same, by_now = ([*_same_of(roll, alike)] for roll in (first, entry))
    meanwhile = [other for other in after if other.number < entry.number and by_now != same]
    tries = sum(any(part in same or part in by_now for part in _private(other, alike)) for other in before)
    tries += sum(any(part in by_now for part in _private(other, alike)) for other in meanwhile)
    if not was_kept_private(first.content()):
        return Publication(update, tries=tries)
    maker = erasing.find_all_pseudonyms(tx, campaign.id, first.actor)
    kept = (other.actor in maker and was_kept_private(other.content()) for other in (*before, *after))
    return Publication(update, 1 + sum(kept), tries)


def _made_in(rolls: Iterator[Entry], update: int) -> Iterator[Entry]:
    """Yield the rolls of an update whose dice fell in it: one that amends another keeps the dice of that."""
    there = takewhile(lambda roll: "amends" in roll.content() or _update_number(roll) == update, rolls)
    return (roll for roll in there if "amends" not in roll.content())


def _private(roll: Entry, alike: Mapping[str, str]) -> Iterator[tuple[str, Same]]:
    parts = roll.content()["parts"]
    return _same_of(roll, alike, [part for part in parts if part["audience"] != "results" and part["unrolled"] is None])


def _same_of(roll: Entry, alike: Mapping[str, str], parts: list[Any] | None = None) -> Iterator[tuple[str, Same]]:
    """Yield what each part of a roll was a try at: the family, and for whom; a new name of a subject makes no other try.

    `alike` has the pseudonyms of people by those that they had before they were erased, which make no other try either.
    """
    body = roll.content()
    numbers = {name_key(name): number for number, name in roll.names().items()}
    people = {mark_role(role): alike.get(pseudonym, pseudonym) for role, pseudonym in rollers(roll).items()}

    for part in body["parts"] if parts is None else parts:
        yield (
            body["family"],
            {
                role: frozenset(
                    people[name] if name in people else numbers.get(name_key(name), name_key(name))
                    for name in names_of(names)
                )
                for role, names in part["subjects"].items()
            },
        )


def _update_number(roll: Entry) -> int:
    return int(roll.content()["update"]["number"])


class _Update(Struct, frozen=True):
    number: int


class _Roll(Struct, frozen=True):
    """What is read of a roll's body to tell when it was made: to parse all of it costs twenty times as much."""

    update: _Update


_UPDATE = Decoder(_Roll)
_BATCH = MANY + 1
"""Of how many rolls it is asked at once which are void."""


def rolls_since(tx: Connection, campaign_id: int, update: int, allowed: AudienceFilter) -> Iterator[Entry]:
    """Yield the rolls of an update and of those after it that stand and pass the filter, newest first and without their texts, as far as they are asked for."""
    begun = campaigns.find_update_entry(tx, campaign_id, update)
    rolls = entries.walk_back(tx, campaign_id, ROLL.name, allowed, after=begun)
    while some := list(islice(rolls, _BATCH)):
        void = voiding.find_voided(tx, campaign_id, [entry.number for entry in some])
        for entry in some:
            # What is amended is of the update in which its dice fell.
            if entry.number not in void and _UPDATE.decode(entry.body).update.number >= update:
                yield entry


def roll_lines(tx: Connection, campaign_id: int, rolls: Sequence[Entry]) -> Iterator[str]:
    """Yield a line for each of these rolls, with all of its parts."""
    whole = entries.get_entries(tx, campaign_id, {roll.number for roll in rolls})
    for roll in rolls:
        yield f"\N{BULLET} #{roll.number} {ROLL.sentence(read_body(whole[roll.number]), 'staff')}"


class Summary(TypedDict):
    """What is told of a part of a roll, in which phase of its book's orders (id); no lines where it has decided nothing."""

    phase: str
    lines: Sequence[str]


def summary_of(part: Mapping[str, Json]) -> Summary | None:
    """Return what is told of a part of a roll (as its entry's body has it) instead of its outcome; None where it is told as ever."""
    return cast("Summary | None", part["record"].get(SUMMARY))


def has_decided(made: Entry) -> bool:
    """Return whether an entry is a roll that has decided something that is to be told."""
    parts = made.content()["parts"] if made.kind == "roll" else ()
    return any(found["lines"] for part in parts if (found := summary_of(part)))


def find_decided(tx: Connection, campaign: Campaign, numbers: range) -> list[Entry]:
    """Return the rolls among the entries of these numbers that have decided something and stand, in their order."""
    made = entries.get_entries_bare(tx, campaign.id, numbers)
    found = {number for number, entry in made.items() if has_decided(entry)}
    return [made[number] for number in sorted(found - voiding.find_voided(tx, campaign.id, found))]


def list_elsewhere(tx: Connection, campaign: Campaign) -> Iterator[str]:
    """Yield the rolls of the current update that stand and were posted elsewhere than in the results channel, a line each, newest first, as far as they are asked for."""
    return filter(None, map(_line, _made(tx, campaign)))


def list_decided_first(tx: Connection, campaign: Campaign) -> Sequence[str]:
    """Return all of them: first those that have decided something, such as a battle, and of each the oldest first."""
    made = sorted(_made(tx, campaign), key=attrgetter("number"))
    return [line for entry in sorted(made, key=_follows) if (line := _line(entry))]


def _made(tx: Connection, campaign: Campaign) -> Iterator[Entry]:
    elsewhere = (
        post.c.campaign_id == campaign.id,
        post.c.kind == "results",
        post.c.channel_id != campaign.results_channel_id,
        post.c.entry_number > find_update_entry(tx, campaign.id),
    )
    numbers = iter(sorted(set(tx.scalars(sa.select(post.c.entry_number).where(*elsewhere))), reverse=True))
    while some := set(islice(numbers, _BATCH)):
        found = entries.get_entries(tx, campaign.id, some - voiding.find_voided(tx, campaign.id, some))
        yield from (found[number] for number in sorted(found, reverse=True))


def _follows(made: Entry) -> bool:
    return not has_decided(made)


def _line(made: Entry) -> str:
    """Return a roll in a line; empty when it was not posted where it was typed, or nothing of it is to be told here."""
    if made.kind != "roll" or (home := home_of(made)) is None:
        return ""
    body = read_body(made)
    parts = [line for part in body["parts"] if (line := _describe_part(body, part))]
    return f"#{made.number} {'; '.join(part.removesuffix('.') for part in parts)}, in <#{home}>" if parts else ""


def _describe_part(body: Mapping[str, Json], part: Mapping[str, Json]) -> str:
    """Return what a part came to; of one that is summed up the first line."""
    summary = summary_of(part)
    if summary is not None:
        return plain("".join(summary["lines"][:1]))
    return outcome_line(body, part, plain(part["outcome"]["text"])) if part["outcome"] else ""
