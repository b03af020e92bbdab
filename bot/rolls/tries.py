"""How many tries came before a result that becomes public: the one place that counts them.

A try counts whatever kept it private: a choice, the rules, a secret or a group. One that was taken back counts, and so does
one whose maker was erased since.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from sqlalchemy import Connection

from bot.core import entries, tombstones
from bot.core.campaigns import Campaign
from bot.core.entry_kinds import Publication
from bot.core.people import mark
from bot.core.records import Entry
from bot.rolls.amended import since
from bot.rolls.entry_body import rollers, was_kept
from rules.subjects import name_key, names_of

Same = Mapping[str, frozenset[int | str]]
"""Who is in each role of a part: numbers of subjects, keys of the names of others, pseudonyms of people."""


def publication_of(tx: Connection, campaign: Campaign, entry: Entry) -> Publication:
    """Return what is told of a roll that becomes public.

    A roll that was amended is one roll, made when its dice fell, by the person who threw them. Where it's about something else by
    now, it is a try at that since it was amended.
    """
    first = entries.get(tx, campaign.id, since(entry.number, entry.content())) or entry
    update = _update(first)
    before, after = ([*_made_in(side, update)] for side in entries.around(tx, campaign.id, first))
    alike = {
        other: pseudonym
        for pseudonym in rollers(first).values()
        for other in tombstones.same_person(tx, campaign.id, pseudonym)
    }
    same, by_now = ([*_same_of(roll, alike)] for roll in (first, entry))
    meanwhile = [other for other in after if other.number < entry.number and by_now != same]
    tries = sum(any(part in same or part in by_now for part in _private(other, alike)) for other in before)
    tries += sum(any(part in by_now for part in _private(other, alike)) for other in meanwhile)
    if not was_kept(first.content()):
        return Publication(update, tries=tries)
    maker = tombstones.same_person(tx, campaign.id, first.actor)
    kept = (other.actor in maker and was_kept(other.content()) for other in (*before, *after))
    return Publication(update, 1 + sum(kept), tries)


def _made_in(rolls: Iterator[Entry], update: int) -> Iterator[Entry]:
    """Yield the rolls of an update whose dice fell in it: one that amends another keeps the dice of that."""
    there = takewhile(lambda roll: "amends" in roll.content() or _update(roll) == update, rolls)
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
    people = {mark(role): alike.get(pseudonym, pseudonym) for role, pseudonym in rollers(roll).items()}

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


def _update(roll: Entry) -> int:
    """Return the number of the update in which a roll was made."""
    return int(roll.content()["update"]["number"])
