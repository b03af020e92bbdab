"""Who joins a war and what game masters set and rule in it, what receipts add to that, and what can't be undone alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import discord
from discord import ButtonStyle, ui
from msgspec import Struct
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.war import wars
from bot.cogs.war.posts import FOUGHT
from bot.cogs.war.wars import BOOK, RunningWar, find_faction, require_war
from bot.core import erasing, profiles, state, subjects
from bot.core.campaigns import Campaign, locate_campaign
from bot.core.ledger import Ledger
from bot.core.library import Library, list_active_files, read_texts
from bot.core.permissions import Person, require_game_master
from bot.core.records import Change
from bot.core.state import State
from bot.core.visibility import Viewer
from bot.errors import BadInput, NotAllowed, NotAsItIs
from bot.orders.ids import PLAN
from bot.rolls.answers import begin, open_roll
from bot.rolls.card.layout import ROLL, card_id
from bot.rolls.desk import TypedRoll, channels, desk_of
from bot.rolls.extension import Afterwards
from bot.rolls.request import PartRequest, RollCommand
from bot.rolls.resolver import Resolver, Rolled
from bot.ui import parsing
from bot.ui.colours import COLOURS
from bot.ui.receipt import receipt
from bot.ui.reply import AnyInteraction, person, say
from bot.ui.text import code, fit_lines, listing, plain
from rules.book import Book
from rules.books.total_war import storage
from rules.books.total_war.battles import require_war_on
from rules.books.total_war.order_kinds import JOIN, MARK, RULE, SET
from rules.books.total_war.rulings.units import describe_losses
from rules.books.total_war.storage import SCENARIO, WAR, find_misfits
from rules.errors import BookError
from rules.subjects import name_key

ROOM = 1000
"""Characters of a receipt for all that followed; the posts have the whole of it."""


class Joining(Struct, frozen=True):
    """Who is to join which faction, as typed in channels: a member (id) under a name; their own character where none is typed."""

    channels: Sequence[int]
    ledger: Ledger
    faction: str
    user_id: int
    callsign: str | None = None

    def command(self, tx: Connection, library: Library, person: Person) -> RollCommand:
        """Return the roll by which they join, with their pseudonym, which is made where there is none yet."""
        campaign = locate_campaign(tx, person.guild_id, self.channels)
        seen = require_war(tx, library, person, campaign)
        if self.user_id != person.user_id and not seen.leads:
            raise NotAllowed("You can join only for yourself.", "Ask a game master to add other players.")
        faction = find_faction(seen.war, self.faction)
        _require_new(tx, seen, self.user_id)
        owner = self.ledger.actor(tx, campaign, self.user_id)
        name = _callsign(tx, seen.viewer, owner, self.callsign)
        inputs = {"to": seen.war.factions[faction].name, "owner": owner}
        part = PartRequest(subjects={"player": name}, inputs=inputs)
        return RollCommand(self.channels, (BOOK, JOIN), [part], campaign=campaign.id, scene=seen.subject)


async def join(
    interaction: Interaction, faction: str, player: discord.Member | None = None, callsign: str | None = None
) -> None:
    """Let a player join; say when a member without the player role can't give orders yet."""
    asked = Joining(
        channels(interaction), interaction.client.ledger, faction, (player or interaction.user).id, callsign
    )
    await begin(interaction, TypedRoll(asked.channels, asked.command), at_once=True)
    campaign = await desk_of(interaction).campaign(interaction)
    if player is not None and not _takes_part(player, campaign):
        lines = [
            f"{player.mention} doesn't have the player role of {plain(campaign.name)}.",
            f"Give them the role <@&{campaign.player_role_id}>.",
        ]
        await say(interaction, view=receipt("They can't give orders yet", lines, COLOURS["neutral"]))


def _takes_part(member: discord.Member, campaign: Campaign) -> bool:
    roles = frozenset(role.id for role in member.roles)
    return Person(member.id, member.guild.id, roles, manages_server=False).takes_part(campaign)


