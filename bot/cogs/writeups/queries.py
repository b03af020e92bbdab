"""Write-ups in the state: find, list, describe."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal, NotRequired, TypedDict

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, state, voiding
from bot.core.campaigns import Campaign
from bot.core.errors import BadInput, NotOpen, UserError
from bot.core.permissions import Person, audience_filter, find_readable, is_group
from bot.core.records import Entry, Json, read_body
from bot.core.visibility import Viewer, make_viewer, require_part
from bot.outbox import queue as posts
from bot.rolls import entry_body
from bot.ui.receipt import MANY, count_first
from bot.ui.text import DOT, channel_link, plain, shorten, strip_marks

STATES = OPEN, CLAIMED, DONE, WITHDRAWN = "open", "claimed", "done", "withdrawn"


MAX_LINK = 200
LIST = "See /writeups."
_LINK = re.compile(rf"https?://[^\s<>`|\\]{{3,{MAX_LINK - 8}}}")


def check_link(typed: str | None) -> str | None:
    """Return a typed link, trimmed; None if empty. Refuse what isn't a link."""
    link = (typed or "").strip()
    if link and not _LINK.fullmatch(link):
        do = f"Paste a link that starts with https:// and has at most {MAX_LINK} characters."
        raise BadInput("That isn't a link.", do)
    return link or None


def _refuse_missing(tx: Connection, viewer: Viewer, typed: str, number: int, place: str | None) -> UserError:
    unknown = BadInput(f"I can't find a write-up {typed} for you.", LIST)
    mark = voiding.find_mark(tx, viewer.campaign.id, number)
    entry = find_readable(tx, viewer.person, viewer.campaign, number) if mark else None
    if mark is None or entry is None or entry.kind != "roll":
        return unknown
    whole = entry.audience != "mixed" or viewer.person.leads(viewer.campaign)
    parts = (part for at, part in enumerate(read_body(entry)["parts"], 1) if place in {None, str(at)})
    if not any(any(entry_body.list_calls(part)) and (whole or part["audience"] == "results") for part in parts):
        return unknown
    if mark.amended:
        return NotOpen(f"Roll #{number} was amended by entry #{mark.by}.", LIST)
    return NotOpen(f"Roll #{number} was undone, so it needs no write-up.")


MAX_GIST = 300
ROOM = 3600  # characters; a message has 4,000


class Writeup(Struct, frozen=True):
    """A write-up of part `part` of entry `entry`.

    `since` made its `state`, `by` is the author's user id, `seen` the newest entry about it. `result` is how the battle ended
    for `fought`.
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
        """The state in people's words."""
        return "cancelled" if self.state == WITHDRAWN else self.state

    @property
    def place(self) -> str:
        """What is typed for it in full."""
        return f"{self.entry}.{self.part + 1}"


def describe_part(body: Mapping[str, Json], part: Mapping[str, Json]) -> str:
    """Return a part and its outcome in one line."""
    outcome = plain(part["outcome"]["text"]) if part["outcome"] else "not rolled"
    return shorten(entry_body.outcome_line(body, part, outcome, mark=""), MAX_GIST)


def fit_page(listed: Sequence[Writeup]) -> list[str]:
    """Return lines that fit a page, at least one."""
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
    """Describe a write-up in one line."""
    words = [item.status if item.by is None else f"{item.status} by <@{item.by}>"]
    words += [f"battle {item.result}"] if item.result is not None else []
    words += [f"[Result]({item.post})"] if item.post is not None else []
    words += [f"[Thread]({item.thread})"] if item.thread is not None else []
    words += [f"<{item.link}>"] if item.link is not None else []
    return DOT.join([f"**#{item.number}** {item.gist}", *words])


PAGE = 10
CHUNK = MANY + 1  # entries read at once
MAX_SUGGESTED = 25
WRITEUP = "writeup"

