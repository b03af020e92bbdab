"""Joining a war, game masters' settings and rulings, and what can't be undone."""

from collections.abc import Sequence
from functools import partial

import discord
from discord import ButtonStyle, ui
from msgspec import Struct
from sqlalchemy import Connection

from bot.client import Interaction
from bot.cogs.war import wars
from bot.core import campaigns, erasing, errors, permissions, profiles, records, state, subjects, visibility
from bot.core.ledger import Ledger
from bot.core.library import Library, list_active_files, read_texts
from bot.orders.entries import takes_part
from bot.rolls.answers import begin, open_roll
from bot.rolls.card.layout import ROLL, card_id
from bot.rolls.desk import TypedRoll, channels, desk_of
from bot.rolls.request import PartRequest, RollCommand
from bot.rolls.resolver import Resolver
from bot.ui import parsing, text
from bot.ui.receipt import receipt
from bot.ui.reply import person, say
from rules.book import Book
from rules.books.total_war import battles, storage
from rules.books.total_war.order_kinds import JOIN, MARK, RULE
from rules.books.total_war.rulings.units import describe_losses
from rules.errors import BookError
from rules.subjects import name_key


class NewMember(Struct, frozen=True):
    """A person who joins a faction: a member under a typed name, or by their own character's."""

    channels: Sequence[int]
    ledger: Ledger
    faction: str
    user_id: int
    callsign: str | None = None

    def command(self, tx: Connection, library: Library, person: permissions.Person) -> RollCommand:
        """Return the roll by which they join; makes a pseudonym if needed."""
        campaign = campaigns.locate_campaign(tx, person.guild_id, self.channels)
        seen = wars.require_war(tx, library, person, campaign)
        if self.user_id != person.user_id and not seen.leads:
            raise errors.NotAllowed("You can join only for yourself.", "Ask a game master to add other players.")
        faction = wars.find_faction(seen.war, self.faction)
        _require_new(tx, seen, self.user_id)
        owner = self.ledger.actor(tx, campaign, self.user_id)
        name = _callsign(tx, seen.viewer, owner, self.callsign)
        inputs = {"to": seen.war.factions[faction].name, "owner": owner}
        part = PartRequest(subjects={"player": name}, inputs=inputs)
        return RollCommand(self.channels, (wars.BOOK, JOIN), [part], campaign=campaign.id, scene=seen.subject)


async def join(
    interaction: Interaction, faction: str, player: discord.Member | None = None, callsign: str | None = None
) -> None:
    """Let a player join, and warn if their roles keep them from ordering."""
    who, ledger = player or interaction.user, interaction.client.ledger
    asked = NewMember(channels(interaction), ledger, faction, who.id, callsign)
    await begin(interaction, TypedRoll(asked.channels, asked.command), at_once=True)
    campaign = await desk_of(interaction).campaign(interaction)
    if player is not None and not takes_part(player, campaign):
        lines = [
            f"{player.mention} doesn't have the player role of {text.plain(campaign.name)}.",
            f"Give them the role <@&{campaign.player_role_id}>.",
        ]
        await say(interaction, view=receipt("They can't give orders yet", lines, text.COLOURS["neutral"]))


def _require_new(tx: Connection, seen: wars.RunningWar, user_id: int) -> None:
    before = erasing.find_earlier_pseudonyms(tx, seen.campaign.id, user_id)
    if not seen.leads and any(player.owner in before for player in seen.war.players.values()):
        raise errors.NotAllowed(
            "You were a commander in this war before your data was erased.", "Ask a game master to let you in again."
        )


