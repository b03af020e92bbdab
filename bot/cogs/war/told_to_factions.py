"""What each faction sees of a turn that ends in fog, in the channel of its group if that has one; all others look at `/war map` and `/war show`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from bot.cogs.war.wars import BOOK
from bot.core import entries, groups, state
from bot.core.campaigns import Campaign
from bot.core.records import Entry
from bot.core.state import VOIDED
from bot.outbox.queue import OutgoingMessage
from bot.outbox.store import Post
from bot.ui import paging
from bot.ui.colours import COLOURS
from bot.ui.text import plain
from rules.books.total_war import keeping
from rules.books.total_war.order_kinds import ADVANCE, SEEN
from rules.subjects import name_key

HOW = "-# `/war map` and `/war show` tell you how it stands as you see it."


def tell_factions(tx: Connection, resolver: Any, campaign: Campaign, entry: Entry) -> Iterable[Post]:  # noqa: ANN401 - as a `FollowRule` has it
    """Queue for each faction what it has seen since the turn began, once the turn ends; return the posts."""
    body = entry.content()
    if (body.get("book"), body["family"]) != (BOOK, ADVANCE):
        return ()
    housed = {name_key(item.name): int(item.channel) for item in groups.current(tx, campaign.id) if item.channel}
    if not housed:
        return ()
    began = next(item["before"]["entry"] for item in body["changes"] if item["name"] == keeping.WAR)
    seen: dict[str, list[str]] = {}
    for made in (*_standing(tx, campaign, range(began + 1, entry.number)), entry):
        for name, lines in _seen(made.content()):
            seen.setdefault(name_key(name), []).extend(lines)
    messages = [
        OutgoingMessage("news", housed[key], page)
        for key, lines in seen.items()
        if key in housed
        for page in _pages(campaign, lines)
    ]
    queued: Iterable[Post] = resolver.outbox.queue(tx, campaign.id, None, messages)
    return queued


def _standing(tx: Connection, campaign: Campaign, numbers: Sequence[int]) -> Iterator[Entry]:
    """Yield the entries of these numbers that were not taken back, in their order."""
    gone = state.named(tx, campaign.id, {f"entry:{number}" for number in numbers}, {VOIDED})
    made = entries.without_texts(tx, campaign.id, numbers)
    yield from (made[number] for number in sorted(made) if (f"entry:{number}", VOIDED) not in gone)


def _seen(body: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what each faction has seen of a roll."""
    for part in body["parts"] if body.get("book") == BOOK else ():
        yield from part["record"].get(SEEN, {}).items()


def _pages(campaign: Campaign, lines: Sequence[str]) -> Iterable[Any]:
    told = [*(f"\N{BULLET} {plain(line)}" for line in lines), HOW]
    title = "What you have seen of this turn"
    return paging.pages(paging.fit(title, told, colour=COLOURS["neutral"], footer=campaign.name))
