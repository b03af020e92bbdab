"""Who joins a war: a player under the name of a character, in a faction."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from sqlalchemy import Connection

from bot.cogs.war.wars import BOOK, RunningWar, known_faction, on
from bot.core import profiles, subjects, tombstones
from bot.core.campaigns import locate
from bot.core.ledger import Ledger
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.visibility import Viewer
from bot.errors import BadInput, NotAllowed
from bot.rolls.request import PartRequest, RollCommand
from bot.ui import parsing
from bot.ui.text import code, listing, plain
from rules.books.total_war.order_kinds import JOIN
from rules.subjects import name_key


class Joining(Struct, frozen=True):
    """Who is to join which faction, as typed: a member (id) under a name; their own character where none is typed."""

    faction: str
    user_id: int
    callsign: str | None = None


def command_of(
    ledger: Ledger, asked: Joining, channels: tuple[int, ...], tx: Connection, library: Library, person: Person
) -> RollCommand:
    """Return how somebody joins; whoever does has a pseudonym in the campaign from then on."""
    campaign = locate(tx, person.guild_id, channels)
    seen = on(tx, library, person, campaign)
    if asked.user_id != person.user_id and not seen.leads:
        raise NotAllowed("You can join only for yourself.", "Ask a game master to add other players.")
    faction = known_faction(seen.war, asked.faction)
    _require_new(tx, seen, asked.user_id)
    owner = ledger.actor(tx, campaign, asked.user_id)
    name = _callsign(tx, seen.viewer, owner, asked.callsign)
    inputs = {"to": seen.war.factions[faction].name, "owner": owner}
    part = PartRequest(subjects={"player": name}, inputs=inputs)
    return RollCommand(channels, (BOOK, JOIN), [part], campaign=campaign.id, scene=seen.subject)


def _require_new(tx: Connection, seen: RunningWar, user_id: int) -> None:
    """Refuse who has commanded in a war and was erased since. A game master may let them in."""
    before = tombstones.earlier(tx, seen.campaign.id, user_id)
    if not seen.leads and any(player.owner in before for player in seen.war.players.values()):
        raise NotAllowed(
            "You were a commander in this war before your data was erased.", "Ask a game master to let you in again."
        )


def welcome(seen: RunningWar, name: str) -> Iterator[str]:
    """Yield in markdown who leads the faction that somebody has joined, what is theirs to command, and what they can do next."""
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
    """Return as whom somebody is in a war: a character of theirs, or a name that nobody has of whom the viewer may know."""
    everyone = [item for item in profiles.everyone(tx, viewer.campaign.id) if viewer.knows(item) or item.owner == owner]
    own = [item for item in everyone if item.owner == owner and item.is_character]
    if typed is None:
        if len(own) != 1:
            names = ", ".join(item.name for item in own)
            what = f"Which of your characters: {names}?" if own else "You have no saved character."
            raise BadInput(what, "Pick a name with “callsign”. A new name is saved as your character.")
        return own[0].name
    (name,) = parsing.names(typed, "callsign", 1)
    mine = subjects.one_of(own, name)
    if mine is None and any(name_key(item.name) == name_key(name) for item in everyone):
        raise BadInput(f"{name} is someone else's character.", "Choose another name or ask a game master.")
    return mine.name if mine else name
