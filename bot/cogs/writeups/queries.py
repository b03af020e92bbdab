"""Write-ups: battles and scenes that rolls have called for, as far as a person may know of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, NotRequired, TypedDict

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.writeups.embed import Writeup, gist
from bot.cogs.writeups.refusals import none_there
from bot.cogs.writeups.states import CLAIMED, DONE, OPEN, STATES
from bot.core import entries, state
from bot.core.campaigns import Campaign
from bot.core.entries import AudienceFilter
from bot.core.groups import is_group
from bot.core.people import told
from bot.core.permissions import Person, audience_filter
from bot.core.records import Entry
from bot.core.visibility import Viewer, require_part, viewer_of
from bot.errors import BadInput
from bot.outbox import store as posts
from bot.outbox.store import Post
from bot.rolls.entry_body import calls
from bot.ui.text import bare, channel_link
from bot.ui.todo import MANY, counted

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
    def body(self) -> Mapping[str, Any]:
        """The entry's body as people read it."""
        return told(self.entry)

    @property
    def part(self) -> Mapping[str, Any]:
        """The part that calls for it."""
        part: Mapping[str, Any] = self.body["parts"][self.value["part"]]
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
    viewer = viewer_of(tx, person, campaign)
    require_part(viewer)
    kept = [value for value in _kept(tx, campaign, wanted) if below is None or place_of(value) < below]
    return describe(tx, viewer, list(islice(_known(tx, viewer, kept), PAGE + 1)))


def to_claim(tx: Connection, viewer: Viewer, limit: int) -> tuple[list[Writeup], int | None]:
    """Return the newest that nobody has claimed and the person may know of, at most `limit`, and how many there are; None for more than are counted."""
    known, count = counted(_known(tx, viewer, _kept(tx, viewer.campaign, (OPEN,))))
    return [_writeup(item) for item in known[:limit]], count


def claimed(tx: Connection, viewer: Viewer, limit: int) -> tuple[list[Writeup], int | None]:
    """Return the newest that the person has claimed, then for game masters those of others; at most `limit`, and how many there are, as `to_claim`."""
    kept = _kept(tx, viewer.campaign, (CLAIMED,))
    own = [value for value in kept if value["by"] == viewer.mine]
    others = [value for value in kept if value["by"] != viewer.mine] if viewer.person.leads(viewer.campaign) else []
    known, count = counted(_known(tx, viewer, [*own, *others]))
    return describe(tx, viewer, known[:limit]), count


def suggest(tx: Connection, person: Person, campaign: Campaign, word: str, wanted: Collection[str]) -> list[Writeup]:
    """Return the newest in the wanted states that the person may know of and whose number or gist holds a word, at most 25."""
    viewer = viewer_of(tx, person, campaign)
    require_part(viewer)
    known = (_writeup(item) for item in _known(tx, viewer, _kept(tx, campaign, wanted)))
    alike = (item for item in known if word.strip().casefold() in bare(f"{item.number} {item.gist}").casefold())
    return list(islice(alike, MAX_SUGGESTED))


def look(tx: Connection, person: Person, campaign: Campaign, number: str) -> Writeup:
    """Return the write-up of a number as typed.

    Raises:
        NotAllowed: the person takes no part in the campaign.
        BadInput: there is none that the person may know of, or several.

    """
    viewer = viewer_of(tx, person, campaign)
    (writeup,) = describe(tx, viewer, [find(tx, viewer, number)])
    return writeup


def _kept(tx: Connection, campaign: Campaign, wanted: Collection[str] = STATES) -> list[WriteupValue]:
    """Return all that is or was to be written and is in one of the states, newest first."""
    every: Iterable[WriteupValue] = state.of_name(tx, campaign.id, WRITEUP).values()
    return sorted((value for value in every if value["state"] in wanted), key=place_of, reverse=True)


def place_of(value: WriteupValue) -> Place:
    """Return the entry and the part that call for a write-up."""
    return value["entry"], value["part"]


def _known(tx: Connection, viewer: Viewer, kept: Sequence[WriteupValue]) -> Iterator[CalledFor]:
    """Give those that the person may know of; entries are read a chunk at a time, as far as they are asked for."""
    allowed = audience_filter(tx, viewer.person, viewer.campaign, viewer.mine)
    for start in range(0, len(kept), CHUNK):
        chunk = kept[start : start + CHUNK]
        calling = entries.some(tx, viewer.campaign.id, {value["entry"] for value in chunk})
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
    people = entries.people(tx, campaign.id, {item.value["by"] for item in listed if "by" in item.value})
    written = entries.some(tx, campaign.id, {item.value["since"] for item in listed if item.value["state"] == DONE})
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
    sent = [post for post in posts.of_entry(tx, viewer.campaign.id, item.entry.number) if post.message_id is not None]
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
