"""Write-ups: battles and scenes that rolls have called for, listed, claimed and done."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.writeups.bodies import ResultBody, WriteupBody, WriteupValue
from bot.cogs.writeups.embed import Writeup, gist
from bot.cogs.writeups.refusals import checked_link, none_there
from bot.cogs.writeups.states import CLAIMED, DONE, OPEN, STATES, WITHDRAWN
from bot.core import entries, state
from bot.core.campaigns import Campaign, open_campaign
from bot.core.entries import AudienceFilter
from bot.core.groups import is_group
from bot.core.ledger import EntryDraft, Ledger, next_number
from bot.core.people import told
from bot.core.permissions import Person, audience_filter
from bot.core.records import Change, Entry
from bot.core.visibility import Viewer, require_part, viewer_of
from bot.errors import BadInput, NotAsItIs, NotOpen
from bot.outbox import store as posts
from bot.outbox.store import Post
from bot.rolls.entry_body import calls
from bot.ui.text import bare, channel_link, listing
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


class MarkedWriteup(Struct, frozen=True):
    """A write-up that was claimed or done, and the number of the entry that says so."""

    campaign: Campaign
    writeup: Writeup
    entry: int


def page(
    tx: Connection, person: Person, campaign: Campaign, wanted: Collection[str], below: Place | None = None
) -> list[Writeup]:
    """Return those in the wanted states that the person may know of, newest first and older than `below`: one page and one more."""
    viewer = viewer_of(tx, person, campaign)
    require_part(viewer)
    kept = [value for value in _kept(tx, campaign, wanted) if below is None or _place(value) < below]
    return _writeups(tx, viewer, list(islice(_known(tx, viewer, kept), PAGE + 1)))


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
    return _writeups(tx, viewer, known[:limit]), count


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
    (writeup,) = _writeups(tx, viewer, [_of_number(tx, viewer, number)])
    return writeup


def claim(
    tx: Connection, ledger: Ledger, person: Person, campaign_id: int, number: str, seen: int | None = None
) -> MarkedWriteup:
    """Let the person write what is open; a game master may also take it over."""
    viewer, item = find(tx, person, campaign_id, number)
    _require_free(viewer, item)
    if item.value["state"] == CLAIMED and item.value["by"] == viewer.mine:
        raise NotAsItIs(f"Write-up {item.number} is already yours.", "When it is written, use /writeups done.")
    require_seen(item, item.since, seen)
    me = ledger.actor(tx, viewer.campaign, person.user_id)
    return mark(tx, ledger, viewer, item, _body(item, "claim"), _after(tx, viewer, item, CLAIMED, me))


def give_back(
    tx: Connection, ledger: Ledger, person: Person, campaign_id: int, number: str, seen: int
) -> MarkedWriteup:
    """Let somebody else write what the person has claimed."""
    viewer, item = find(tx, person, campaign_id, number)
    require_seen(item, item.since, seen)
    if item.value["state"] != CLAIMED or item.value["by"] != viewer.mine:
        raise NotAsItIs(f"Write-up {item.number} isn't yours to give back.", "See /writeups list.")
    after: WriteupValue = {**item.value, "state": OPEN, "since": next_number(tx, viewer.campaign)}
    del after["by"]
    return mark(tx, ledger, viewer, item, _body(item, "give-back"), after)


def finish(
    tx: Connection,
    ledger: Ledger,
    person: Person,
    campaign_id: int,
    number: str,
    link: str | None,
    seen: int | None = None,
) -> MarkedWriteup:
    """Enter that something is written, and where; whoever had claimed it has written it. A link that was forgotten is added."""
    where = checked_link(link)
    viewer, item = find(tx, person, campaign_id, number)
    if where is None or not _lacks_link(tx, viewer, item):
        _require_free(viewer, item)
    require_seen(item, item.since, seen)
    me = ledger.actor(tx, viewer.campaign, person.user_id)
    author = item.value.get("by") or me
    after = _after(tx, viewer, item, DONE, author)
    return mark(tx, ledger, viewer, item, _body(item, "done"), after, texts={"link": where} if where else {})


def mark(
    tx: Connection,
    ledger: Ledger,
    viewer: Viewer,
    item: CalledFor,
    body: WriteupBody | ResultBody,
    after: WriteupValue,
    *,
    texts: Mapping[str, str] | None = None,
    more: Sequence[Change] = (),
) -> MarkedWriteup:
    """Enter what was done to a write-up, what the state keeps of it from now on, and what else changes with it."""
    campaign, (number, part) = viewer.campaign, _place(item.value)
    change = Change(f"{WRITEUP}:{number}.{part}", WRITEUP, dict(item.value), dict(after))
    draft = EntryDraft("writeup", "staff", body, (change, *more), texts or {})
    entry = ledger.enter(tx, campaign, viewer.person.user_id, draft)
    (writeup,) = _writeups(tx, viewer, [CalledFor(after, item.entry)])
    return MarkedWriteup(campaign, writeup, entry.number)


def _body(item: CalledFor, deed: str) -> WriteupBody:
    number, part = _place(item.value)
    return WriteupBody(deed=deed, entry=number, part=part, number=item.number)


def _after(tx: Connection, viewer: Viewer, item: CalledFor, now: str, by: str) -> WriteupValue:
    """Return what the state keeps of a write-up that somebody (pseudonym) has claimed or written."""
    return {**item.value, "state": now, "by": by, "since": next_number(tx, viewer.campaign)}


def _kept(tx: Connection, campaign: Campaign, wanted: Collection[str] = STATES) -> list[WriteupValue]:
    """Return all that is or was to be written and is in one of the states, newest first."""
    every: Iterable[WriteupValue] = state.of_name(tx, campaign.id, WRITEUP).values()
    return sorted((value for value in every if value["state"] in wanted), key=_place, reverse=True)


def _place(value: WriteupValue) -> Place:
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


def _writeups(tx: Connection, viewer: Viewer, listed: Sequence[CalledFor]) -> list[Writeup]:
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
    number, part = _place(item.value)
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


def find(tx: Connection, person: Person, campaign_id: int, typed: str) -> tuple[Viewer, CalledFor]:
    """Return the write-up of a number as typed, in a campaign that is open.

    Raises:
        NotAllowed: the person takes no part in the campaign.
        BadInput: there is none that the person may know of, or several.
        NotOpen: the campaign is archived.

    """
    viewer = viewer_of(tx, person, open_campaign(tx, campaign_id))
    return viewer, _of_number(tx, viewer, typed)


def require_seen(item: CalledFor, changed: int, seen: int | None) -> None:
    """Refuse where a write-up was `changed` by an entry after the one that was `seen`, None where nobody looked."""
    if seen is not None and changed > seen:
        what = f"Write-up {item.number} was changed since you looked: entry #{changed}."
        raise NotOpen(what, "Nothing was done. See /writeups list.")


def _of_number(tx: Connection, viewer: Viewer, typed: str) -> CalledFor:
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
        several = listing([item.number for item in reversed(known)])
        raise BadInput(f"Entry #{number} has several write-ups: {several}.", "Pick one of them.")
    return known[0]


def _lacks_link(tx: Connection, viewer: Viewer, item: CalledFor) -> bool:
    """Tell whether something is written that the person may add the link to: nobody has said where it is."""
    value = item.value
    if value["state"] != DONE or not (value["by"] == viewer.mine or viewer.person.leads(viewer.campaign)):
        return False
    done = entries.get(tx, viewer.campaign.id, value["since"])
    return done is not None and done.text("link") is None


def _require_free(viewer: Viewer, item: CalledFor) -> None:
    """Refuse what is done, and to players what somebody else has claimed."""
    value = item.value
    if value["state"] == DONE:
        raise NotOpen(f"Write-up {item.number} is already done (entry #{value['since']}).")
    if value["state"] == WITHDRAWN:
        raise NotOpen(f"Write-up {item.number} is cancelled (entry #{value['since']}): only the ambush is fought.")
    others = value["state"] == CLAIMED and value["by"] != viewer.mine
    if others and not viewer.person.leads(viewer.campaign):
        raise NotAsItIs(f"Another player is writing write-up {item.number}.", "A game master can take it over.")
