"""What happened to one person in an update: their orders, characters and units, as they may know it. Shown under a digest, and by DM."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, takewhile

import discord
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import campaigns, database, entries, errors, ledger, permissions, profiles, state, subjects, voiding
from bot.core.library import Library, label_effect
from bot.core.records import UNKNOWN_PLACE, VOID, Change, Entry, read_body
from bot.core.schema import digest_reader
from bot.core.visibility import Viewer, make_viewer, require_part, shows_value
from bot.orders import kinds, listing, standing
from bot.outbox.letters import list_readers
from bot.outbox.queue import Post, posts_of_entry
from bot.ui.text import COLOURS, MAX_DESCRIPTION, channel_link, fit_lines, plain
from rules.books.campaign.captivity import CAPTIVE, FATE
from rules.effects import EFFECT
from rules.phrases import lower_first
from rules.subjects import PROFILE, number_of, subject_key, subject_number

ORDERS, RESULTS, CHANGES = "Your orders", "Your characters and units", "What changed"
NOTHING = "None of your orders, characters or units had a result that you can see."
OFF = "-# To stop these DMs, press What happened to you under a digest."
_ASIDE = frozenset({campaigns.UPDATE, "digest", "order", "publication", VOID})
"""Kinds of entries that are no results, or that are shown with orders."""

GIVING = ("unit", VOID)
"""Kinds of entries that give a unit or character to another player."""

_NAMED = re.compile(r"\((?:entry )?#(\d+)\)")
_UPDATE = re.compile(r"update:(\d+)")


class OwnResults(Struct, frozen=True):
    """A person's results of an update, as titled lists of lines."""

    campaign: campaigns.Campaign
    number: int
    name: str
    sections: Sequence[tuple[str, Sequence[str]]]
    by_dm: bool

    @property
    def title(self) -> str:
        """The heading, with the update's name."""
        return f"What happened to you: {plain(self.name)}"


class _Span(Struct, frozen=True):
    """An update: its `opening` and `closing` entries, where there are any."""

    number: int
    name: str
    opening: Entry | None
    closing: Entry | None

    @property
    def began(self) -> int:
        return self.opening.number if self.opening else 0

    def includes(self, made: Entry) -> bool:
        return self.closing is None or made.number <= self.closing.number

    def ends(self, value: Mapping[str, object], now: datetime) -> bool:
        """Return whether a kept value ran out in it, by itself."""
        if value.get("update") == self.number:
            return self.closing is not None
        at = value.get("at")
        begins = permissions.LONG_AGO if self.opening is None else self.opening.at
        return isinstance(at, str) and begins < datetime.fromisoformat(at) <= (self.closing.at if self.closing else now)


def read_own(
    tx: Connection, library: Library, entry_kinds: ledger.EntryKinds, person: permissions.Person, key: kinds.UpdateKey
) -> OwnResults:
    """Read an update, also a closed one. Refuse updates to come, and people who don't take part."""
    campaign = campaigns.require_on_server(tx, person.guild_id, key.campaign)
    viewer = make_viewer(tx, person, campaign)
    require_part(viewer)
    span = _find_span(tx, campaign, key.number)
    seen = _Reader(tx, viewer, library, entry_kinds)
    sections = [(title, lines) for title, lines in seen.list_sections(span) if lines]
    return OwnResults(campaign, span.number, span.name, sections, person.user_id in list_readers(tx, campaign.id))


def _find_span(tx: Connection, campaign: campaigns.Campaign, number: int) -> _Span:
    now = campaigns.current_update(tx, campaign.id)
    if not 1 <= number <= now["number"]:
        raise errors.NotOpen(f"{campaign.name} has no update {number} yet.", "See /update show.")
    opening = entries.get_entry(tx, campaign.id, campaigns.find_update_entry(tx, campaign.id, number))
    if number == now["number"]:
        return _Span(number, now["name"], opening, None)
    closing = entries.get_entry(tx, campaign.id, campaigns.find_update_entry(tx, campaign.id, number + 1))
    return _Span(number, closing.content()["closed"]["name"] if closing else now["name"], opening, closing)


