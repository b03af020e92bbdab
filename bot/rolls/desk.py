"""From a command to a card or a roll, and from a committed roll to its posts and the roller's receipt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import discord
from discord import ui

from bot.cogs.campaign.service import Campaigns
from bot.cogs.roster.service import Roster
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.outbox.delivery import Outbox
from bot.outbox.store import Post
from bot.rolls.card import layout
from bot.rolls.card.service import Cards
from bot.rolls.commands import RollCommand, Rolls
from bot.rolls.embed import EntryView, View, headline, result_pages
from bot.rolls.request import PartRequest
from bot.rolls.resolver import Rolled
from bot.ui.colours import COLOURS
from bot.ui.receipt import receipt
from bot.ui.reply import Interaction, person, redraw, say
from bot.ui.text import message_link, plain, within
from rules.procedure import Procedure
from rules.ruleset import RuleSet

PUBLISH, SCHEDULE, ESCAPE, CHALLENGE = "publish", "schedule", "escape", "challenge"
"""How the ids of buttons under posts begin."""

ROOM_FOR_OUTCOMES, ROOM_FOR_POSTS = 2600, 1100
"""Characters of a receipt, under Discord's 4,000 in all; the whole of a result stands in its posts."""


def channels(interaction: Interaction) -> list[int]:
    """The ids under which a channel can be bound, nearest first: the thread or channel, its parent, its category."""
    channel = interaction.channel
    found = [interaction.channel_id, getattr(channel, "parent_id", None)]
    outer = getattr(channel, "parent", None) or channel
    found.append(getattr(outer, "category_id", None))
    return [item for item in found if item is not None]


def publish_button(campaign_id: int, number: int) -> ui.View:
    """The button under a result that is not public, for game masters who want it to be."""
    view = ui.View(timeout=None)
    view.add_item(ui.Button(label="Publish", custom_id=f"{PUBLISH}:{campaign_id}:{number}"))
    view.stop()
    return view


def question_buttons(campaign_id: int, deed: str) -> ui.View:
    """The buttons under a question about occurrences of a deed that were missed, for game masters."""
    view = ui.View(timeout=None)
    for label, word in (("Make up for it", "roll"), ("Let it go", "skip")):
        view.add_item(ui.Button(label=label, custom_id=f"{SCHEDULE}:{campaign_id}:{deed}:{word}"))
    view.stop()
    return view


def escape_button(campaign_id: int) -> ui.View:
    """The button under a declared escape, for game masters: opens a card with all that are declared."""
    view = ui.View(timeout=None)
    view.add_item(ui.Button(label="Roll the declared escapes", custom_id=f"{ESCAPE}:{campaign_id}"))
    view.stop()
    return view


def challenge_buttons(campaign_id: int, challenge_id: str) -> ui.View:
    """The buttons under an open challenge: for who is challenged, and for who has made it."""
    view = ui.View(timeout=None)
    for label, word in (("Answer", "answer"), ("Withdraw", "withdraw")):
        style = discord.ButtonStyle.success if word == "answer" else discord.ButtonStyle.secondary
        view.add_item(ui.Button(label=label, style=style, custom_id=f"{CHALLENGE}:{campaign_id}:{challenge_id}:{word}"))
    view.stop()
    return view


def post_view(item: Post) -> ui.View | None:
    """The buttons under a queued post."""
    if item.kind == CHALLENGE and item.topic is not None:
        return challenge_buttons(item.campaign_id, item.topic)
    if item.topic == ESCAPE:
        return escape_button(item.campaign_id)
    if item.kind == "question" and item.topic is not None:
        return question_buttons(item.campaign_id, item.topic)
    if item.kind == "staff" and item.entry_number is not None:
        return publish_button(item.campaign_id, item.entry_number)
    return None


