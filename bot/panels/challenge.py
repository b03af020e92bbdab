"""Challenges in Discord: made, listed, answered in a window, withdrawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import discord
from discord import ui

from bot import typed
from bot.embeds.challenge import OVER, challenge_line, challenger, closed_embed
from bot.embeds.result import COLOURS
from bot.embeds.text import message_link, plain, shorten, within
from bot.errors import NotOpen
from bot.panels import card_view
from bot.panels.reply import (
    STALE,
    Interaction,
    ask,
    number,
    own_name,
    person,
    promise,
    redraw,
    say,
    submitted,
    text_field,
)
from bot.panels.rolling import CHALLENGE, RollDesk, post_view, receipt
from bot.posts import Outbox, reworded
from bot.services.challenges import Answered, Challenges, Duel, Entrant, Offer, Press, RanOut
from bot.services.people import Person
from bot.store.posts import Post
from rules.books.infinity.skill import Side, Skill

MAX_OPTIONS = 25
ROOM_FOR_LINES = 3500
LISTED = "-"
"""What stands in place of a challenge's id where it is picked from a list."""


class ChallengePanel:
    """Shows challenges and takes what is done with them."""

    def __init__(self, desk: RollDesk, challenges: Challenges, outbox: Outbox) -> None:
        self._desk = desk
        self._challenges = challenges
        self._outbox = outbox

    async def handle(self, interaction: Interaction, words: list[str]) -> None:
        """The buttons of a challenge and its window, `challenge:<campaign>:<id>:<deed>`."""
        deeds = {"answer": self._ask, "answered": self._answer, "withdraw": self._withdraw}
        match words:
            case [campaign, key, deed] if deed in deeds:
                press = Press(number(campaign), _picked(interaction, key), _message(interaction))
            case _:
                raise NotOpen(*STALE)
        promise(interaction)
        try:
            await deeds[deed](interaction, press)
        except RanOut as late:
            await self._send(late.duel.post, interaction)
            raise

    async def challenge(self, interaction: Interaction, offer: Offer) -> None:
        """Challenge a member, and tell where that stands."""
        made = await self._challenges.open(person(interaction), offer)
        sent = await self._outbox.send(interaction.client, _posts(made.post), post_view)
        try:
            await say(interaction, view=_made(made, sent))
        finally:
            await self._outbox.note(sent)

    async def listing(self, interaction: Interaction) -> None:
        """The challenges that wait by or against somebody, with what they can do about them."""
        campaign = await self._desk.campaign(interaction)
        found = await self._challenges.waiting(person(interaction), campaign)
        await say(interaction, view=_listed(found, person(interaction)))

    async def _ask(self, interaction: Interaction, press: Press) -> None:
        found = await self._challenges.look(person(interaction), press)
        modal = ui.Modal(
            title=shorten(f"Against {challenger(found)}", 45),
            custom_id=f"{CHALLENGE}:{press.campaign_id}:{press.challenge_id}:answered",
        )
        for field in _fields(own_name(interaction)):
            modal.add_item(field)
        await ask(interaction, modal)

    async def _answer(self, interaction: Interaction, press: Press) -> None:
        await self._challenges.look(person(interaction), press)
        entrant = _typed(submitted(interaction), own_name(interaction))
        answered = await self._challenges.answer(person(interaction), press, entrant)
        sent = await self._outbox.send(interaction.client, answered.rolled.posts, post_view)
        linked = _linked(answered, sent)
        closed = await self._outbox.send(interaction.client, _posts(linked), post_view)
        try:
            await say(interaction, view=receipt(answered.rolled, sent, reader=person(interaction)))
        finally:
            await self._outbox.note([*sent, *closed])

    async def _withdraw(self, interaction: Interaction, press: Press) -> None:
        duel = await self._challenges.withdraw(person(interaction), press)
        title, tone = OVER[duel.challenge.state]
        await self._send(duel.post, interaction)
        view = card_view.receipt(title, ["Nothing was rolled."], COLOURS[tone])
        await (say(interaction, view=view) if press.message_id else redraw(interaction, view))

    async def _send(self, owed: Post | None, interaction: Interaction) -> None:
        await self._outbox.note(await self._outbox.send(interaction.client, _posts(owed), post_view))


def member_of(user: discord.User | discord.Member, guild_id: int) -> Person | None:
    """What a member may do; None for somebody who is not on the server."""
    if not isinstance(user, discord.Member):
        return None
    return Person(user.id, guild_id, frozenset(role.id for role in user.roles), manages_server=False)


def _picked(interaction: Interaction, key: str) -> str:
    """The challenge that a component is about: its own, or the one picked from a list."""
    data: Any = interaction.data or {}
    values = data.get("values") or [""]
    return str(values[0]) if key == LISTED else key


