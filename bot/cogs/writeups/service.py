"""Write-ups: battles and scenes that rolls have called for, listed, claimed and done."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import Connection

from bot.cogs.writeups.embed import Writeup, gist
from bot.core import entries, state
from bot.core.campaigns import Campaign, open_campaign
from bot.core.database import Database
from bot.core.ledger import EntryDraft, Ledger, next_number
from bot.core.permissions import Person, sight
from bot.core.records import Change, Entry
from bot.core.visibility import Viewer, require_part, viewer_of
from bot.errors import BadInput, NotOpen
from bot.outbox import store as posts
from bot.outbox.store import Post
from bot.ui.text import channel_link, listing, message_link

PAGE = 10
CHUNK = 50
MAX_LINK = 200
MAX_SUGGESTED = 25
WRITEUP = "writeup"
OPEN, CLAIMED, DONE = "open", "claimed", "done"

Place = tuple[int, int]
"""The entry and its part, from 0, that call for something to be written."""

_NUMBER = re.compile(r"#?([0-9]{1,9})(?:\.([0-9]{1,3}))?")
_LINK = re.compile(rf"https?://[^\s<>`|\\]{{3,{MAX_LINK - 8}}}")
_PUBLIC, _ALL = ("results", "published"), ("results", "published", "staff", "whole")


@dataclass(frozen=True, slots=True)
class Seen:
    """What is to be written as the state keeps it, with the entry that calls for it and that entry's body."""

    value: Mapping[str, Any]
    entry: Entry
    body: Mapping[str, Any]

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


@dataclass(frozen=True, slots=True)
class Marked:
    """A write-up that was claimed or done, and the number of the entry that says so."""

    campaign: Campaign
    writeup: Writeup
    entry: int


class Writeups:
    """Lists what is to be written and keeps who writes it."""

    def __init__(self, database: Database, ledger: Ledger) -> None:
        self._database = database
        self._ledger = ledger

    async def listed(
        self, person: Person, campaign: Campaign, wanted: Collection[str], below: Place | None = None
    ) -> list[Writeup]:
        """Those in the wanted states that the person may know of, newest first and older than `below`: one page and one more.

        Raises:
            NotAllowed: the person takes no part in the campaign.

        """

        def work(tx: Connection) -> list[Writeup]:
            viewer = viewer_of(tx, person, campaign)
            require_part(viewer)
            kept = [
                value
                for value in _kept(tx, campaign)
                if value["state"] in wanted and (below is None or _place(value) < below)
            ]
            return _told(tx, viewer, list(islice(_known(tx, viewer, kept), PAGE + 1)))

        return await self._database.read(work)

    async def suggest(self, person: Person, campaign: Campaign, word: str, wanted: Collection[str]) -> list[Writeup]:
        """The newest in the wanted states that the person may know of and whose number or gist holds a word, at most 25.

        Raises:
            NotAllowed: the person takes no part in the campaign.

        """

        def work(tx: Connection) -> list[Writeup]:
            viewer = viewer_of(tx, person, campaign)
            require_part(viewer)
            kept = [value for value in _kept(tx, campaign) if value["state"] in wanted]
            told = (_writeup(seen) for seen in _known(tx, viewer, kept))
            held = (item for item in told if word.strip().casefold() in f"{item.number} {item.gist}".casefold())
            return list(islice(held, MAX_SUGGESTED))

        return await self._database.read(work)

    async def claim(self, person: Person, campaign_id: int, number: str) -> Marked:
        """Let the person write what is open; a game master may also take it over.

        Raises:
            NotAllowed: the person takes no part in the campaign.
            BadInput: the number is none of a write-up that the person may know of.
            NotOpen: it is claimed or done already, or the campaign is archived.

        """

        def work(tx: Connection) -> Marked:
            campaign, viewer, seen = _found(tx, person, campaign_id, number)
            _require_free(viewer, seen)
            if seen.value["state"] == CLAIMED and seen.value["by"] == viewer.mine:
                raise NotOpen(f"Write-up {seen.number} is yours already.", "When it is written, use /writeups done.")
            me = self._ledger.actor(tx, campaign, person.user_id)
            return self._mark(tx, viewer, seen, ("claim", CLAIMED, me), {})

        return await self._database.write(work)

    async def done(self, person: Person, campaign_id: int, number: str, link: str | None) -> Marked:
        """Enter that something is written, and where; whoever had claimed it has written it.

        Raises:
            NotAllowed, NotOpen: as `claim`.
            BadInput: as `claim`, or the link is none.

        """
        where = _checked_link(link)

        def work(tx: Connection) -> Marked:
            campaign, viewer, seen = _found(tx, person, campaign_id, number)
            _require_free(viewer, seen)
            me = self._ledger.actor(tx, campaign, person.user_id)
            who = seen.value.get("by") or me
            return self._mark(tx, viewer, seen, ("done", DONE, who), {"link": where} if where else {})

        return await self._database.write(work)

    def _mark(
        self, tx: Connection, viewer: Viewer, seen: Seen, deed: tuple[str, str, str], texts: Mapping[str, str]
    ) -> Marked:
        campaign, (what, state, by) = viewer.campaign, deed
        since = next_number(tx, campaign)
        number, part = _place(seen.value)
        after = {"entry": number, "part": part, "state": state, "by": by, "since": since}
        change = Change(f"{WRITEUP}:{number}.{part}", WRITEUP, dict(seen.value), after)
        body = {"deed": what, "entry": number, "part": part, "number": seen.number}
        draft = EntryDraft("writeup", "staff", body, (change,), texts)
        entry = self._ledger.enter(tx, campaign, viewer.person.user_id, draft)
        (told,) = _told(tx, viewer, [Seen(after, seen.entry, seen.body)])
        return Marked(campaign, told, entry.number)