class RollDesk:
    """Opens cards, rolls at once, and hands out what came of it."""

    def __init__(self, rolls: Rolls, cards: Cards, campaigns: Campaigns, roster: Roster, outbox: Outbox) -> None:
        self.cards = cards
        self.campaigns = campaigns
        self.roster = roster
        self._rolls = rolls
        self._outbox = outbox

    async def campaign(self, interaction: Interaction) -> Campaign:
        """The campaign of the channel that a command was used in."""
        return await self.campaigns.here(interaction.guild_id or 0, channels(interaction))

    async def procedure(self, campaign: Campaign, book_id: str, family: str) -> tuple[RuleSet, Procedure]:
        """A roll family of a book that the campaign plays by."""
        (book,) = await self._rolls.books(campaign, book_id)
        return book, book.procedure(family)

    async def books(self, campaign: Campaign) -> list[RuleSet]:
        """The books that the campaign plays by."""
        return await self._rolls.books(campaign, *campaign.books)

    async def begin(self, interaction: Interaction, asked: RollCommand, *, at_once: bool) -> None:
        """Answer a roll command: with a card, or with the roll itself."""
        if at_once:
            await self.finish(interaction, await self._rolls.now(person(interaction), asked))
        else:
            view = await self._rolls.open(person(interaction), asked)
            await say(interaction, view=layout.draw(view, 0))

    async def finish(self, interaction: Interaction, rolled: Rolled, asides: Sequence[str] = ()) -> None:
        """Send what a roll owes and show the roller what came of it, with what nobody else is told."""
        sent = await self._outbox.send(interaction.client, rolled.posts, post_view)
        try:
            await redraw(interaction, roll_receipt(rolled, sent, asides, reader=person(interaction)))
            if rolled.entry.audience == "person":
                buttons = publish_button(rolled.campaign.id, rolled.entry.number)
                view: View = "staff" if person(interaction).leads(rolled.campaign) else "public"
                for page in result_pages(EntryView(rolled.entry, rolled.campaign.name), view):
                    await say(interaction, embeds=page, view=buttons)
        finally:
            await self._outbox.note(sent)


def roll_receipt(rolled: Rolled, posts: Sequence[Post], asides: Sequence[str] = (), *, reader: Person) -> ui.LayoutView:
    """What stands in place of a card once it is rolled: outcomes, where they were posted, what is still to be sent."""
    entry, campaign = rolled.entry, rolled.campaign
    leads = reader.leads(campaign)
    told = [post for post in posts if leads or post.kind == "results"]
    outcomes = within(ROOM_FOR_OUTCOMES, list(_outcomes(entry.content(), all_of_it=leads)))
    lines = [*outcomes, *asides, *whereabouts(campaign, told)]
    faults = any(post.fault for post in told)
    colour = COLOURS["danger" if faults else "success"]
    return receipt(f"Rolled: entry #{entry.number}", lines, colour)


def _outcomes(body: Mapping[str, Any], *, all_of_it: bool) -> Iterator[str]:
    for part in body["parts"]:
        told = plain(part["outcome"]["text"]) if part["outcome"] else f"not rolled. {plain(part['unrolled'])}"
        known = all_of_it or part["audience"] == "results"
        yield f"{headline(body, part)}: {told if known else 'the result went to the staff'}"


def whereabouts(campaign: Campaign, posts: Sequence[Post]) -> Iterator[str]:
    """Where posts stand or why they are not posted yet, as far as a receipt has room."""
    return within(ROOM_FOR_POSTS, list(_whereabouts(campaign, posts)))


def _whereabouts(campaign: Campaign, posts: Sequence[Post]) -> Iterator[str]:
    for post in posts:
        if post.message_id is not None:
            link = message_link(campaign.guild_id, post.channel_id, post.message_id)
            yield f"[Posted]({link}) in <#{post.channel_id}>"
        else:
            yield (
                f"\N{WARNING SIGN} Not posted yet: {post.fault}. The result is safe as entry #{post.entry_number}; "
                "I keep trying and post it as soon as I may."
            )


def split_parts(
    procedure_roles: tuple[str, str], actors: Sequence[str], subjects: Sequence[str | None]
) -> list[PartRequest]:
    """One part for each pair of actor and subject, subject by subject; a subject of None stands for nobody."""
    actor_role, subject_role = procedure_roles
    return [
        PartRequest(subjects={actor_role: actor} | ({subject_role: subject} if subject is not None else {}))
        for subject in subjects
        for actor in actors
    ]