def _message(interaction: Interaction) -> int | None:
    """The message of the component that was used; None where only its user sees it."""
    message = interaction.message
    return None if message is None or message.flags.ephemeral else message.id


def _posts(owed: Post | None) -> list[Post]:
    return [] if owed is None else [owed]


def _linked(answered: Answered, sent: Sequence[Post]) -> Post | None:
    """The post that tells of the answer, with the way to the result where that is public."""
    duel = answered.duel
    public = next((post for post in sent if post.kind == "results" and post.message_id is not None), None)
    if duel.post is None or public is None or public.message_id is None:
        return duel.post
    link = message_link(duel.campaign.guild_id, public.channel_id, public.message_id)
    return reworded(duel.post, [closed_embed(duel.challenge, duel.campaign.name, link)])


def _made(made: Duel, sent: Sequence[Post]) -> ui.LayoutView:
    """Until when it can be answered, and where its message stands or why it does not yet."""
    until = discord.utils.format_dt(made.challenge.expires_at, "f")
    lines = [f"<@{made.challenge.opponent_id}> can answer until {until}. No die is rolled before."]
    lines += [
        f"[See it]({_link(made, post)}). `/infinity challenges` lists all that wait." for post in sent if not post.fault
    ]
    faults = [plain(post.fault) for post in sent if post.fault]
    lines += [
        f"\N{WARNING SIGN} Not posted yet: {fault}. I keep trying and post it as soon as I may." for fault in faults
    ]
    return card_view.receipt("Challenge made", lines, COLOURS["danger" if faults else "success"])


def _link(duel: Duel, post: Post | None) -> str | None:
    if post is None or post.message_id is None:
        return None
    return message_link(duel.campaign.guild_id, post.channel_id, post.message_id)


def _listed(found: Sequence[Duel], reader: Person) -> ui.LayoutView:
    lines = [challenge_line(item.challenge, _link(item, item.post)) for item in found]
    told = list(within(ROOM_FOR_LINES, lines)) or ["Challenge somebody with `/infinity versus`."]
    view = card_view.receipt("Open challenges" if found else "No open challenges", told, COLOURS["neutral"])
    container = view.children[0]
    assert isinstance(container, ui.Container)  # noqa: S101 - receipt makes it so
    for select in _selects(found, reader):
        row: ui.ActionRow[ui.LayoutView] = ui.ActionRow()
        container.add_item(row.add_item(select))
    return view


def _selects(found: Sequence[Duel], reader: Person) -> Iterator[ui.Select[ui.LayoutView]]:
    """What can be answered, and what can be withdrawn, 25 of each, the oldest first."""
    against = [item for item in found if item.challenge.opponent_id == reader.user_id]
    own = [item for item in found if item.challenge.challenger_id == reader.user_id or reader.leads(item.campaign)]
    for label, deed, items in (("Answer", "answer", against), ("Withdraw", "withdraw", own)):
        if items:
            key = f"{CHALLENGE}:{items[0].campaign.id}:{LISTED}:{deed}"
            which = "one" if len(items) <= MAX_OPTIONS else f"one of the {MAX_OPTIONS} oldest"
            select: ui.Select[ui.LayoutView] = ui.Select(custom_id=key, placeholder=f"{label} {which}")
            for item in items[:MAX_OPTIONS]:
                opened = f"made {item.challenge.opened_at:%d %b %H:%M} UTC"
                name = shorten(challenger(item.challenge), 100)
                select.add_option(label=name, value=item.challenge.id, description=opened)
            yield select


def _fields(name: str) -> Iterator[ui.Label[ui.Modal]]:
    yield text_field("attribute", "Attribute, 0 to 99", placeholder="13", limit=3)
    yield text_field("mods", "Modifiers with their signs", placeholder="-6 -3 +3", limit=100, needed=False)
    yield text_field("burst", "Burst: how many dice", value="1", limit=2, needed=False)
    crits: ui.Select[ui.Modal] = ui.Select(custom_id="crits")
    crits.add_option(label="Can have criticals", value="on", default=True)
    crits.add_option(label="Cannot have criticals", value="off")
    yield ui.Label(text="The skill", component=crits)
    yield text_field("name", "Who rolls", value=name, limit=typed.MAX_NAME, needed=False)


def _typed(fields: dict[str, Any], usual: str) -> Entrant:
    """What was typed into the window.

    Raises:
        BadInput, RollError: a field cannot be used.

    """
    attribute = typed.whole(fields.get("attribute"), "attribute")
    burst = typed.whole(fields.get("burst"), "burst", 1)
    crits = (fields.get("crits") or ["on"])[0] != "off"
    side = Side(Skill(attribute, typed.signed_numbers(fields.get("mods")), crits), burst)
    (name,) = typed.names((fields.get("name") or "").strip() or usual, "name", 1)
    return Entrant(name, side)