Place = tuple[int, int]  # entry and part, from 0
_NUMBER = re.compile(r"#?([0-9]{1,9})(?:\.([0-9]{1,3}))?")
_PUBLIC, _GROUP = ("results", "published"), ("group",)
_ALL = ("results", "published", "group", "staff", "whole")


Result = Literal["won", "drawn", "lost"]


class WriteupValue(TypedDict):
    """A write-up as the state keeps it; `by` is a pseudonym, `since` and `decided` are entries."""

    entry: int
    part: int
    state: str
    by: NotRequired[str]
    since: NotRequired[int]
    result: NotRequired[Result]
    decided: NotRequired[int]


class StoredWriteup(Struct, frozen=True):
    """A write-up in the state, with its entry."""

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
        """The entry's number, with the part from 1 if there are several, such as 12.2."""
        number, place = self.value["entry"], self.value["part"] + 1
        return str(number) if len(self.body["parts"]) == 1 else f"{number}.{place}"

    @property
    def since(self) -> int:
        """The entry that brought the write-up to its state."""
        return self.value.get("since", self.value["entry"])

    @property
    def newest(self) -> int:
        """The newest entry about it, its battle's result included."""
        return max(self.since, self.value.get("decided", 0))


def list_page(
    tx: Connection, person: Person, campaign: Campaign, wanted: Collection[str], below: Place | None = None
) -> list[Writeup]:
    """List a page of write-ups older than `below`, and one more to see whether there's another page."""
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    kept = [value for value in _read_values(tx, campaign, wanted) if below is None or place_of(value) < below]
    return describe(tx, viewer, list(islice(_filter_known(tx, viewer, kept), PAGE + 1)))


def list_unclaimed(tx: Connection, viewer: Viewer, limit: int) -> tuple[list[Writeup], int | None]:
    """List the newest write-ups without a writer, and count all (None: too many to count)."""
    known, count = count_first(_filter_known(tx, viewer, _read_values(tx, viewer.campaign, (OPEN,))))
    return [_writeup(item) for item in known[:limit]], count


def find_claimed(tx: Connection, viewer: Viewer, limit: int) -> tuple[list[Writeup], int | None]:
    """Return claimed write-ups, own ones first, game masters also others'; and a count (None: too many)."""
    kept = _read_values(tx, viewer.campaign, (CLAIMED,))
    own = [value for value in kept if value["by"] == viewer.mine]
    others = [value for value in kept if value["by"] != viewer.mine] if viewer.person.leads(viewer.campaign) else []
    known, count = count_first(_filter_known(tx, viewer, [*own, *others]))
    return describe(tx, viewer, known[:limit]), count


def suggest(tx: Connection, person: Person, campaign: Campaign, word: str, wanted: Collection[str]) -> list[Writeup]:
    """Suggest up to 25 with a word in number or gist."""
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    known = (_writeup(item) for item in _filter_known(tx, viewer, _read_values(tx, campaign, wanted)))
    alike = (item for item in known if word.strip().casefold() in strip_marks(f"{item.number} {item.gist}").casefold())
    return list(islice(alike, MAX_SUGGESTED))


def find_writeup(tx: Connection, person: Person, campaign: Campaign, number: str) -> Writeup:
    """Describe a write-up by its typed number."""
    viewer = make_viewer(tx, person, campaign)
    (writeup,) = describe(tx, viewer, [find(tx, viewer, number)])
    return writeup


def _read_values(tx: Connection, campaign: Campaign, wanted: Collection[str] = STATES) -> list[WriteupValue]:
    every: Iterable[WriteupValue] = state.find_values_of_name(tx, campaign.id, WRITEUP).values()
    return sorted((value for value in every if value["state"] in wanted), key=place_of, reverse=True)


def place_of(value: WriteupValue) -> Place:
    """Return entry and part of a write-up."""
    return value["entry"], value["part"]


def key_of(entry: int, part: int) -> str:
    """Return the subject of a write-up in the state."""
    return f"{WRITEUP}:{entry}.{part}"


