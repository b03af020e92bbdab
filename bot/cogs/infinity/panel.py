"""Challenges in Discord: made, listed, answered in a window, withdrawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import unquote

import discord
from discord import ui

from bot.client import Interaction
from bot.cogs.infinity.buttons import CHALLENGE
from bot.cogs.infinity.challenge_embed import OVER, challenge_line, challenger, closed_embed
from bot.cogs.infinity.challenges import Answered, Challenges, Duel, Entrant, Offer, Press, RanOut
from bot.core.permissions import Person
from bot.errors import BadInput, NotOpen
from bot.outbox.delivery import Outbox
from bot.outbox.queue import reworded
from bot.outbox.store import Post
from bot.rolls.desk import RollDesk, roll_receipt
from bot.ui import parsing
from bot.ui.colours import COLOURS
from bot.ui.receipt import receipt
from bot.ui.reply import STALE, ask, number, own_name, person, promise, redraw, refuse, say, submitted, text_field
from bot.ui.text import message_link, plain, shorten, within
from rules.books.infinity.skill import Side, Skill
from rules.errors import RollError

MAX_OPTIONS = 25
ROOM_FOR_LINES = 3500
LISTED = "-"
"""What stands in place of a challenge's id where it is picked from a list."""

MAX_ID = 100
"""Characters of the id of a component."""


class _Filled(NamedTuple):
    """What stands in the window."""

    attribute: str = ""
    mods: str = ""
    burst: str = "1"
    crits: str = "on"
    name: str = ""


class ChallengePanel:
    """Shows challenges and takes what is done with them."""

    def __init__(self, desk: RollDesk, challenges: Challenges, outbox: Outbox) -> None:
        self._desk = desk
        self._challenges = challenges
        self._outbox = outbox

    async def handle(self, interaction: Interaction, words: list[str]) -> None:
        """The buttons of a challenge and its window, `challenge:<campaign>:<id>:<deed>`, and what was typed before."""
        match words:
            case [campaign, key, "answer", *before]:
                deed = partial(self._ask, filled=_filled(before))
            case [campaign, key, "answered"]:
                deed = partial(self._answer)
            case [campaign, key, "withdraw"]:
                deed = partial(self._withdraw)
            case _:
                raise NotOpen(*STALE)
        press = Press(number(campaign), _picked(interaction, key), _message(interaction))
        promise(interaction)
        try:
            await deed(interaction, press)
        except RanOut as late:
            await self._send(late.duel.post, interaction)
            raise

    async def challenge(self, interaction: Interaction, offer: Offer) -> None:
        """Challenge a member, and tell where that stands."""
        made = await self._challenges.open(person(interaction), offer)
        sent = await self._outbox.send(interaction.client, _posts(made.post))
        try:
            await say(interaction, view=_made(made, sent))
        finally:
            await self._outbox.note(sent)

    async def listing(self, interaction: Interaction) -> None:
        """The challenges that wait by or against somebody, with what they can do about them."""
        campaign = await self._desk.campaign(interaction)
        found = await self._challenges.waiting(person(interaction), campaign)
        await say(interaction, view=_listed(found, person(interaction)))

    async def _ask(self, interaction: Interaction, press: Press, filled: _Filled) -> None:
        found = await self._challenges.look(person(interaction), press)
        modal = ui.Modal(
            title=shorten(f"Against {challenger(found)}", 45),
            custom_id=f"{CHALLENGE}:{press.campaign_id}:{press.challenge_id}:answered",
        )
        for field in _fields(filled, own_name(interaction)):
            modal.add_item(field)
        await ask(interaction, modal)

    async def _answer(self, interaction: Interaction, press: Press) -> None:
        await self._challenges.look(person(interaction), press)
        fields = submitted(interaction)
        try:
            entrant = _typed(fields, own_name(interaction))
            answered = await self._challenges.answer(person(interaction), press, entrant)
        except (BadInput, RollError) as error:
            await refuse(interaction, error, _again(press, fields, own_name(interaction)))
            return
        sent = await self._outbox.send(interaction.client, answered.rolled.posts)
        linked = _linked(answered, sent)
        closed = await self._outbox.send(interaction.client, _posts(linked))
        try:
            await say(interaction, view=roll_receipt(answered.rolled, sent, reader=person(interaction)))
        finally:
            await self._outbox.note([*sent, *closed])

    async def _withdraw(self, interaction: Interaction, press: Press) -> None:
        duel = await self._challenges.withdraw(person(interaction), press)
        title, tone = OVER[duel.challenge.state]
        await self._send(duel.post, interaction)
        view = receipt(title, ["Nothing was rolled."], COLOURS[tone])
        await (say(interaction, view=view) if press.message_id else redraw(interaction, view))

    async def _send(self, owed: Post | None, interaction: Interaction) -> None:
        await self._outbox.note(await self._outbox.send(interaction.client, _posts(owed)))


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
    return reworded(duel.post, [closed_embed(duel.challenge, duel.campaign.name, answered.rolled.entry, link)])


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
    return receipt("Challenge made", lines, COLOURS["danger" if faults else "success"])


