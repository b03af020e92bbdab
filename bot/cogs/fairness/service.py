"""Check an entry's file, and close epochs whose day is over."""

import json
from collections.abc import Iterator, Sequence

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import epochs
from bot.core.campaigns import Campaign
from bot.core.chores import do_each
from bot.core.permissions import Person
from bot.kernel import Client
from bot.outbox.queue import Post
from bot.rolls.fairness import turnover
from bot.rolls.fairness.checks import Verdict, check, read_anchors
from bot.rolls.fairness.document import VerificationFile
from bot.rolls.fairness.files import document_bytes, document_of

EARLY = "These dice were fixed before you rolled. Full proof is published tomorrow."


class CheckedFile(Struct, frozen=True):
    """A checked file, its verdict, and lines about its dice."""

    file: bytes
    verdict: Verdict
    words: str
    rolled: tuple[str, ...]


def gather(tx: Connection, person: Person, campaign: Campaign, number: int) -> tuple[VerificationFile, list[Post]]:
    """Return an entry's verification file, and the posts of its epoch in the audit thread."""
    document = document_of(tx, person, campaign, number)
    return document, turnover.audit_posts(tx, campaign, document.epoch.number)


def check_document(document: VerificationFile, published: str) -> CheckedFile:
    """Check a file against the audit thread's text; blocks, so run it in a thread."""
    try:
        anchors = read_anchors(published, document.campaign) if published.strip() else None
    except ValueError as error:
        verdict = Verdict((f"The dice proof thread can't be read: {error}.",), (), anchored=False)
    else:
        verdict = check(document, anchors)
    early = document.epoch.last is None and not verdict.faults
    return CheckedFile(
        document_bytes(document), verdict, EARLY if early else verdict.words, tuple(_describe_dice(document))
    )


def _describe_dice(document: VerificationFile) -> Iterator[str]:
    item = next(item for item in document.entries if item.number == document.about)
    if item.header is None:
        yield "You can't see these dice, so only its place in the ledger was checked."
        return
    if item.draw is None:
        yield "It has no dice, so only its place in the ledger was checked."
        return
    kinds: dict[int, list[str]] = {}
    for part in item.draw.parts:
        for sides, face in json.loads(part.text)["dice"]:
            kinds.setdefault(sides, []).append(str(face))
    dice = "; ".join(f"d{sides}: {', '.join(faces)}" for sides, faces in kinds.items())
    yield f"Dice: {dice}." if dice else "None of its dice came from the bot: they were typed, or it has none."
    if dice and item.seed is None:
        yield "Check again tomorrow, when the seed is public."


async def close_due(client: Client) -> Sequence[Post]:
    """Close due epochs, a transaction per campaign."""
    database = client.database
    over = await database.read(epochs.campaigns_with_ended, client.ledger.now())
    return await do_each((database.write(_close, client, campaign_id) for campaign_id in over), "epoch.bug")


def _close(tx: Connection, client: Client, campaign_id: int) -> Sequence[Post]:
    return client.outbox.queue(tx, campaign_id, None, turnover.close_due(tx, client.ledger, campaign_id))
