"""The digest of an update: public results for players, all of them for staff."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NotRequired, TypedDict

import discord
from discord import ui
from msgspec import Struct
from sqlalchemy import Connection

from bot.core import entries, library, permissions, profiles, state
from bot.core.campaigns import (
    Campaign,
    current_update,
    find_called,
    find_update_entry,
    open_campaign,
    require_on_server,
)
from bot.core.errors import NotAsItIs
from bot.core.ledger import Body, EntryDraft, EntryKind, EntryView, Pages, View, is_published_late, next_number
from bot.core.records import Change, Entry, read_body
from bot.core.visibility import make_player_viewer
from bot.orders import kinds, standing
from bot.outbox import letters, queue
from bot.rolls.entries import DETAILS, find_decided, summary_of
from bot.rolls.extension import Question
from bot.rolls.resolver import Resolver
from bot.ui.receipt import entry_footer, plain_pages
from bot.ui.text import ATTACHED, COLOURS, join_words, paginate, plain
from rules import phrases, ruleset
from rules.orders import Phase
from rules.subjects import name_key, names_of

DIGEST = "digest"

Illustrate = Callable[[Connection, library.Library, Campaign], kinds.Illustration | None]
"""Returns a campaign's illustration, if it is public and there is one."""


NOTHING_PUBLIC, OTHERS = "No public results this update.", "Others"
MAX_BUTTONS = 10  # those that hold something back come first
ROOM_FOR_NAMES = 1100  # in characters


class WaitingOrder(Struct, frozen=True):
    """An order that needs an answer first, and why."""

    order: standing.StandingOrder
    why: str


class OpenWork(Struct, frozen=True):
    """What waits: orders, questions of rolls, and what `holds` scenes back."""

    orders: Sequence[WaitingOrder] = ()
    questions: Sequence[Question] = ()
    holds: Sequence[str] = ()

    @property
    def lines(self) -> list[str]:
        """One line per question."""
        return [f"\N{BULLET} {item.line}" for item in self.questions]

    @property
    def buttons(self) -> list[ui.Button[ui.LayoutView]]:
        """The buttons for the first questions."""
        return [item.button for item in self.questions[:MAX_BUTTONS]]


def find_questions_left(orders: Iterable[standing.StandingOrder], questions: Iterable[Question]) -> list[Question]:
    """Return questions that these results left."""
    made = {number for item in orders for number in item.entries}
    return [item for item in questions if item.entry in made]


def list_waiting(waiting: Sequence[WaitingOrder]) -> Iterator[str]:
    """Yield the waiting orders with their reasons."""
    yield from (f"\N{HOURGLASS} {plain(item.order.who.name)} is waiting: {plain(item.why)}" for item in waiting)


def name_some(names: Sequence[str]) -> str:
    """Return names in one line of up to 1,100 characters, and how many more."""
    shown: list[str] = []
    room = ROOM_FOR_NAMES
    for name in names:
        room -= len(name) + 2
        if room < 0:
            break
        shown.append(name)
    left = len(names) - len(shown)
    return join_words([*shown, *([f"{left} more"] if left else [])])


class DigestLine(TypedDict):
    """One result with its phase and entry, and whose it is, "" if unknown; an older version kept no `side`."""

    phase: str
    entry: int
    text: str
    side: NotRequired[str]


class Digest(Struct, frozen=True):
    """An entered digest with its posts."""

    campaign: Campaign
    entry: Entry
    posts: tuple[queue.Post, ...]