def _require_new(tx: Connection, seen: RunningWar, user_id: int) -> None:
    """Refuse a commander whose data was erased since; a game master may let them in."""
    before = erasing.find_earlier_pseudonyms(tx, seen.campaign.id, user_id)
    if not seen.leads and any(player.owner in before for player in seen.war.players.values()):
        raise NotAllowed(
            "You were a commander in this war before your data was erased.", "Ask a game master to let you in again."
        )


def describe_welcome(seen: RunningWar, name: str) -> Iterator[str]:
    """Yield in markdown who leads the faction that a player has joined, what they command, and what they can do next."""
    player = seen.war.players.get(name)
    if player is None or player.faction is None:
        return
    side = seen.war.factions[player.faction]
    called, own = plain(side.name), [plain(item.name) for item in seen.war.forces.values() if item.commander == name]
    if side.leader == name:
        yield f"{plain(name)} leads {called} and can build, buy, promote and hand out forces."
    else:
        yield (
            f"{plain(side.leader)} leads {called}."
            if side.leader
            else f"{called} has no leader. A game master appoints one."
        )
    yield (
        f"{plain(name)} commands {listing(own)}."
        if own
        else f"{plain(name)} has no force yet{'' if side.leader == name else '. The leader hands them out'}."
    )
    yield f"-# Next: `/war map`, {code(f'/war show what:{side.name}')}, then `/order give` before the turn is resolved."


def _callsign(tx: Connection, viewer: Viewer, owner: str, typed: str | None) -> str:
    """Return the name of a player in a war: a character of theirs, or a name that no other character the viewer knows has."""
    everyone = [
        item for item in profiles.list_profiles(tx, viewer.campaign.id) if viewer.knows(item) or item.owner == owner
    ]
    own = [item for item in everyone if item.owner == owner and item.is_character]
    if typed is None:
        if len(own) != 1:
            names = ", ".join(item.name for item in own)
            what = f"Which of your characters: {names}?" if own else "You have no saved character."
            raise BadInput(what, "Pick a name with “callsign”. A new name is saved as your character.")
        return own[0].name
    (name,) = parsing.names(typed, "callsign", 1)
    mine = subjects.choose_named(own, name)
    if mine is None and any(name_key(item.name) == name_key(name) for item in everyone):
        raise BadInput(f"{name} is someone else's character.", "Choose another name or ask a game master.")
    return mine.name if mine else name


class TypedSetting(Struct, frozen=True):
    """What a game master sets or rules in channels: the family, the reason or the ruling itself (`note`), and what is set to what."""

    channels: Sequence[int]
    family: str
    note: str
    what: str = ""
    to: str = ""

    @property
    def marks(self) -> str:
        """What of a ruling changes the war."""
        return "; ".join(found[0] for found in MARK.finditer(self.note))

    def command(self, tx: Connection, library: Library, person: Person) -> RollCommand:
        """Return the roll that sets it."""
        seen = self._war(tx, library, person)
        part = PartRequest(subjects={"war": seen.name}, inputs={"what": self.what, "to": self.to or self.marks})
        family = (BOOK, self.family)
        return RollCommand(self.channels, family, [part], note=self.note, campaign=seen.campaign.id, scene=seen.subject)

    def doubts(self, tx: Connection, library: Library, person: Person) -> tuple[str, ...]:
        """Return what a ruling would do that is asked about first."""
        seen = self._war(tx, library, person)
        return tuple(describe_losses(seen.rules, seen.war, self.marks)) if self.family == RULE else ()

    def _war(self, tx: Connection, library: Library, person: Person) -> RunningWar:
        campaign = locate_campaign(tx, person.guild_id, self.channels)
        require_game_master(person, campaign, "change a war")
        seen = require_war(tx, library, person, campaign)
        require_war_on(seen.war)
        return seen