class _Reader:
    def __init__(self, tx: Connection, viewer: Viewer, library: Library, entry_kinds: ledger.EntryKinds) -> None:
        self._tx, self._viewer, self._library, self._kinds = tx, viewer, library, entry_kinds
        self._campaign = viewer.campaign
        self._since: dict[int, int] | None = None
        self._allowed = permissions.audience_filter(tx, viewer.person, self._campaign, viewer.mine)
        every = profiles.list_profiles(tx, self._campaign.id)
        self._own = {item.id: item.name for item in every if viewer.owns(item)}
        squads = {item.squad_id for item in every if item.id in self._own}
        self._near = {item.id for item in every if item.id in squads and viewer.knows(item)} | self._own.keys()
        known = library.effects(tx, self._campaign).items()
        self._secret = {EFFECT + trait for trait, effect in known if effect.secret and not viewer.leads}

    def list_sections(self, span: _Span) -> Iterator[tuple[str, Sequence[str]]]:
        ordered = listing.list_own(self._tx, self._library, self._viewer, span.closing)
        shown = {number for order, _, _ in ordered for number in order.came_to}
        lines = [line for item in ordered for line in _order_lines(*item)]
        yield ORDERS, [self._link(line) for line in lines]
        made = self._list_concerning(span)
        about = (line for item in made if item.number not in shown for line in self._result_lines(item))
        yield RESULTS, [self._link(line) for line in about]
        changed = [line for item in made for line in self._change_lines(item, span)]
        yield CHANGES, [self._link(line) for line in [*changed, *self._list_ended(span)]]

    def _list_concerning(self, span: _Span) -> list[Entry]:
        marks = [f'"{number}":' for number in self._near]  # each body names its subjects by number
        walked = takewhile(span.includes, entries.walk_entries(self._tx, self._campaign.id, after=span.began))
        found = [made for made in walked if made.kind not in _ASIDE and any(mark in made.body for mark in marks)]
        gone = voiding.find_voided(self._tx, self._campaign.id, {made.number for made in found})
        return [made for made in found if made.number not in gone]

    def _result_lines(self, made: Entry) -> Iterator[str]:
        if not self._allowed.shows(made):
            return
        everything = self._viewer.leads or made.audience == "person"
        view: ledger.View = "staff" if everything else "public"
        body = read_body(made)
        named = {term for name, term in self._kinds.about(made, body, view) if name == "unit"}
        if made.kind == "roll" and not named.isdisjoint(self._near):
            yield from (f"\N{BULLET} {text} (#{made.number})" for text in self._kinds.results(made, body, view))

    def _change_lines(self, made: Entry, span: _Span) -> Iterator[str]:
        shown = self._allowed.shows(made)
        changes = [Change(**item) for item in made.content()["changes"]]
        fates = {item.subject: item.after for item in changes if item.name == FATE}
        for item in changes:
            number = subject_number(item.subject) or 0
            words = self._describe(item, fates.get(item.subject)) if number in self._own else ""
            if words and self._may_know(made, number, item.name, span):
                about = f" (#{made.number})" if shown else ""
                yield f"\N{BULLET} **{plain(self._own[number])}**: {words}{about}"

    def _may_know(self, made: Entry, number: int, name: str, span: _Span) -> bool:
        if name in self._secret or made.number > self._find_owned_since(span).get(number, 0):
            return name not in self._secret
        who = subjects.Subject(number, self._own[number])
        return self._allowed.shows(made) and shows_value(self._tx, self._viewer, made, who, name)

    def _find_owned_since(self, span: _Span) -> Mapping[int, int]:
        if self._since is None:
            walks = (entries.walk_back(self._tx, self._campaign.id, kind, after=span.began) for kind in GIVING)
            given = ((made.number, Change(**item)) for made in chain(*walks) for item in made.content()["changes"])
            others = sorted((number, item.subject) for number, item in given if self._was_anothers(item))
            self._since = {subject_number(subject) or 0: number for number, subject in others}
        return self._since

    def _was_anothers(self, change: Change) -> bool:
        own = subject_number(change.subject) in self._own and change.name == PROFILE
        return own and (change.before or {}).get("owner") != self._viewer.mine

    def _describe(self, change: Change, fate: Mapping[str, object] | None) -> str:
        if change.name == CAPTIVE and change.after is not None:
            held = subjects.get_subjects(self._tx, self._campaign.id, {change.after["by"], change.after["at"]})
            by, at = (held[change.after[role]] for role in ("by", "at"))
            where = plain(self._viewer.name_of(at, UNKNOWN_PLACE))
            taken = f"captured by {plain(self._viewer.name_of(by))}" if change.before is None else "now held"
            return taken if by.id == at.id and change.before is None else f"{taken} at {where}"
        if change.name == CAPTIVE:
            return str(fate["fate"]) if fate else "no longer a captive"
        if not change.name.startswith(EFFECT) or change.before == change.after:
            return ""
        label = self._label(change.name, change.after or change.before)
        if change.after is None:
            return f"no longer {label}"
        return f"{label}, until this update ends" if "update" in change.after else label

    def _label(self, name: str, value: Mapping[str, object]) -> str:
        return plain(lower_first(label_effect(self._library.effects(self._tx, self._campaign), name, value)))

    def _list_ended(self, span: _Span) -> Iterator[str]:
        kept = state.get_values(self._tx, self._campaign.id, [*map(subject_key, self._own)]).items()
        now = self._viewer.person.at
        ended = [(*key, value) for key, value in kept if key[1].startswith(EFFECT) and span.ends(value, now)]
        made = entries.get_entries_bare(self._tx, self._campaign.id, {value["entry"] for _, _, value in ended})
        for key, name, value in ended:
            number = number_of(key)
            if self._may_know(made[value["entry"]], number, name, span):
                yield f"\N{BULLET} **{plain(self._own[number])}**: no longer {self._label(name, value)}"

    def _link(self, line: str) -> str:
        return _NAMED.sub(self._link_entry, line)

    def _link_entry(self, found: re.Match[str]) -> str:
        number, groups = int(found[1]), set(map(permissions.group_audience, self._viewer.groups))
        made = entries.get_entries_bare(self._tx, self._campaign.id, {number}).get(number)
        open_to = {"results", "published"} | ({"group"} if made is not None and made.audience in groups else set())
        every = posts_of_entry(self._tx, self._campaign.id, number)
        posts = (item for item in every if self._viewer.leads or item.kind in open_to)
        address = next(filter(None, (item.link(self._campaign.guild_id) for item in posts)), None)
        return f"(#{number})" if address is None else f"([#{number}]({address}))"


