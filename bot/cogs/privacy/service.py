"""A person's data on a server: find, export, erase."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import count

import discord
from msgspec import Struct, field, to_builtins
from sqlalchemy import Connection

from bot.core import campaigns, entries, erasing, profiles, schema, search_index
from bot.core.campaigns import Campaign
from bot.core.database import Database
from bot.core.ledger import SALT_BYTES, Body, EntryDraft, EntryKind, EntryView, Pages, View
from bot.core.permissions import Person, find_unreadable, may_maker_read
from bot.core.records import ERASURE, VOID, Change, Entry, Json
from bot.outbox import delivery, queue
from bot.outbox.queue import SHOWS, OutgoingMessage, Post
from bot.rolls.pending import messages, store
from bot.rolls.resolver import Resolver
from bot.rolls.void import restyle_posts
from bot.ui.receipt import plain_pages
from bot.ui.text import COLOURS, join_words, plain
from rules.subjects import PROFILE


class PersonalData(Struct, frozen=True):
    """A person's data in a campaign.

    `who` is their pseudonym's row, None without entries. `made` counts known entries, `held` are texts and names, `hidden`
    are others' entries with some that they may not know of.
    """

    campaign: Campaign
    who: dict[str, Json] | None
    made: tuple[erasing.EntryCount, ...]
    held: erasing.PersonalTexts
    owned: tuple[profiles.Profile, ...]
    cards: tuple[dict[str, Json], ...]
    waiting: tuple[store.Pending, ...]
    drafts: tuple[dict[str, Json], ...]
    letters: tuple[dict[str, Json], ...] = ()
    by_dm: bool = False
    hidden: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return any((self.who, self.cards, self.waiting, self.drafts, self.letters, self.by_dm))

    @property
    def mine(self) -> str | None:
        """The person's pseudonym."""
        return None if self.who is None else self.who["pseudonym"]

    @property
    def settings(self) -> dict[str, bool]:
        """The person's settings."""
        return {name: bool((self.who or {}).get(name, True)) for name in ("mentions", "bars")}

    @property
    def texts(self) -> int:
        """The number of known texts and names."""
        return sum(len(texts) for number, texts in self.held.texts.items() if number not in self.hidden)


def find_kept(tx: Connection, person: Person) -> list[PersonalData]:
    """Find a person's data in all campaigns of their server."""
    every = (_find_kept_in(tx, person, campaign) for campaign in campaigns.list_campaigns(tx, person.guild_id))
    return [found for found in every if found]


def _find_kept_in(tx: Connection, person: Person, campaign: Campaign) -> PersonalData:
    who = next(iter(erasing.list_rows(tx, campaign.id, person.user_id, schema.actor)), None)
    mine = None if who is None else who["pseudonym"]
    held = erasing.PersonalTexts() if mine is None else erasing.find_texts(tx, campaign.id, mine)
    counted = erasing.count_entries(tx, campaign.id, mine or "")
    return PersonalData(
        campaign,
        who,
        tuple(item for item in counted if item.audience != "staff" or person.leads(campaign)),
        held,
        _list_owned(tx, campaign, mine),
        tuple(erasing.list_rows(tx, campaign.id, person.user_id, schema.card)),
        tuple(item for item in store.list_all(tx, campaign.id) if item.concerns(person.user_id)),
        tuple(erasing.list_rows(tx, campaign.id, person.user_id, schema.import_draft)),
        tuple(erasing.list_rows(tx, campaign.id, person.user_id, schema.post)),
        bool(erasing.list_rows(tx, campaign.id, person.user_id, schema.digest_reader)),
        find_unreadable(tx, person, campaign, mine, held.others),
    )


def _list_owned(tx: Connection, campaign: Campaign, mine: str | None) -> tuple[profiles.Profile, ...]:
    return tuple(item for item in profiles.list_profiles(tx, campaign.id) if mine is not None and item.owner == mine)


READ_AT_ONCE = 500


def export(tx: Connection, person: Person) -> bytes | None:
    """Return a person's data as JSON, if any; unreadable entries have no number or kind."""
    found = find_kept(tx, person)
    if not found:
        return None
    data = {"user": str(person.user_id), "campaigns": [_campaign(tx, person, item) for item in found]}
    return json.dumps(data, ensure_ascii=False, indent=2, default=str).encode()


