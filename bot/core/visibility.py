"""Through whose eyes saved units and characters are seen: who may know of which, and who may change them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import Connection

from bot.cogs.roster.traits import bearer
from bot.core import entries, profiles
from bot.core.campaigns import CHARACTERS, Campaign
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.subjects import unit
from bot.errors import BadInput, NotAllowed, NotOpen
from rules.errors import nearest


@dataclass(frozen=True, slots=True)
class Eyes:
    """Somebody looking at what a campaign has saved; `mine` is the person's pseudonym, if there is one."""

    person: Person
    campaign: Campaign
    mine: str | None

    def know(self, item: Profile) -> bool:
        """Whether the person may know of it: game masters of all, players of what is not secret or is their own."""
        if self.person.leads(self.campaign):
            return True
        return self.person.plays(self.campaign) and (not item.secret or self.own(item))

    def own(self, item: Profile) -> bool:
        """Whether it is the person's own."""
        return self.mine is not None and item.owner == self.mine

    def may_edit(self, item: Profile) -> bool:
        """Whether the person may change it: game masters all, players their own characters where that is open to them."""
        if self.person.leads(self.campaign):
            return True
        opened = CHARACTERS in self.campaign.players_may and self.person.plays(self.campaign)
        return opened and item.is_character and self.own(item)


def eyes(tx: Connection, person: Person, campaign: Campaign) -> Eyes:
    """The eyes of a person."""
    return Eyes(person, campaign, entries.pseudonym_of(tx, campaign.id, person.user_id))


def tag(item: Profile) -> str:
    """A short word for a saved unit or character, for the ids of components: names are too long for those."""
    return sha256(item.key.encode()).hexdigest()[:12]


def require_part(looking: Eyes) -> None:
    """Refuse those who take no part in the campaign.

    Raises:
        NotAllowed: the person is one of them.

    """
    if not (looking.person.leads(looking.campaign) or looking.person.plays(looking.campaign)):
        raise NotAllowed(f"You take no part in {looking.campaign.name}.", "Ask a game master for the player role.")


def require_editor(looking: Eyes, item: Profile) -> None:
    """Refuse to change what is not the person's to change.

    Raises:
        NotAllowed: it is somebody else's, or the campaign leaves it to the game masters.

    """
    if looking.may_edit(item):
        return
    if looking.own(item) and item.is_character:
        raise NotAllowed(
            f"In {looking.campaign.name} characters are edited by game masters.",
            f"They can open that to players with /campaign edit players_may:{CHARACTERS}.",
        )
    raise NotAllowed(f"{item.name} is not yours to edit.", "Ask a game master.")


def found_in(looking: Eyes, known: Mapping[str, Profile], who: str, name: str) -> Profile:
    """The unit or character of a name, among those that the person knows, by subject.

    Raises:
        NotAllowed: the person takes no part in the campaign.
        BadInput: there is none, or what has this name is the other of the two.

    """
    require_part(looking)
    item = known.get(unit(name))
    if item is None:
        alike = [other.name for other in known.values() if bearer(other.kind) == who]
        close = nearest(name, alike)
        hint = f"Did you mean {close}?" if close else f"See /{who} list for those there are."
        raise BadInput(f"There is no {who} {name[:60]!r}.", hint)
    if bearer(item.kind) != who:
        raise BadInput(f"{item.name} is a {bearer(item.kind)}.", f"Use /{bearer(item.kind)} for it.")
    return item


def tagged(tx: Connection, person: Person, campaign: Campaign, of: str) -> tuple[Eyes, Profile, list[Profile]]:
    """What a tag stands for, when the person may change it: the eyes, itself, and all that is saved.

    Raises:
        NotAllowed: the person may not change it.
        NotOpen: it is gone or has another name, as far as the person may know.

    """
    looking = eyes(tx, person, campaign)
    every = profiles.everyone(tx, campaign.id)
    item = next((item for item in every if tag(item) == of and looking.know(item)), None)
    if item is None:
        require_part(looking)
        raise NotOpen("That is gone, or it is called otherwise by now.", "See /unit list and /character list.")
    require_editor(looking, item)
    return looking, item, every