async def apply_setting(interaction: Interaction, family: str, note: str, what: str = "", to: str = "") -> None:
    """Set something, or rule, as a game master; ask first about a ruling that would do much."""
    bot, asked = interaction.client, TypedSetting(tuple(channels(interaction)), family, note, what, to)
    typed = TypedRoll(asked.channels, asked.command)
    doubts = await bot.database.read(asked.doubts, bot.library, person(interaction))
    if not doubts:
        await begin(interaction, typed, at_once=True)
        return
    card = await bot.database.write(open_roll, bot.resolver, person(interaction), typed)
    button: ui.Button[ui.LayoutView] = ui.Button(
        label="Apply ruling", style=ButtonStyle.danger, custom_id=card_id(ROLL, card, 0)
    )
    lines = [*map(plain, doubts), "-# The ruling isn't saved yet."]
    await say(interaction, view=receipt("Apply this ruling?", lines, COLOURS["neutral"], [button]))


FIRST = "Undo the later entries first (/ledger list), or correct it with /war set."


def list_dependents(change: Change) -> tuple[str, ...]:
    """Return the values that go when a war's beginning is undone: all of it. A later war of the same name is another one."""
    before, after = change.before, change.after
    begins = change.name == WAR and after and (before is None or before["entry"] != after["entry"])
    return ("",) if begins else ()


def require_sound(tx: Connection, resolver: Resolver, campaign: Campaign, again: State) -> None:
    """Refuse to take entries back where what stays of a war doesn't fit together; `again` are the values after it."""
    for subject in sorted({subject for subject, _ in again if subject.startswith(f"{WAR}:")}):
        kept = {name: value for (_, name), value in state.get_values(tx, campaign.id, {subject}).items()}
        changed = {name: value for (whose, name), value in again.items() if whose == subject}
        then = {name: value for name, value in {**kept, **changed}.items() if value is not None}
        same = WAR in kept and WAR in then and kept[SCENARIO] == then[SCENARIO]  # else it is gone, or another one
        book = _book(tx, resolver.library, campaign) if same else None
        found = find_misfits(*storage.read(book, then), storage.read(book, kept)[1]) if book is not None else []
        if found:
            raise NotAsItIs(f"That would break the war: {found[0]}.", FIRST)


def _book(tx: Connection, library: Library, campaign: Campaign) -> Book | None:
    """Return the book of wars with the house rules that are on; None where these don't fit any more."""
    try:
        files = list_active_files(tx, campaign.id)
        return library.with_files(campaign, BOOK, files, partial(read_texts, tx, campaign.id))
    except BookError:
        return None


ENDS = "No battle is left, so the turn can end."


async def list_receipt_extras(interaction: AnyInteraction, rolled: Rolled) -> Afterwards:
    """Return what receipts add: all results of a setting or ruling, what comes next for who joins, and that the last battle of a turn is over."""
    bot, body = interaction.client, rolled.entry.content()
    if body["family"] in {SET, RULE}:
        lines = [plain(step["text"]) for part in body["parts"] for step in part["steps"]]
        return Afterwards(lines=tuple(fit_lines(ROOM, lines)))
    if FOUGHT in body:
        return await _after_act(interaction, rolled)
    if body["family"] != JOIN:
        return Afterwards()
    seen = await bot.database.read(wars.require_war, bot.library, person(interaction), rolled.campaign)
    return Afterwards(lines=tuple(describe_welcome(seen, body["parts"][0]["subjects"]["player"])))


async def _after_act(interaction: AnyInteraction, rolled: Rolled) -> Afterwards:
    """Return what comes next once no battle is left, to a game master: others may not know that none is."""
    bot, body, who = interaction.client, rolled.entry.content(), person(interaction)
    record = body["parts"][0]["record"]
    if record.get("halves") or record.get("retreats") or not who.leads(rolled.campaign):
        return Afterwards()
    seen = await bot.database.read(wars.find_war, bot.library, who, rolled.campaign)
    update = body["update"]["number"]
    if seen is None or seen.war.winner is not None or seen.war.update == update:  # a turn ends once in an update
        return Afterwards()
    key = PLAN.fill(campaign=rolled.campaign.id, number=update)
    return Afterwards(lines=(ENDS,), steps=(ui.Button(label="Resolve", custom_id=key),))