def _filter_known(tx: Connection, viewer: Viewer, kept: Sequence[WriteupValue]) -> Iterator[StoredWriteup]:
    allowed = audience_filter(tx, viewer.person, viewer.campaign, viewer.mine)
    for start in range(0, len(kept), CHUNK):
        chunk = kept[start : start + CHUNK]
        calling = entries.get_entries(tx, viewer.campaign.id, {value["entry"] for value in chunk})
        for value in chunk:
            item = StoredWriteup(value, calling[value["entry"]])
            audience = item.entry.audience
            may_know = audience in allowed.audiences
            if audience == "person":
                may_know = item.entry.actor == viewer.mine
            elif audience == "mixed" and not viewer.person.leads(viewer.campaign):
                may_know = bool(item.part["audience"] == "results")
            if may_know:
                yield item


def describe(tx: Connection, viewer: Viewer, listed: Sequence[StoredWriteup]) -> list[Writeup]:
    """Add authors, posts and texts to write-ups."""
    campaign = viewer.campaign
    people = entries.find_users(tx, campaign.id, {item.value["by"] for item in listed if "by" in item.value})
    written = entries.get_entries(
        tx, campaign.id, {item.value["since"] for item in listed if item.value["state"] == DONE}
    )
    return [
        _writeup(
            item,
            people.get(item.value.get("by", "")),
            _find_post(tx, viewer, item),
            written.get(item.value.get("since", 0)),
            campaign.guild_id,
        )
        for item in listed
    ]


def _writeup(
    item: StoredWriteup,
    by: int | None = None,
    post: posts.Post | None = None,
    written: Entry | None = None,
    guild_id: int = 0,
) -> Writeup:
    number, part = place_of(item.value)
    address = post.link(guild_id) if post else None
    return Writeup(
        number=item.number,
        entry=number,
        part=part,
        gist=describe_part(item.body, item.part),
        state=item.value["state"],
        since=item.since,
        by=by,
        post=address,
        thread=channel_link(guild_id, post.thread_id) if post and post.thread_id else None,
        link=written.text("link") if written else None,
        result=item.value.get("result"),
        seen=item.newest,
        fought=next((call["to"] for call in entry_body.list_calls(item.part, "battle")), None),
    )


def _find_post(tx: Connection, viewer: Viewer, item: StoredWriteup) -> posts.Post | None:
    kinds = _ALL if viewer.person.leads(viewer.campaign) else _GROUP if is_group(item.entry.audience) else _PUBLIC
    telling = [kind for kind in kinds if kind != "results" or item.part["audience"] == "results"]
    ranked = [
        (telling.index(post.kind), post.page, post.id, post)
        for post in posts.posts_of_entry(tx, viewer.campaign.id, item.entry.number)
        if post.message_id is not None and post.kind in telling
    ]
    return min(ranked)[-1] if ranked else None


def find(tx: Connection, viewer: Viewer, typed: str) -> StoredWriteup:
    """Find a known write-up by its typed number."""
    campaign = viewer.campaign
    require_part(viewer)
    match = _NUMBER.fullmatch(typed.strip())
    if match is None:
        what = f"{typed[:60]!r} isn't the number of a write-up."
        raise BadInput(what, "Write it like 12 or 12.2: see /writeups.")
    number, part = int(match[1]), match[2]
    kept = [
        value
        for value in _read_values(tx, campaign)
        if value["entry"] == number and part in {None, str(value["part"] + 1)}
    ]
    known = list(_filter_known(tx, viewer, kept))
    if not known:
        raise _refuse_missing(tx, viewer, match[0], number, part)
    if len(known) > 1:
        last, *_, first = [item.number for item in known]
        several = f"{len(known)} write-ups, {first} to {last}"
        raise BadInput(f"Entry #{number} has {several}.", f"Say which one, such as {first}.")
    return known[0]
