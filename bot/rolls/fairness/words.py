"""What the audit thread of a campaign is told: plain words for people, and lines that are pasted to check a roll by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import discord

from bot.core.campaigns import Campaign
from bot.core.epochs import Epoch, Listed
from bot.core.records import Link
from bot.core.seeds import SLOTS, hash_of_all, revealing
from bot.ui.colours import COLOURS
from rules.phrases import counted

FORMAT = "adjutant audit 1"
ABOUT = (
    "Before each roll, its dice are fixed by a commitment in this thread. After a day with rolls, I reveal the seeds of its "
    "public dice. `/verify` checks any roll against these lines."
)
MOVED = (
    "The campaign moved here from another place. Earlier commitments and seeds are in the dice proof thread there. The lines "
    "below say how far its ledger went."
)
_MOST = 3800
"""Characters of lines in one message."""


def opening(campaign: Campaign, link: Link, first: Epoch, following: Epoch) -> list[discord.Embed]:
    """Return the first message: what is checked here, how far the ledger goes by then, and the commitments to the first two epochs."""
    lines = [*_head(campaign), f"after {link.number} {link.hash}", _next(campaign, first), _next(campaign, following)]
    return _pages("Every roll can be checked", ABOUT, lines, len(_head(campaign)))


def arrival(campaign: Campaign, left: Epoch, listed: Sequence[Listed], begun: Sequence[Epoch]) -> list[discord.Embed]:
    """Return the first message in a new place: how far the ledger goes by then, as it was when the epoch was closed with which it left, and the commitments to the epochs to come."""
    lines = [*_head(campaign), *(_next(campaign, epoch) for epoch in begun), *_ended(campaign, left, listed)]
    return _pages("Every roll can be checked", f"{ABOUT} {MOVED}", lines, len(_head(campaign)))


def closing(campaign: Campaign, closed: Epoch, following: Epoch, listed: Sequence[Listed]) -> list[discord.Embed]:
    """Return the message of an epoch that was closed: what it revealed, what stays secret, and the next commitment."""
    first, last = listed[0].number, listed[-1].number
    hidden = [item for item in listed if not item.is_open]
    lines = [*_head(campaign), *_ended(campaign, closed, listed)]
    lines += _revealed(closed, listed)
    lines += [f"secret {item.number} {item.hash}" for item in hidden]
    lines += [_next(campaign, following)]
    told = f"{counted(len(listed), 'entries')}, #{first} to #{last}. {_how_many(len(hidden))}"
    return _pages(f"Dice set {closed.number} is closed", told, lines, len(_head(campaign)) + 1)


def _ended(campaign: Campaign, closed: Epoch, listed: Sequence[Listed]) -> Iterator[str]:
    """Yield which entries a closed epoch has, by their hashes."""
    yield f"epoch {closed.number}"
    yield f"entries {listed[0].number}-{listed[-1].number}"
    yield f"head {listed[-1].hash}"
    yield f"hashes {hash_of_all(item.hash for item in listed)}"
    yield f"commitment {closed.commitment(campaign.uuid)}"


def _how_many(hidden: int) -> str:
    if hidden:
        return f"Seeds kept secret until their entries are public: {hidden}."
    return "All their seeds are revealed."


def _revealed(closed: Epoch, listed: Iterable[Listed]) -> Iterator[str]:
    """Yield the nodes from which the seeds of public entries follow, and those of slots that were not used."""
    hidden = {closed.slot(item.number) for item in listed if not item.is_open}
    for node in revealing(bytes.fromhex(closed.secret), [slot for slot in range(SLOTS) if slot not in hidden]):
        yield f"reveal {node.first}-{node.first + node.slots - 1} {node.value.hex()}"


def _head(campaign: Campaign) -> list[str]:
    return [FORMAT, f"campaign {campaign.uuid}"]


def _next(campaign: Campaign, epoch: Epoch) -> str:
    return f"next {epoch.number} {epoch.commitment(campaign.uuid)}"


def _pages(title: str, told: str, lines: Sequence[str], head: int) -> list[discord.Embed]:
    """Return the lines in as few messages as they need; each begins with the first `head` of them, and so is whole by itself."""
    pages: list[list[str]] = [[]]
    for line in lines:
        if sum(map(len, pages[-1])) + len(pages[-1]) + len(line) > _MOST:
            pages.append([*lines[:head]])
        pages[-1].append(line)
    texts = ["\n".join(["```", *page, "```"]) for page in pages]
    return [
        discord.Embed(title=title, description=f"{told}\n{text}" if not at else text, colour=COLOURS["neutral"])
        for at, text in enumerate(texts)
    ]
