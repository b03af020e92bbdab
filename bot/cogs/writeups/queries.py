"""Write-ups as the state keeps them, found, listed and in words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal, NotRequired, TypedDict

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, state, voiding
from bot.core.campaigns import Campaign
from bot.core.encoding import Json
from bot.core.entries import AudienceFilter
from bot.core.permissions import Person, audience_filter, find_readable, is_group
from bot.core.records import Entry, read_body
from bot.core.visibility import Viewer, make_viewer, require_part
from bot.errors import BadInput, NotOpen, UserError
from bot.outbox import store as posts
from bot.outbox.store import Post
from bot.rolls.entry_body import calls
from bot.rolls.headline import outcome_line
from bot.ui.text import DOT, channel_link, plain, shorten, strip_marks
from bot.ui.todo import MANY, count_first

STATES = OPEN, CLAIMED, DONE, WITHDRAWN = "open", "claimed", "done", "withdrawn"


MAX_LINK = 200
LIST = "See /writeups list."
_LINK = re.compile(rf"https?://[^\s<>`|\\]{{3,{MAX_LINK - 8}}}")


def checked_link(typed: str | None) -> str | None:
    """Return the address of what was written, trimmed."""
    link = (typed or "").strip()
    if link and not _LINK.fullmatch(link):
        do = f"Paste a link that starts with https:// and has at most {MAX_LINK} characters."
        raise BadInput("That isn't a link.", do)
    return link or None


def none_there(tx: Connection, viewer: Viewer, typed: str, number: int, place: str | None) -> UserError:
    """Return the refusal of a number (an entry, and the place of its part from 1) under which the person knows of no write-up.

    Of a roll that called for one, as far as they may read it, it says that it was taken back or amended.
    """
    unknown = BadInput(f"I can't find a write-up {typed} for you.", LIST)
    mark = voiding.find_mark(tx, viewer.campaign.id, number)
    entry = find_readable(tx, viewer.person, viewer.campaign, number) if mark else None
    if mark is None or entry is None or entry.kind != "roll":
        return unknown
    whole = entry.audience != "mixed" or viewer.person.leads(viewer.campaign)
    parts = (part for at, part in enumerate(read_body(entry)["parts"], 1) if place in {None, str(at)})
    if not any(any(calls(part)) and (whole or part["audience"] == "results") for part in parts):
        return unknown
    if mark.amended:
        return NotOpen(f"Roll #{number} was amended by entry #{mark.by}.", LIST)
    return NotOpen(f"Roll #{number} was undone, so it needs no write-up.")


MAX_GIST = 300
ROOM = 3600
"""Characters for the lines of a page, under Discord's 4,000 for a whole message of components."""


class Writeup(Struct, frozen=True):
    """Something to be written: part `part` of entry `entry`, as `number` for people, what it is about and how it stands.

    `state` is open, claimed or done, `since` the entry that made it so, `by` the user id of who claimed or wrote it.
    `post` and `thread` are addresses of the posted roll and its thread, `link` is where the text stands; `result` is how
    its battle ended for the one who was caught, attacked or ambushed, `fought` is that one's name. `seen` is the newest
    entry about it.
    """

    number: str
    entry: int
    part: int
    gist: str
    state: str
    since: int
    by: int | None = None
    post: str | None = None
    thread: str | None = None
    link: str | None = None
    result: str | None = None
    seen: int = 0
    fought: str | None = None

    @property
    def status(self) -> str:
        """How it stands, in the words that people see."""
        return "cancelled" if self.state == WITHDRAWN else self.state

    @property
    def place(self) -> str:
        """What is typed for it in full, wherever it stands."""
        return f"{self.entry}.{self.part + 1}"


def gist(body: Mapping[str, Json], part: Mapping[str, Json]) -> str:
    """Return what a part of a roll was about and came to, in one line."""
    outcome = plain(part["outcome"]["text"]) if part["outcome"] else "not rolled"
    return shorten(outcome_line(body, part, outcome, mark=""), MAX_GIST)


def fit_page(listed: Sequence[Writeup]) -> list[str]:
    """Return the lines of those write-ups, from the first one on, that a page has room for; one at least."""
    lines: list[str] = []
    room = ROOM
    for item in listed:
        text = line(item)
        room -= len(text) + 1
        if lines and room < 0:
            break
        lines.append(text)
    return lines


def line(item: Writeup) -> str:
    """Return what a write-up is about and how it stands."""
    return f"**#{item.number}** {item.gist}{DOT}{DOT.join(_status(item))}"