def _callsign(tx: Connection, viewer: visibility.Viewer, owner: str, typed: str | None) -> str:
    everyone = [
        item for item in profiles.list_profiles(tx, viewer.campaign.id) if viewer.knows(item) or item.owner == owner
    ]
    own = [item for item in everyone if item.owner == owner and item.is_character]
    if typed is None:
        if len(own) != 1:
            names = ", ".join(item.name for item in own)
            what = f"Which of your characters: {names}?" if own else "You have no saved character."
            raise errors.BadInput(what, "Pick a name with “callsign”. A new name is saved as your character.")
        return own[0].name
    (name,) = parsing.names(typed, "callsign", 1)
    mine = subjects.choose_named(own, name)
    if mine is None and any(name_key(item.name) == name_key(name) for item in everyone):
        raise errors.BadInput(f"{name} is someone else's character.", "Choose another name or ask a game master.")
    return mine.name if mine else name


class TypedSetting(Struct, frozen=True):
    """A game master's setting or ruling; `note` is a setting's reason or a ruling's text."""

    channels: Sequence[int]
    family: str
    note: str
    what: str = ""
    to: str = ""

    @property
    def marks(self) -> str:
        """The part of a ruling that changes the war."""
        return "; ".join(found[0] for found in MARK.finditer(self.note))

    def command(self, tx: Connection, library: Library, person: permissions.Person) -> RollCommand:
        """Return the roll that sets it."""
        seen = self._war(tx, library, person)
        part = PartRequest(subjects={"war": seen.name}, inputs={"what": self.what, "to": self.to or self.marks})
        family = (wars.BOOK, self.family)
        return RollCommand(self.channels, family, [part], note=self.note, campaign=seen.campaign.id, scene=seen.subject)

    def doubts(self, tx: Connection, library: Library, person: permissions.Person) -> tuple[str, ...]:
        """Return warnings about what a ruling would remove; empty for settings."""
        seen = self._war(tx, library, person)
        return tuple(describe_losses(seen.rules, seen.war, self.marks)) if self.family == RULE else ()

    def _war(self, tx: Connection, library: Library, person: permissions.Person) -> wars.RunningWar:
        campaign = campaigns.locate_campaign(tx, person.guild_id, self.channels)
        permissions.require_game_master(person, campaign, "change a war")
        seen = wars.require_war(tx, library, person, campaign)
        battles.require_war_on(seen.war)
        return seen


async def apply_setting(interaction: Interaction, family: str, note: str, what: str = "", to: str = "") -> None:
    """Apply a setting or ruling; ask first if it would do much."""
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
    lines = [*map(text.plain, doubts), "-# The ruling isn't saved yet."]
    await say(interaction, view=receipt("Apply this ruling?", lines, text.COLOURS["neutral"], [button]))


FIRST = "Undo the later entries first (/ledger), or correct it with /gm-war set."


def list_dependents(change: records.Change) -> tuple[str, ...]:
    """Return beginnings of names of values that an undo also removes: "" (all) if a war began here."""
    before, after = change.before, change.after
    begins = change.name == storage.WAR and after and (before is None or before["entry"] != after["entry"])
    return ("",) if begins else ()


def require_sound(tx: Connection, resolver: Resolver, campaign: campaigns.Campaign, again: state.State) -> None:
    """Refuse an undo after which the war doesn't fit together."""
    for subject in sorted({subject for subject, _ in again if subject.startswith(f"{storage.WAR}:")}):
        kept = {name: value for (_, name), value in state.get_values(tx, campaign.id, {subject}).items()}
        changed = {name: value for (whose, name), value in again.items() if whose == subject}
        then = {name: value for name, value in {**kept, **changed}.items() if value is not None}
        same = (
            storage.WAR in kept and storage.WAR in then and kept[storage.SCENARIO] == then[storage.SCENARIO]
        )  # else it is gone, or another one
        book = _book(tx, resolver.library, campaign) if same else None
        found = storage.find_misfits(*storage.read(book, then), storage.read(book, kept)[1]) if book is not None else []
        if found:
            raise errors.NotAsItIs(f"That would break the war: {found[0]}.", FIRST)


def _book(tx: Connection, library: Library, campaign: campaigns.Campaign) -> Book | None:
    try:
        files = list_active_files(tx, campaign.id)
        return library.with_files(campaign, wars.BOOK, files, partial(read_texts, tx, campaign.id))
    except BookError:
        return None
