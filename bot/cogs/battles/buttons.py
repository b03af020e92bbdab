"""What comes next in a battle, as buttons, and the ids of all that is pressed about battles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from discord import ui

from bot.cogs.battles.transaction import may_command
from bot.core.campaigns import Campaign
from bot.core.permissions import Person
from bot.core.records import Entry
from bot.rolls.entry_body import calls
from bot.ui.components import IdTemplate
from rules.books.battlesystem.state import Battle

TURN = IdTemplate("events:{campaign:int}:turn:{battle:int}:{turn:int}")
"""The id of the button that ends a turn; the battle is told by the entry that began it, here and below."""

END = IdTemplate("events:{campaign:int}:end:{battle:int}:{turn:int}")
"""The id of the button that ends a battle as it was seen, in a turn."""

CHECK = IdTemplate("events:{campaign:int}:check:{battle:int}:{turn:int}")
"""The id of the button that checks the random events of a turn."""

AGAIN = IdTemplate("events:{campaign:int}:again:{battle:int}:{turn:int}:{mode:word}:{side:int}")
"""The id of the button that checks a turn once more, and of the window that asks why; side 0 is both, 1 the first."""

START = IdTemplate("events:{campaign:int}:start:{entry:int}.{part:int}")
"""The id of the button that starts the battle for which a part of a roll (entry) calls, and of its window."""

JOIN = IdTemplate("events:{campaign:int}:join:{battle:int}")
"""The id of the button that adds units to a battle, and of its window."""

CANCEL = IdTemplate("events:{campaign:int}:cancel:{battle:int}:{key:rest}")
"""The id of the button that cancels an event (its key) in a battle, and of the window that asks why."""

MAX_STARTS = 2


def starts(person: Person, campaign: Campaign, entry: Entry) -> Iterator[ui.Button[Any]]:
    """Yield the buttons that start the battles for which a roll calls, for game masters."""
    if not person.leads(campaign):
        return
    parts = entry.content()["parts"]
    called = [at for at, part in enumerate(parts) if any(calls(part, "battle"))]
    for at in called[:MAX_STARTS]:
        which = "the battle" if len(called) == 1 else f"battle {entry.number}.{at + 1}"
        key = START.fill(campaign=campaign.id, entry=entry.number, part=at)
        yield ui.Button(label=f"Start {which}", custom_id=key)


def steps(person: Person, campaign: Campaign, battle: Battle | None) -> Iterator[ui.Button[Any]]:
    """Yield what comes next in a battle, for whoever may do so: units, the check of the turn, its end."""
    if battle is None or not may_command(person, campaign):
        return
    header, key = battle.header, {"campaign": campaign.id, "battle": battle.header.entry}
    if header.checked:
        yield end_button(campaign.id, battle)
    elif battle.fighting:
        yield ui.Button(label=f"Check turn {header.turn}", custom_id=CHECK.fill(**key, turn=header.turn))
    if header.turn == 1 and not header.checked:
        yield ui.Button(label="Add units", custom_id=JOIN.fill(**key))


def end_button(campaign_id: int, battle: Battle) -> ui.Button[Any]:
    """Return the button that ends the turn of a battle."""
    turn = battle.header.turn
    key = TURN.fill(campaign=campaign_id, battle=battle.header.entry, turn=turn)
    return ui.Button(label=f"End turn {turn}", custom_id=key)