def _status(item: Writeup) -> Iterator[str]:
    by = "" if item.by is None else f" by <@{item.by}>"
    yield f"{item.status}{by}"
    if item.result is not None:
        yield f"battle {item.result}"
    for label, address in (("Result", item.post), ("Thread", item.thread)):
        if address is not None:
            yield f"[{label}]({address})"
    if item.link is not None:
        yield f"<{item.link}>"


PAGE = 10
CHUNK = MANY + 1
"""Of how many the entries are read at once: as many as are asked for to count them."""

MAX_SUGGESTED = 25
WRITEUP = "writeup"

Place = tuple[int, int]
"""The entry and its part, from 0, that call for something to be written."""

_NUMBER = re.compile(r"#?([0-9]{1,9})(?:\.([0-9]{1,3}))?")
_PUBLIC, _GROUP = ("results", "published"), ("group",)
_ALL = ("results", "published", "group", "staff", "whole")


Result = Literal["won", "drawn", "lost"]
"""How a battle ended for the one who was caught, attacked or ambushed."""


class WriteupValue(TypedDict):
    """What the state keeps of a write-up: the part (from 0) that calls for it, its state, and once that changed since which entry and by whom (pseudonym).

    `result` is how its battle ended, `decided` the entry that says so.
    """

    entry: int
    part: int
    state: str
    by: NotRequired[str]
    since: NotRequired[int]
    result: NotRequired[Result]
    decided: NotRequired[int]


class CalledFor(Struct, frozen=True):
    """What is to be written as the state keeps it, with the entry that calls for it."""

    value: WriteupValue
    entry: Entry

    @property
    def body(self) -> Mapping[str, Json]:
        """The entry's body as people read it."""
        return read_body(self.entry)

    @property
    def part(self) -> Mapping[str, Json]:
        """The part that calls for it."""
        part: Mapping[str, Json] = self.body["parts"][self.value["part"]]
        return part

    @property
    def number(self) -> str:
        """What people type for it: the entry, and its part where there are several."""
        number, place = self.value["entry"], self.value["part"] + 1
        return str(number) if len(self.body["parts"]) == 1 else f"{number}.{place}"

    @property
    def since(self) -> int:
        """The entry since which it stands as it does."""
        return self.value.get("since", self.value["entry"])

    @property
    def newest(self) -> int:
        """The newest entry about it, its battle's result included."""
        return max(self.since, self.value.get("decided", 0))


def page(
    tx: Connection, person: Person, campaign: Campaign, wanted: Collection[str], below: Place | None = None
) -> list[Writeup]:
    """Return those in the wanted states that the person may know of, newest first and older than `below`: one page and one more."""
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    kept = [value for value in _kept(tx, campaign, wanted) if below is None or place_of(value) < below]
    return describe(tx, viewer, list(islice(_known(tx, viewer, kept), PAGE + 1)))


def to_claim(tx: Connection, viewer: Viewer, limit: int) -> tuple[list[Writeup], int | None]:
    """Return the newest that nobody has claimed and the person may know of, at most `limit`, and how many there are; None for more than are counted."""
    known, count = count_first(_known(tx, viewer, _kept(tx, viewer.campaign, (OPEN,))))
    return [_writeup(item) for item in known[:limit]], count


def claimed(tx: Connection, viewer: Viewer, limit: int) -> tuple[list[Writeup], int | None]:
    """Return the newest that the person has claimed, then for game masters those of others; at most `limit`, and how many there are, as `to_claim`."""
    kept = _kept(tx, viewer.campaign, (CLAIMED,))
    own = [value for value in kept if value["by"] == viewer.mine]
    others = [value for value in kept if value["by"] != viewer.mine] if viewer.person.leads(viewer.campaign) else []
    known, count = count_first(_known(tx, viewer, [*own, *others]))
    return describe(tx, viewer, known[:limit]), count


def suggest(tx: Connection, person: Person, campaign: Campaign, word: str, wanted: Collection[str]) -> list[Writeup]:
    """Return the newest in the wanted states that the person may know of and whose number or gist holds a word, at most 25."""
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    known = (_writeup(item) for item in _known(tx, viewer, _kept(tx, campaign, wanted)))
    alike = (item for item in known if word.strip().casefold() in strip_marks(f"{item.number} {item.gist}").casefold())
    return list(islice(alike, MAX_SUGGESTED))


def look(tx: Connection, person: Person, campaign: Campaign, number: str) -> Writeup:
    """Return the write-up of a number as typed.

    Raises:
        NotAllowed: the person takes no part in the campaign.
        BadInput: there is none that the person may know of, or several.

    """
    viewer = make_viewer(tx, person, campaign)
    (writeup,) = describe(tx, viewer, [find(tx, viewer, number)])
    return writeup


