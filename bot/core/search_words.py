"""The words by which an entry is found: what it says to everybody who may read it, and what it says to the staff besides.

They are taken from what the entry shows, so that nobody finds by a word what they do not read. What is asked for besides,
such as a region, is a word of its own, in which a mark stands that no typed word has. Another mark makes other words of those
for the staff: what players look for costs the same whatever the staff reads.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

import discord

from bot.core.entries import AudienceFilter
from bot.core.entry_kinds import EntryKinds, EntryView, Pages, Publication, View, published_late
from bot.core.people import told
from bot.core.records import Entry

MAX_WORD, MAX_WORDS = 40, 5000
"""Letters of a word that count, and how many different words of an entry are kept."""

_MARK, _STAFF = "=", "!"
BEGINNING = "*"
"""What stands behind a word that is searched for where all words fit that begin with it."""

TERMS = frozenset({"by", "family", "opened", "outcome", "region", "to", "unit", "week"})
"""What entries are found by besides their words, by name."""

MIN_BEGINNING = 3
"""Letters that a word has to have for longer ones to fit."""

_PLURAL = re.compile(r"(?:(?<=[sxz])|(?<=[cs]h))es$|(?<=[^s])s$")
_PUBLIC, _ALL = frozenset({"results", "mixed"}), "all"
"""The audiences of entries that all who play know of, and what stands for them."""

_WORD = re.compile(r"[^\W_]+")
_UNSPOKEN = re.compile(r"(?<!\\)<[^<>\s]+>|\(https?://\S+\)")
"""What stands in a text for Discord: mentions, times and addresses."""


def words(text: str) -> Iterator[str]:
    """Yield the words of a text, without regard to capitals and accents."""
    folded = text if text.isascii() else unicodedata.normalize("NFKD", text)
    letters = folded if folded.isascii() else "".join(item for item in folded if not unicodedata.combining(item))
    return (word[:MAX_WORD] for word in _WORD.findall(letters.casefold()))


def forms(word: str) -> tuple[str, ...]:
    """Return what fits a typed word: all that begins with it, or with its singular; of numbers and short words they alone.

    Where the names of terms begin so, which nobody reads, its singular and plural fit instead.
    """
    if not word.isalpha() or len(word) < MIN_BEGINNING:
        return (word,)
    stem = _PLURAL.sub("", word)
    stems = (
        (stem, f"{stem[:-2]}y") if word.endswith("ies") else (stem, f"{stem[:-1]}ie") if word.endswith("y") else (stem,)
    )
    if any(name.startswith(item) for name in TERMS for item in stems):
        return tuple(dict.fromkeys((word, *stems, *(f"{item}s" for item in stems))))
    return tuple(item + BEGINNING for item in stems if len(item) >= MIN_BEGINNING) or (word,)


def term(name: str, value: object) -> str:
    """Return the word by which entries are found that have a value under a name, one of `TERMS`."""
    if name not in TERMS:
        raise ValueError(f"{name} is not among the terms")
    return f"{name}{_MARK}{_MARK.join(words(str(value)))}"


def by_maker(pseudonym: str) -> str:
    """Return the word by which entries are found that somebody has made."""
    return term("by", pseudonym)


def for_readers(allowed: AudienceFilter, *, whole: bool) -> list[str]:
    """Return the words of which every entry has one that passes a filter, but for those that amend somebody's own.

    `whole` is the filter of a game master, who reads all but what others have made for themselves.
    """
    groups = [name for name in allowed.audiences if name not in _PUBLIC]
    named = [allowed.pseudonym] if whole else [_ALL, *groups, allowed.pseudonym]
    return [*([for_staff(term("to", "staff"))] if whole else []), *(term("to", name) for name in named if name)]


def _readers(entry: Entry, view: View) -> Iterator[str]:
    """Yield the words that tell who reads an entry: the staff, or of all others who."""
    if entry.audience in {"person", "maker"}:
        yield term("to", entry.actor)
    elif view == "public":
        yield term("to", _ALL if entry.audience in _PUBLIC else entry.audience)
    if view == "staff" and entry.audience != "person":
        yield term("to", "staff")


def document(kinds: EntryKinds, entry: Entry) -> str:
    """Return the words of an entry as it reads now, parted by blanks: all that are for the staff alone are marked so."""
    public = frozenset() if entry.audience == "staff" else frozenset(_said(kinds, entry, "public"))
    more = frozenset(_said(kinds, entry, "staff")) - public
    return " ".join([*_first(public), *map(for_staff, _first(more))])


def for_staff(word: str) -> str:
    """Return the word by which the staff finds an entry that says it to the staff alone."""
    return f"{_STAFF}{word}"


def _first(found: Iterable[str]) -> list[str]:
    """Return what an entry is about, then as many other words as are kept."""
    return sorted(found, key=_place)[:MAX_WORDS]


def _place(word: str) -> tuple[bool, str]:
    return _MARK not in word, word


def _said(kinds: EntryKinds, entry: Entry, view: View) -> Iterator[str]:
    """Yield the words of what an entry shows, and those of what it is about."""
    body = told(entry)
    shown = EntryView(entry, "", Publication() if published_late(entry) else None)
    lines = [*kinds.results(entry, body, view), *_texts(kinds.whole(shown, view))]
    yield from words(_UNSPOKEN.sub(" ", "\n".join(lines)))
    yield from (term(name, value) for name, value in kinds.about(entry, body, view))
    yield by_maker(entry.actor)
    yield from _readers(entry, view)


def _texts(pages: Pages) -> Iterator[str]:
    """Yield the texts of messages, but for their footers, which tell where an entry stands."""
    for embed in (embed for page in pages for embed in page):
        yield from _texts_of(embed)


def _texts_of(embed: discord.Embed) -> Iterator[str]:
    yield from filter(None, (embed.title, embed.description))
    for item in embed.fields:
        yield from filter(None, (item.name, item.value))