class DigestSides:
    """A campaign's sides, and who acted in which entries of an update."""

    def __init__(
        self, tx: Connection, library: library.Library, campaign: Campaign, orders: Sequence[standing.StandingOrder]
    ) -> None:
        self.campaign, self._public = campaign, make_player_viewer(campaign)
        self._saved = {item.id: item for item in profiles.list_profiles(tx, campaign.id)}
        self._doers: dict[int, list[tuple[str, int | None]]] = {}
        for order in orders:
            for number in order.entries:
                self._doers.setdefault(number, []).append((order.who.name, order.who.id))
        self._factions: dict[str, str] = {}
        update = current_update(tx, campaign.id)["number"]
        for book in library.list_books(tx, campaign):
            scene = kinds.scene_of(tx, campaign.id, book)
            if scene is not None:
                called = {item.sign: item.name for item in scene.orders.doers(book, scene.values, None) if item.sign}
                sides = scene.orders.know(book, scene.values, update).sides
                self._factions |= {name: called[sign] for name, sign in sides.items() if sign in called}

    def name_sides(self, made: Entry, text: str, *, public: bool) -> str:
        """Return the sides that an entry's line is about, as a heading; "" if none is known."""
        late = public and is_published_late(made)
        factions = {} if late else self._factions
        doers = self._doers.get(made.number) or list(_list_actors(made))
        if public and made.audience == "mixed":
            named = _name_public(made)
            doers = [doer for doer in doers if name_key(doer[0]) in named]
        found = [side for name, number in doers if (side := self._find_side(name, number, factions, public=public))]
        return join_words(sorted({*found, *(side for side in factions.values() if side in text)}))

    def _find_side(self, name: str, number: int | None, factions: dict[str, str], *, public: bool) -> str | None:
        item = self._saved.get(number or 0)
        if item is None:
            side = factions.get(name_key(name)) or self._name_known_side(name, public=public)
        elif public and not self._public.knows(item):
            return None
        else:
            squad = self._saved.get(item.squad_id or 0)
            known = squad is not None and not (public and not self._public.knows(squad))
            side = factions.get(name_key(name)) or item.side or (squad.side if known and squad else None)
        return side

    def _name_known_side(self, name: str, *, public: bool) -> str | None:
        seen: Iterable[profiles.Profile] = (
            item for item in self._saved.values() if not public or self._public.knows(item)
        )
        return next((item.side for item in seen if item.side and name_key(item.side) == name_key(name)), None)


def _list_actors(made: Entry) -> Iterator[tuple[str, int | None]]:
    body = read_body(made)
    numbers = {name_key(name): number for number, name in made.names().items()}
    for part in body.get("parts", ()):
        for name in names_of(part["subjects"].get(body["actor"], "")):
            yield name, numbers.get(name_key(name))


def post_digest(
    tx: Connection, resolver: Resolver, person: permissions.Person, campaign_id: int, ways: Sequence[Illustrate] = ()
) -> Digest:
    """Enter the current update's digest, public and for staff.

    A further one has what is new and links the one before; without public news only staff get it.

    Raises:
        NotOpen: nothing is new, or the campaign is archived.
    """
    campaign = open_campaign(tx, require_on_server(tx, person.guild_id, campaign_id).id)
    permissions.require_game_master(person, campaign, "post the digest")
    update, orders = current_update(tx, campaign.id), standing.all_orders(tx, campaign)
    before, newest = state.get_value(tx, campaign.id, state.CAMPAIGN_STATE, DIGEST), _newest(orders)
    decided = _find_decisions(tx, campaign, update["number"], before["entry"] if before else 0)
    newest = max([newest, *(made.number for made in decided)])
    earlier = before if before is not None and before["update"] == update["number"] else None
    if before is not None and before["upto"] >= newest > 0:
        raise NotAsItIs(f"The digest is already posted: entry #{before['entry']}.", "Nothing new has happened since.")
    if not newest:
        raise NotAsItIs("No order of this update is resolved yet.", "Resolve orders with /gm resolve.")
    sides = DigestSides(tx, resolver.library, campaign, orders)
    every_line = list(_list_lines(tx, resolver, sides, orders, earlier["upto"] if earlier else 0))
    every_line += _decision_lines(tx, resolver, sides, decided)
    shared, kept = ([line for line, is_public in every_line if is_public == wanted] for wanted in (True, False))
    drawn = None if before is None else before.get("shown")  # an older version kept none
    found = next(filter(None, (way(tx, resolver.library, campaign) for way in ways)), None)
    mark = found.fingerprint if found else drawn
    illustration = found if mark != drawn else None
    public = bool(shared) or earlier is None or illustration is not None
    left = sum(item.is_unresolved and not item.held for item in orders)
    asked = resolver.extension.open_questions(tx, campaign, permissions.find_now(tx, person, campaign))
    asked = find_questions_left(orders, asked)
    body = {"update": update["name"], "lines": shared, "left": left, "asked": len(asked)}
    if illustration is not None:
        title, lines = illustration.title, list(illustration.lines)
        shown_week = {"title": title, "lines": lines, "picture": illustration.picture}
        body |= {"shown": shown_week, **illustration.drawn_from}
    if earlier is not None:
        before_it = earlier.get("public", earlier["entry"])  # an older version has kept none
        body |= {"earlier": {"entry": before_it, "link": _link(tx, campaign, before_it)}}
    number = next_number(tx, campaign)
    after = {"entry": number, "update": update["number"], "upto": newest}
    after |= {"public": number if public else body["earlier"]["entry"]}
    after |= {} if mark is None else {"shown": mark}
    body |= {} if public else {"audience": "staff"}
    draft = EntryDraft(DIGEST, _audience(body), body, (Change(state.CAMPAIGN_STATE, DIGEST, before, after),))
    entry = resolver.ledger.enter(tx, campaign, person.user_id, draft)
    shown = EntryView(entry, campaign.name)
    for_staff = [*_list_text(shared, body, "staff", kept), *(f"-# {item.line}" for item in asked)]
    givers = _find_givers(tx, campaign, orders, {line["entry"] for line in shared}, person)
    messages = [*(queue.ping_first([*_list_public(campaign, update["number"], shown)], givers) if public else ())]
    whole = plain_pages(shown, _title(body), for_staff)
    messages += [queue.OutgoingMessage("whole", campaign.staff_channel_id, page) for page in whole]
    posts = resolver.outbox.queue(tx, campaign.id, entry.number, messages)
    own = letters.make_letters(tx, campaign.id, f"update:{update['number']}") if public else ()
    return Digest(campaign, entry, (*posts, *resolver.outbox.queue(tx, campaign.id, None, own)))