def _kept(tx: Connection, campaign: Campaign, wanted: Collection[str] = STATES) -> list[WriteupValue]:
    """Return all that is or was to be written and is in one of the states, newest first."""
    every: Iterable[WriteupValue] = state.find_values_of_name(tx, campaign.id, WRITEUP).values()
    return sorted((value for value in every if value["state"] in wanted), key=place_of, reverse=True)


def place_of(value: WriteupValue) -> Place:
    """Return the entry and the part that call for a write-up."""
    return value["entry"], value["part"]


def _known(tx: Connection, viewer: Viewer, kept: Sequence[WriteupValue]) -> Iterator[CalledFor]:
    """Give those that the person may know of; entries are read a chunk at a time, as far as they are asked for."""
    allowed = audience_filter(tx, viewer.person, viewer.campaign, viewer.mine)
    for start in range(0, len(kept), CHUNK):
        chunk = kept[start : start + CHUNK]
        calling = entries.get_entries(tx, viewer.campaign.id, {value["entry"] for value in chunk})
        for value in chunk:
            item = CalledFor(value, calling[value["entry"]])
            if _may_know(viewer, allowed, item):
                yield item


def _may_know(viewer: Viewer, allowed: AudienceFilter, item: CalledFor) -> bool:
    """Tell whether the person may know of the result that calls for it: of its entry, and players of that very part."""
    audience = item.entry.audience
    if audience == "person":
        return item.entry.actor == viewer.mine
    if audience == "mixed" and not viewer.person.leads(viewer.campaign):
        return bool(item.part["audience"] == "results")
    return audience in allowed.audiences


def describe(tx: Connection, viewer: Viewer, listed: Sequence[CalledFor]) -> list[Writeup]:
    """Return write-ups with who writes them, where their rolls are posted and where their texts are."""
    campaign = viewer.campaign
    people = entries.find_users(tx, campaign.id, {item.value["by"] for item in listed if "by" in item.value})
    written = entries.get_entries(
        tx, campaign.id, {item.value["since"] for item in listed if item.value["state"] == DONE}
    )
    return [
        _writeup(
            item,
            people.get(item.value.get("by", "")),
            _posted(tx, viewer, item),
            written.get(item.value.get("since", 0)),
            campaign.guild_id,
        )
        for item in listed
    ]


def _writeup(
    item: CalledFor, by: int | None = None, post: Post | None = None, written: Entry | None = None, guild_id: int = 0
) -> Writeup:
    number, part = place_of(item.value)
    address = post.link(guild_id) if post else None
    return Writeup(
        number=item.number,
        entry=number,
        part=part,
        gist=gist(item.body, item.part),
        state=item.value["state"],
        since=item.since,
        by=by,
        post=address,
        thread=channel_link(guild_id, post.thread_id) if post and post.thread_id else None,
        link=written.text("link") if written else None,
        result=item.value.get("result"),
        seen=item.newest,
        fought=next((call["to"] for call in calls(item.part, "battle")), None),
    )


def _posted(tx: Connection, viewer: Viewer, item: CalledFor) -> Post | None:
    """Return the first message of the result that tells of the part and that the person may see; None while there is none."""
    kinds = _ALL if viewer.person.leads(viewer.campaign) else _GROUP if is_group(item.entry.audience) else _PUBLIC
    telling = [kind for kind in kinds if kind != "results" or item.part["audience"] == "results"]
    sent = [
        post for post in posts.posts_of_entry(tx, viewer.campaign.id, item.entry.number) if post.message_id is not None
    ]
    ranked = sorted((telling.index(post.kind), post.page, post.id) for post in sent if post.kind in telling)
    return next((post for post in sent if ranked and post.id == ranked[0][-1]), None)


def find(tx: Connection, viewer: Viewer, typed: str) -> CalledFor:
    """Return the write-up of a number as typed, of which the person may know."""
    campaign = viewer.campaign
    require_part(viewer)
    match = _NUMBER.fullmatch(typed.strip())
    if match is None:
        raise BadInput(
            f"{typed[:60]!r} isn't the number of a write-up.", "Write it like 12 or 12.2: see /writeups list."
        )
    number, part = int(match[1]), match[2]
    kept = [
        value for value in _kept(tx, campaign) if value["entry"] == number and part in {None, str(value["part"] + 1)}
    ]
    known = list(_known(tx, viewer, kept))
    if not known:
        raise none_there(tx, viewer, match[0], number, part)
    if len(known) > 1:
        last, *_, first = [item.number for item in known]
        several = f"{len(known)} write-ups, {first} to {last}"
        raise BadInput(f"Entry #{number} has {several}.", f"Say which one, such as {first}.")
    return known[0]