def _campaign(tx: Connection, person: Person, item: PersonalData) -> dict[str, object]:
    known = item.who or {}
    return {
        "campaign": item.campaign.name,
        "archived": item.campaign.archived_at is not None,
        "pseudonym": known.get("pseudonym"),
        "salt": known.get("salt"),
        "entries": sum(made.count for made in item.made),
        "texts": list(_own_texts(tx, person, item)),
        "plays": [each.name for each in item.owned],
        "settings": item.settings,
        "cards": [_describe_request(row["opened_at"], row["state"], row["request"]["now"]) for row in item.cards],
        "waiting": [
            _describe_request(each.opened_at, each.state, to_builtins(each.request))
            for each in item.waiting
            if each.asker_id == person.user_id
        ],
        "files": [{"sent": row["sent_at"], "file": row["file"], "text": row["text"]} for row in item.drafts],
        "results_by_dm": item.by_dm,
        "dms": [{"at": row["queued_at"], "about": row["topic"], "state": row["state"]} for row in item.letters],
    }


def _own_texts(tx: Connection, person: Person, item: PersonalData) -> Iterator[dict[str, object]]:
    numbers = sorted(item.held.texts.keys() - item.hidden)
    for start in range(0, len(numbers), READ_AT_ONCE):
        for number, entry in entries.get_entries(tx, item.campaign.id, numbers[start : start + READ_AT_ONCE]).items():
            texts = {name: text for name in item.held.texts[number] if (text := entry.text(name))}
            readable = number in item.held.others or may_maker_read(person, item.campaign, entry)
            if texts:
                yield {"at": entry.at, **({"entry": number, "kind": entry.kind} if readable else {}), "texts": texts}


def _describe_request(at: object, state: str, request: Mapping[str, Json]) -> dict[str, Json]:
    names = {role: name for part in request["parts"] for role, name in part["people"].items()}
    return {"at": at, "state": state, "roll": request["family"], "note": request["note"], "names": names}


PACE = timedelta(seconds=2)
"""Time between edits: new results go first, and Discord takes five edits in five seconds."""


class _PacedPosts(Struct):
    """Replace sent embeds later, paced; unsent ones `at_once`."""

    outbox: delivery.Outbox
    at_once: list[Post] = field(default_factory=list)
    later: int = 0

    def revise(self, tx: Connection, item: Post, embeds: Sequence[discord.Embed], *, buttons: bool = False) -> Post:
        if item.message_id is None:
            self.at_once.append(self.outbox.revise(tx, item, embeds, buttons=buttons))
        else:
            self.later += 1
            self.outbox.revise_later(tx, item, embeds, wait=PACE * self.later, buttons=buttons)
        return item


def _show_again(
    tx: Connection, resolver: Resolver, campaign: Campaign, numbers: Collection[int], queued: _PacedPosts, unnamed: str
) -> None:
    for entry in entries.get_entries(tx, campaign.id, numbers).values():
        for each in (entry, *_find_following_voids(tx, campaign, entry)):
            restyled = restyle_posts(tx, queued, resolver.kinds, campaign, each, unnamed=unnamed)
            _blank_others(tx, campaign, each, queued, {post.id for post in restyled})


def _blank_others(
    tx: Connection, campaign: Campaign, entry: Entry, queued: _PacedPosts, shown: Collection[int]
) -> None:
    again = entry.kind == VOID or "amends" in entry.content()
    for post in queue.posts_of_entry(tx, campaign.id, entry.number):
        if post.id not in shown and (post.kind in SHOWS or (again and post.kind == "notice")):
            text = "This was erased because a member had their data erased."
            embed = discord.Embed(description=text, colour=COLOURS["neutral"])
            embed.set_footer(text=f"Entry #{entry.number} \N{MIDDLE DOT} {campaign.name}")
            queued.revise(tx, post, [embed])


def _find_following_voids(tx: Connection, campaign: Campaign, entry: Entry) -> Iterator[Entry]:
    for number in count(entry.number + 1) if entry.kind == VOID else ():
        other = entries.get_entry(tx, campaign.id, number)
        if other is None or other.kind != VOID or other.actor != entry.actor:
            return
        yield other


def _sentence(body: Body, _view: View = "public") -> str:
    erased, free = body["erased"], body["released"]
    plural = "" if erased == 1 else "s"
    line = f"A member had their data erased: {erased:,} text{plural} or name{plural}"
    if not free:
        return line
    return f"{line}. {free} of their units and characters {'is' if free == 1 else 'are'} without a player"


def _pages(shown: EntryView, view: View) -> Pages:
    return plain_pages(shown, "Data erased", [_sentence(shown.entry.content(), view)])


ERASED = EntryKind(ERASURE, "staff", _sentence, _pages)


ERASED_AT_ONCE = 100
"""Entries per transaction, which then takes a fifth of a second at most."""

MAX_NAMED = 10


class ErasureResult(Struct, frozen=True):
    """What was erased; `texts` is a count, `owned` are names that have no player now."""

    campaign: Campaign
    texts: int
    owned: tuple[str, ...]
    posts: tuple[Post, ...]