def _list_public(campaign: Campaign, update: int, shown: EntryView) -> Iterator[queue.OutgoingMessage]:
    *before, last = _pages(shown, "public")
    yield from (queue.OutgoingMessage("results", campaign.results_channel_id, page) for page in before)
    own = kinds.OWN.fill(campaign=campaign.id, number=update)
    details = DETAILS.fill(campaign=campaign.id, number=shown.entry.number)
    buttons = (("What happened to you", own, queue.PRIMARY), ("Details", details, queue.SECONDARY))
    yield queue.OutgoingMessage("results", campaign.results_channel_id, last, buttons=buttons)


def _find_givers(
    tx: Connection,
    campaign: Campaign,
    orders: Sequence[standing.StandingOrder],
    results: set[int],
    person: permissions.Person,
) -> queue.Pings:
    made = entries.get_entries_bare(tx, campaign.id, results)
    named = {number: _name_public(entry) for number, entry in made.items()}
    known = {  # others would be given away by a mention
        (item.owner, key)
        for item in (profiles.list_profiles(tx, campaign.id) if made else ())
        if item.owner and not item.secret
        for key in (item.id, item.squad_id, name_key(item.name))
    }
    givers: set[str] = set()
    for item in orders:
        mine = made.keys() & {*item.entries}
        if item.by is None:
            public = any(name_key(item.who.name) in named[number] for number in mine)
        else:  # of a war: all is public, or nothing
            public = any(made[number].audience == "results" for number in mine)
        key = item.who.id if item.by is None else name_key(item.by)
        givers |= {item.giver} if public and (item.giver, key) in known else set()
    return queue.Pings(find_called(tx, campaign, givers, person.user_id))


def _name_public(entry: Entry) -> set[str]:
    parts = [part for part in read_body(entry)["parts"] if part["audience"] == "results"]
    return {name_key(name) for part in parts for some in part["subjects"].values() for name in names_of(some)}


def is_due(tx: Connection, campaign: Campaign, book: str | None = None) -> bool:
    """Return whether results of the update, or of one book, aren't in a digest yet."""
    before = state.get_value(tx, campaign.id, state.CAMPAIGN_STATE, DIGEST)
    orders = [item for item in standing.all_orders(tx, campaign) if book in {None, item.book}]
    if _newest(orders) > (before["upto"] if before is not None else 0):
        return True
    decided = _find_decisions(tx, campaign, current_update(tx, campaign.id)["number"], before["entry"] if before else 0)
    return any(book in {None, made.content()["book"]} for made in decided)


def _newest(orders: Sequence[standing.StandingOrder]) -> int:
    return max((number for item in orders for number in item.entries), default=0)


def _link(tx: Connection, campaign: Campaign, number: int) -> str | None:
    posts = (post for post in queue.posts_of_entry(tx, campaign.id, number) if post.kind == "results")
    return next(filter(None, (post.link(campaign.guild_id) for post in posts)), None)


def _list_lines(
    tx: Connection, resolver: Resolver, sides: DigestSides, orders: Sequence[standing.StandingOrder], upto: int
) -> Iterator[tuple[DigestLine, bool]]:
    new = {number for item in orders for number in item.entries if number > upto}
    made = entries.get_entries_bare(tx, sides.campaign.id, new)
    done = (item for book in resolver.library.list_books(tx, sides.campaign) for item in _list_done(book, orders))
    for phase, number in done:
        if number in made and made[number].audience != "person":
            public = made[number].audience in {"results", "mixed"}
            for text in resolver.kinds.results(made[number], read_body(made[number]), "public" if public else "staff"):
                side = sides.name_sides(made[number], text, public=public)
                yield DigestLine(phase=phase.label, entry=number, text=text, side=side), public