def _link(duel: Duel, post: Post | None) -> str | None:
    if post is None or post.message_id is None:
        return None
    return message_link(duel.campaign.guild_id, post.channel_id, post.message_id)


def _listed(found: Sequence[Duel], reader: Person) -> ui.LayoutView:
    lines = [challenge_line(item.challenge, _link(item, item.post)) for item in found]
    told = list(within(ROOM_FOR_LINES, lines)) or ["Challenge somebody with `/infinity versus`."]
    view = receipt("Open challenges" if found else "No open challenges", told, COLOURS["neutral"])
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


def _again(press: Press, fields: Mapping[str, Any], usual: str) -> ui.View:
    """The button that opens the window again, with what was typed where the button's id has room for that."""
    name = (fields.get("name") or "").strip()
    attribute, mods, burst = ((fields.get(key) or "").strip() for key in ("attribute", "mods", "burst"))
    filled = _Filled(attribute, mods, burst, (fields.get("crits") or ["on"])[0], "" if name == usual else name)
    bare = f"{CHALLENGE}:{press.campaign_id}:{press.challenge_id}:answer"
    full = ":".join([bare, *(_kept(word) for word in filled)])
    view = ui.View(timeout=None)
    view.add_item(ui.Button(label="Try again", custom_id=full if len(full) <= MAX_ID else bare))
    return view


def _kept(word: str) -> str:
    """A word as an id holds it, where colons part the words."""
    return word.replace("%", "%25").replace(":", "%3A")


def _filled(words: Sequence[str]) -> _Filled:
    """What was typed before, out of the id of a button; nothing where it holds none."""
    return _Filled(*map(unquote, words)) if len(words) == len(_Filled._fields) else _Filled()


def _fields(filled: _Filled, usual: str) -> Iterator[ui.Label[ui.Modal]]:
    yield text_field("attribute", "Attribute, 0 to 99", placeholder="13", value=filled.attribute or None, limit=3)
    mods, label = filled.mods or None, "Modifiers with their signs"
    yield text_field("mods", label, placeholder="-6 -3 +3", value=mods, limit=100, needed=False)
    yield text_field("burst", "Burst: how many dice", value=filled.burst, limit=2, needed=False)
    crits: ui.Select[ui.Modal] = ui.Select(custom_id="crits")
    for label, word in (("Can have criticals", "on"), ("Cannot have criticals", "off")):
        crits.add_option(label=label, value=word, default=word == filled.crits)
    yield ui.Label(text="The skill", component=crits)
    yield text_field("name", "Who rolls", value=filled.name or usual, limit=parsing.MAX_NAME, needed=False)


def _typed(fields: dict[str, Any], usual: str) -> Entrant:
    """What was typed into the window.

    Raises:
        BadInput, RollError: a field cannot be used.

    """
    attribute = parsing.whole(fields.get("attribute"), "attribute")
    burst = parsing.whole(fields.get("burst"), "burst", 1)
    crits = (fields.get("crits") or ["on"])[0] != "off"
    side = Side(Skill(attribute, parsing.signed_numbers(fields.get("mods")), crits), burst)
    (name,) = parsing.names((fields.get("name") or "").strip() or usual, "name", 1)
    return Entrant(name, side)