def _order_lines(order: standing.StandingOrder, known: kinds.LabelledKind, came: Collection[str]) -> Iterator[str]:
    yield f"\N{BULLET} {kinds.order_line(known, order)} (#{order.entry})"
    yield from (f"-# {plain(line)}" for line in came)


def set_reader(tx: Connection, person: permissions.Person, campaign_id: int, *, on: bool) -> None:
    """Turn a person's DMs on or off; on needs them to take part."""
    campaign = campaigns.require_on_server(tx, person.guild_id, campaign_id, lock=True)
    if on:
        require_part(make_viewer(tx, person, campaign))
    mine = {"campaign_id": campaign_id, "user_id": person.user_id}
    tx.execute(digest_reader.delete().filter_by(**mine))
    if on:
        tx.execute(digest_reader.insert().values(**mine))


async def write_letter(  # noqa: PLR0913, PLR0917 - the kernel brings the first, the outbox the last
    kept: database.Database,
    library: Library,
    entry_kinds: ledger.EntryKinds,
    now: Callable[[], datetime],
    client: discord.Client,
    post: Post,
) -> Sequence[discord.Embed]:
    """Write a reader's DM; empty if they left, don't take part any more or turned it off."""
    campaign = await kept.read(campaigns.get_campaign, post.campaign_id)
    found = _UPDATE.fullmatch(post.topic or "")
    readers = await kept.read(list_readers, post.campaign_id)
    if campaign is None or found is None or post.channel_id not in readers:
        return ()
    guild = client.get_guild(campaign.guild_id) or await client.fetch_guild(campaign.guild_id)
    member = await guild.fetch_member(post.channel_id)
    roles = frozenset(role.id for role in member.roles)
    reader = permissions.Person(member.id, guild.id, roles, manages_server=False, at=now())
    if not reader.takes_part(campaign):
        return ()
    key = kinds.UpdateKey(campaign.id, int(found[1]))
    try:
        return [draw_letter(await kept.read(read_own, library, entry_kinds, reader, key))]
    except errors.NotOpen:  # its beginning was undone
        return ()


def draw_letter(own: OwnResults) -> discord.Embed:
    """Return the results as one embed that fits a message."""
    lines = list(list_lines(own)) or [NOTHING]
    where = channel_link(own.campaign.guild_id, own.campaign.results_channel_id)
    foot = [f"-# [All results]({where}). What waits for you: /update show.", OFF]
    room = MAX_DESCRIPTION - len("\n".join(foot)) - 100
    text = "\n".join([*fit_lines(room, lines), *foot])
    embed = discord.Embed(title=own.title, description=text, colour=COLOURS["neutral"])
    return embed.set_footer(text=own.campaign.name)


def list_lines(own: OwnResults) -> Iterator[str]:
    """Yield all lines with a heading for each list."""
    for title, lines in own.sections:
        yield f"**{title}**"
        yield from lines