def _kept(tx: Connection, campaign: Campaign) -> list[Mapping[str, Any]]:
    """All that is or was to be written, newest first."""
    return sorted(state.of_name(tx, campaign.id, WRITEUP).values(), key=_place, reverse=True)


def _place(value: Mapping[str, Any]) -> Place:
    return value["entry"], value["part"]


def _known(tx: Connection, viewer: Viewer, kept: Sequence[Mapping[str, Any]]) -> Iterator[Seen]:
    """Those that the person may know of; entries are read a chunk at a time, as far as they are asked for."""
    for start in range(0, len(kept), CHUNK):
        chunk = kept[start : start + CHUNK]
        found = entries.some(tx, viewer.campaign.id, {value["entry"] for value in chunk})
        bodies = {number: entry.content() for number, entry in found.items()}
        for value in chunk:
            seen = Seen(value, found[value["entry"]], bodies[value["entry"]])
            if _may_know(viewer, seen):
                yield seen


def _may_know(viewer: Viewer, seen: Seen) -> bool:
    """Whether the person may know of the result that calls for it: of its entry, and players of that very part."""
    allowed = sight(viewer.person, viewer.campaign, viewer.mine)
    audience = seen.entry.audience
    if audience == "person":
        return seen.entry.actor == viewer.mine
    if audience == "mixed" and not viewer.person.leads(viewer.campaign):
        return bool(seen.part["audience"] == "results")
    return audience in allowed.audiences


def _told(tx: Connection, viewer: Viewer, found: Sequence[Seen]) -> list[Writeup]:
    campaign = viewer.campaign
    people = entries.people(tx, campaign.id, {seen.value["by"] for seen in found if "by" in seen.value})
    written = entries.some(tx, campaign.id, {seen.value["since"] for seen in found if seen.value["state"] == DONE})
    return [
        _writeup(
            seen,
            people.get(seen.value.get("by", "")),
            _posted(tx, viewer, seen),
            written.get(seen.value.get("since", 0)),
            campaign.guild_id,
        )
        for seen in found
    ]


def _writeup(
    seen: Seen, by: int | None = None, post: Post | None = None, written: Entry | None = None, guild_id: int = 0
) -> Writeup:
    number, part = _place(seen.value)
    result = message_link(guild_id, post.channel_id, post.message_id) if post and post.message_id else None
    return Writeup(
        number=seen.number,
        entry=number,
        part=part,
        gist=gist(seen.body, seen.part),
        state=seen.value["state"],
        since=seen.value.get("since", number),
        by=by,
        result=result,
        thread=channel_link(guild_id, post.thread_id) if post and post.thread_id else None,
        link=written.text("link") if written else None,
    )


def _posted(tx: Connection, viewer: Viewer, seen: Seen) -> Post | None:
    """The first message of the result that tells of the part and that the person may see; None while there is none."""
    kinds = _ALL if viewer.person.leads(viewer.campaign) else _PUBLIC
    told = [kind for kind in kinds if kind != "results" or seen.part["audience"] == "results"]
    sent = [post for post in posts.of_entry(tx, viewer.campaign.id, seen.entry.number) if post.message_id is not None]
    ranked = sorted((told.index(post.kind), post.page, post.id) for post in sent if post.kind in told)
    return next((post for post in sent if ranked and post.id == ranked[0][-1]), None)


def _found(tx: Connection, person: Person, campaign_id: int, typed: str) -> tuple[Campaign, Viewer, Seen]:
    """The write-up of a number as typed, in a campaign that is open.

    Raises:
        NotAllowed: the person takes no part in the campaign.
        BadInput: there is none that the person may know of, or several.
        NotOpen: the campaign is archived.

    """
    campaign = open_campaign(tx, campaign_id)
    viewer = viewer_of(tx, person, campaign)
    require_part(viewer)
    match = _NUMBER.fullmatch(typed.strip())
    if match is None:
        raise BadInput(
            f"{typed[:60]!r} is no number of a write-up.", "Write it like 12 or 12.2, as /writeups list has it."
        )
    number, part = int(match[1]), match[2]
    kept = [
        value for value in _kept(tx, campaign) if value["entry"] == number and part in {None, str(value["part"] + 1)}
    ]
    found = list(_known(tx, viewer, kept))
    if not found:
        raise BadInput(f"There is no write-up {match[0]} for you.", "See /writeups list for those there are.")
    if len(found) > 1:
        several = listing([seen.number for seen in reversed(found)])
        raise BadInput(f"Entry #{number} calls for several write-ups: {several}.", "Name one of them.")
    return campaign, viewer, found[0]


def _require_free(viewer: Viewer, seen: Seen) -> None:
    """Refuse what is done, and to players what somebody else has claimed.

    Raises:
        NotOpen: it is one of these.

    """
    value = seen.value
    if value["state"] == DONE:
        raise NotOpen(f"Write-up {seen.number} is done already (entry #{value['since']}).")
    others = value["state"] == CLAIMED and value["by"] != viewer.mine
    if others and not viewer.person.leads(viewer.campaign):
        raise NotOpen(f"Somebody else writes write-up {seen.number}.", "A game master can take it over.")


def _checked_link(typed: str | None) -> str | None:
    """The address of what was written, trimmed.

    Raises:
        BadInput: it is none, or too long.

    """
    link = (typed or "").strip()
    if link and not _LINK.fullmatch(link):
        do = f"Paste the address of a message or page: it begins with https:// and has at most {MAX_LINK} characters."
        raise BadInput("That is no link.", do)
    return link or None