def _find_decisions(tx: Connection, campaign: Campaign, update: int, upto: int) -> list[Entry]:
    began = find_update_entry(tx, campaign.id, max(update - 1, 1))
    return find_decided(tx, campaign, range(max(began, upto) + 1, next_number(tx, campaign)))


def _decision_lines(
    tx: Connection, resolver: Resolver, sides: DigestSides, decided: Sequence[Entry]
) -> Iterator[tuple[DigestLine, bool]]:
    books = {book.id: book for book in resolver.library.list_books(tx, sides.campaign)}
    for made in decided:
        body = read_body(made)
        if body["book"] not in books or made.audience == "person":
            continue
        phases = books[body["book"]].entries_of(Phase)
        for part in body["parts"]:
            found = summary_of(part)
            if found is not None and found["lines"]:
                text = plain(" ".join(found["lines"]))
                public = made.audience == "results" or (made.audience, part["audience"]) == ("mixed", "results")
                side = sides.name_sides(made, text, public=public)
                line = DigestLine(phase=phases[found["phase"]].label, entry=made.number, text=text, side=side)
                yield line, public


def _list_done(book: ruleset.RuleSet, orders: Sequence[standing.StandingOrder]) -> Iterator[tuple[Phase, int]]:
    for phase in book.entries_of(Phase).values():
        numbers = {number for item in orders if item.book == book.id for number in item.in_phase(phase.id)}
        yield from ((phase, number) for number in sorted(numbers))


def _group(lines: Sequence[DigestLine]) -> Iterator[str]:
    heads = [line.get("side", line["phase"]) for line in lines]
    several = {*heads} != {""}
    ordered = sorted(dict.fromkeys(heads), key="".__eq__)  # unknown ones come last
    marked = []
    for head in ordered:
        mine = [line for line, of in zip(lines, heads, strict=True) if of == head]
        for line, after in zip_longest(mine, mine[1:]):  # only the last line of an entry has its number
            goes_on = after is not None and (after["phase"], after["entry"]) == (line["phase"], line["entry"])
            text = f"\N{BULLET} {line['text']}" + ("" if goes_on else f" (#{line['entry']})")
            marked.append((head or OTHERS, text))
    yield from kinds.group_by_phase(marked) if several else (text for _, text in marked)


def _list_text(lines: Sequence[DigestLine], body: Body, view: View, kept: Sequence[DigestLine] = ()) -> Iterator[str]:
    yield from _group(lines)
    if not lines and "earlier" not in body:
        yield NOTHING_PUBLIC
    if kept:
        yield f"{kinds.EMPTY * (bool(lines) or 'earlier' not in body)}-# For game masters only:"
        yield from _group(kept)
    waits = (("open order", body["left"]), ("question", body.get("asked", 0)))  # an older version counted no questions
    left = [f"{count} {what}{'s' if count > 1 else ''}" for what, count in waits if count]
    if left and view == "staff":
        yield f"-# Needs you: {join_words(left)}"
    if "earlier" in body:
        number, link = body["earlier"]["entry"], body["earlier"]["link"]
        yield f"-# Earlier results: {f'[entry #{number}]({link})' if link else f'entry #{number}'}."


def _title(body: Mapping[str, object]) -> str:
    return f"{'More results' if 'earlier' in body else 'Results'}: {plain(str(body['update']))}"


def _pages(shown: EntryView, view: View) -> Pages:
    body = shown.entry.content()
    lines = [*_list_text(body["lines"], body, view)]
    pages = plain_pages(shown, _title(body), lines)
    if lines == [NOTHING_PUBLIC]:
        pages = [[discord.Embed(description=NOTHING_PUBLIC, colour=COLOURS["neutral"])]]
        pages[0][0].set_footer(text=entry_footer(shown))
    if "shown" not in body:
        return pages
    week = body["shown"]
    below = discord.Embed(title=week["title"], description="\n".join(week["lines"]), colour=COLOURS["neutral"])
    below.set_image(url=f"{ATTACHED}{week['picture']}").set_footer(text=entry_footer(shown))
    return paginate([*(embed for page in pages for embed in page), below])


def _sentence(body: Body, _view: View = "public") -> str:
    return f"Digest of {plain(body['update'])}: {phrases.format_count(len(body['lines']), 'public results')}"


def _audience(body: Body, _before: Sequence[str] = ()) -> str:
    return str(body.get("audience", "results"))


DIGEST_ENTRY = EntryKind(DIGEST, _audience, _sentence, _pages)