async def erase(database: Database, resolver: Resolver, person: Person, found: PersonalData) -> ErasureResult:
    """Erase a person's data in a campaign; the caller sends the posts.

    `found` was read a moment ago. Long histories take several transactions. The first one enters how many
    texts go, the last one forgets the person: until then they can ask again.
    """
    work, numbers = _Work(person, found, _PacedPosts(resolver.outbox), found.mine), found.held.entries
    for start in range(0, len(numbers), ERASED_AT_ONCE):
        await database.write(_erase_some, resolver, work, numbers[start : start + ERASED_AT_ONCE])
    await search_index.forget_erased(database)  # now, so that it's done even if the bot stops before the end
    erased = await database.write(_finish, resolver, work)
    await search_index.forget_erased(database)  # texts entered meanwhile
    return erased


class _Work(Struct):
    """A running erasure; `mine` is the pseudonym, `done` are numbers of erased entries."""

    person: Person
    found: PersonalData
    queued: _PacedPosts
    mine: str | None
    done: set[int] = field(default_factory=set)
    released: list[str] = field(default_factory=list)
    notices: list[Post] = field(default_factory=list)


def _erase_some(tx: Connection, resolver: Resolver, work: _Work, numbers: Collection[int]) -> None:
    campaign = campaigns.get_campaign(tx, work.found.campaign.id, lock=True) or work.found.campaign
    held = work.found.held
    texts = {number: held.texts[number] for number in numbers if number in held.texts}
    erasing.erase_texts(tx, campaign.id, texts)
    search_index.SearchIndex(resolver.kinds).renew(tx, campaign.id, numbers)
    erasing.drop_amending_cards(tx, campaign.id, texts)
    _show_again(tx, resolver, campaign, numbers, work.queued, work.mine or "")
    work.done |= {*numbers}
    _enter(tx, resolver, campaign, work)


def _enter(tx: Connection, resolver: Resolver, campaign: Campaign, work: _Work) -> None:
    before = [item for item in entries.walk_back(tx, campaign.id, ERASURE) if item.actor == work.mine]
    entered = sum(item.content()["erased"] for item in before)
    texts = max(sum(map(len, work.found.held.texts.values())) - entered, 0)
    owned = _list_owned(tx, campaign, work.mine)
    if texts or owned or not before:
        changes = tuple(Change(item.key, PROFILE, item.value(), {**item.value(), "owner": None}) for item in owned)
        draft = EntryDraft(ERASURE, "staff", {"erased": texts, "released": len(changes)}, changes)
        made = resolver.ledger.enter(tx, campaign, work.person.user_id, draft)
        names = [item.name for item in owned]
        work.released += names
        work.notices += _notice(tx, resolver, campaign, made, names)


def _finish(tx: Connection, resolver: Resolver, work: _Work) -> ErasureResult:
    campaign = campaigns.get_campaign(tx, work.found.campaign.id, lock=True) or work.found.campaign
    user = work.person.user_id
    mine, held = campaigns.find_pseudonym(tx, campaign.id, user), work.found.held
    if work.mine not in {None, mine}:  # erased meanwhile by another press
        return ErasureResult(campaign, 0, (), ())
    work.mine = mine
    if mine is not None:
        held = erasing.find_texts(tx, campaign.id, mine, held)
        _erase_some(tx, resolver, work, [number for number in held.entries if number not in work.done])
        erasing.leave_tombstone(tx, campaign.id, user, mine, resolver.ledger.random_id(SALT_BYTES))
    else:
        _enter(tx, resolver, campaign, work)
    posts = [*messages.forget(tx, resolver, campaign, user, held.entries), *work.queued.at_once, *work.notices]
    erasing.delete_rows(tx, campaign.id, user)
    return ErasureResult(campaign, work.found.texts, tuple(work.released), tuple(posts))


def _notice(
    tx: Connection, resolver: Resolver, campaign: Campaign, entered: Entry, names: Sequence[str]
) -> Sequence[Post]:
    text = f"{_sentence(entered.content())}."
    more = [f"{len(names) - MAX_NAMED} more"] if len(names) > MAX_NAMED else []
    if names:
        some = join_words([*map(plain, names[:MAX_NAMED]), *more])
        text += f"\nWithout a player: {some}.\nGive them one with `/roster edit`."
    embed = discord.Embed(title="Data erased", description=text, colour=COLOURS["neutral"])
    embed.set_footer(text=f"#{entered.number}")
    notice = OutgoingMessage("notice", campaign.staff_channel_id, [embed])
    return resolver.outbox.queue(tx, campaign.id, entered.number, [notice])
