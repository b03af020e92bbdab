"""Everything people do that writes an entry, as small random functions."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import get_args

from msgspec.structs import replace

from bot.cogs.battles import service, units
from bot.cogs.battles import service as battles
from bot.cogs.battles.service import CheckOptions
from bot.cogs.battles.units import UnitFields
from bot.cogs.house_rules import service as house_rules
from bot.cogs.house_rules.sent_files import RulesPreview
from bot.cogs.writeups import queries as writeups
from bot.cogs.writeups.actions import Claim, EnterResult, Finish
from bot.cogs.writeups.queries import Result
from bot.core.scenes import SeenTurn
from bot.rolls.request import PartRequest, RollRequest
from rules.books.campaign.orders import AMBUSH
from rules.dice import DiceTerm, Roll
from tests.cogs.campaign_rolls.test_newtype import generation
from tests.cogs.captives import cells
from tests.cogs.complications.test_complications import battle
from tests.cogs.house_rules.homebrew import modifier, put_on, switch_off, table
from tests.cogs.roster import saving
from tests.cogs.roster.test_import import prepare_import, press_import
from tests.cogs.weather import seasons
from tests.support.backend import GM, House, patrol, scouting

PEOPLE, PLACES, UNITS = ("Amuro", "Kai"), ("Fort Anvil", "Luna"), ("Kilo", "Zaku")
EFFECTS = ("hidden", "scouted", "injured", "under-siege")
FIELDS = ({"side": "White"}, {"side": "Red"}, {"squad": "Kilo"}, {"squad": "none"}, {"secret": True})
COLUMNS = "name,kind,side,squad\n"


@dataclass(frozen=True)
class AnyDice:
    """Random dice."""

    draw: random.Random

    def roll(self, term: DiceTerm) -> Roll:
        """Throw them."""
        return Roll(term, tuple(self.draw.randint(1, term.sides) for _ in range(term.count)), "chance")


@dataclass(frozen=True)
class Table:
    """People in a house; `draw` picks who does what."""

    house: House
    draw: random.Random

    @property
    def someone(self) -> str:
        """A character."""
        return self.draw.choice(PEOPLE)

    async def roll(self, request: RollRequest) -> None:
        """Roll a request with random dice."""
        self.house.dice._script = AnyDice(self.draw)  # type: ignore[assignment] # faces that nobody wrote down
        await self.house.roll_as_they_fall(request)

    async def add_unit(self) -> None:
        """Save a unit, sometimes a secret one."""
        await saving.add(self.house, self.draw.choice(UNITS), "squad", secret=self.draw.random() < 0.2)

    async def add_character(self) -> None:
        """Save a character, sometimes in a squad."""
        await saving.add(self.house, self.someone, "pc", squad=self.draw.choice(("none", "Kilo")))

    async def patrol(self) -> None:
        """Roll a patrol, sometimes by a secret unit."""
        by, target = self.draw.sample(UNITS, 2)
        stance = self.draw.choice(("hostile", "friendly"))
        await self.roll(patrol(target, by=by, stance=stance, reason="Again"))

    async def scout(self) -> None:
        """Scout a base."""
        request = scouting(self.draw.choice(PLACES), self.draw.choice(UNITS))
        await self.roll(replace(request, reason="Again"))

    async def detect(self) -> None:
        """Roll to find a hidden one."""
        part = PartRequest(subjects={"detector": self.draw.choice(UNITS), "hider": self.someone})
        await self.roll(RollRequest(book="campaign", family="detection", parts=(part,), reason="Again"))

    async def newtype(self) -> None:
        """Roll a character's newtype level."""
        await self.roll(generation(self.someone, reason="Again"))

    async def complications(self) -> None:
        """Roll a battle's complications."""
        await self.roll(replace(battle("Zeon", "EF"), reason="Again"))

    async def take(self) -> None:
        """Take a captive."""
        await cells.capture(self.house, self.someone, "Red", self.draw.choice(PLACES))

    async def move(self) -> None:
        """Move a captive."""
        who = self.someone
        await cells.move(self.house, who, "Fort Anvil" if await self.prison(who) == "Luna" else "Luna")

    async def order(self) -> None:
        """Order a captive to escape."""
        await cells.order(self.house, self.someone)

    async def interrogate(self) -> None:
        """Interrogate a captive where it is held."""
        who = self.someone
        await self.roll(cells.interrogation(who, at=await self.prison(who), reason="Again"))

    async def escape(self) -> None:
        """Let a captive try to escape."""
        who = self.someone
        await self.roll(cells.escape(who, at=await self.prison(who), reason="Again"))

    async def prison(self, name: str) -> str:
        """Return where a captive is."""
        held = (await cells.show(self.house, name)).captivity
        return held.at.name if held else "Luna"

    async def release(self) -> None:
        """Let a captive go."""
        await cells.release(self.house, self.someone)

    async def week(self) -> None:
        """Roll a week of weather."""
        await seasons.roll(self.house, *(self.draw.randint(1, 20) for _ in range(40)))

    async def set_weather(self) -> None:
        """Set a zone's weather in the newest week or before the first."""
        span = await seasons.read_span(self.house) or (3, 3)
        category = self.draw.choice(("good", "6", "7"))
        await seasons.put(self.house, "australia", category, self.draw.choice([span[1], max(span[0] - 1, 0)]))

    async def climate(self) -> None:
        """Change what a category means for a region."""
        await seasons.edit(
            self.house, "good", "india", self.draw.choice(("fog", "storms")), land=self.draw.random() < 0.5
        )

    async def effect(self) -> None:
        """Set an effect."""
        await cells.set_effect(self.house, self.draw.choice((*PEOPLE, *PLACES, *UNITS)), self.draw.choice(EFFECTS))

    async def clear(self) -> None:
        """End an effect."""
        who, effect = self.draw.choice((*PEOPLE, *PLACES, *UNITS)), self.draw.choice(EFFECTS)
        await cells.clear_effect(self.house, who, effect)

    async def edit(self) -> None:
        """Change a character."""
        given = self.draw.choice(FIELDS) | {"fields": f"callsign: Owl {self.draw.randint(1, 99)}"}
        await saving.edit(self.house, self.someone, **given)

    async def rename(self) -> None:
        """Rename a unit or character."""
        names = self.draw.choice((PEOPLE, UNITS))
        old, new = self.draw.sample((*names, "Nova"), 2)
        await saving.edit(self.house, old, name=new)

    async def remove(self) -> None:
        """Remove a unit or character."""
        names = self.draw.choice((PEOPLE, UNITS))
        await saving.remove(self.house, self.draw.choice(names))

    async def imported(self) -> None:
        """Import a file of units and characters."""
        lines = self.draw.sample(["Kilo,squad,Red,\n", "Zaku,squad,,\n", "Amuro,pc,White,\n", "Kai,pc,,Kilo\n"], 2)
        waiting = await prepare_import(self.house, COLUMNS + "".join(lines))
        await press_import(self.house, waiting)

    async def begin_battle(self) -> None:
        """Begin a battle."""
        await self.house.database.write(
            battles.start, self.house.resolver, GM, self.house.campaign.id, "Ford", "Red, Blue"
        )

    async def join(self) -> None:
        """Let units join a battle."""
        side, unit = self.draw.choice((("Red", "Kilo"), ("Blue", "Zaku"), ("Blue", "Nova")))
        house, fields = self.house, UnitFields(side=side)
        await house.database.write(units.add, house.resolver, GM, house.campaign.id, "Ford", unit, fields)

    async def check_turn(self) -> None:
        """Check a turn's random events."""
        self.house.dice._script = AnyDice(self.draw)  # type: ignore[assignment] # faces that nobody wrote down
        options = CheckOptions("Ford", reason="Again")
        await self.house.database.write(service.roll_check, self.house.resolver, GM, self.house.campaign.id, options)

    async def end_turn(self) -> None:
        """End a turn."""
        await self.house.database.write(service.end_turn, self.house.resolver, GM, self.house.campaign.id, "Ford")

    async def end_battle(self) -> None:
        """Confirm the end of a battle."""
        known = (self.house.resolver, GM, self.house.campaign.id)
        asked = (await self.house.database.write(battles.end_battle, *known, "Ford")).battle
        assert asked is not None
        header = asked.header
        await self.house.database.write(battles.end_battle, *known, SeenTurn(header.entry, header.turn))

    async def rules_on(self) -> None:
        """Switch on a file of house rules."""
        name, text = self.draw.choice(
            (("loot", table()), ("loot", table(die="8")), ("ours", modifier("patrol.newtype", 7)), ("spoils", table()))
        )
        await put_on(self.house, name, text)

    async def rules_off(self) -> None:
        """Switch off a file of house rules."""
        name = self.draw.choice(("loot", "ours", "spoils"))
        shown = await house_rules.show(self.house.kernel, GM, self.house.campaign, name)
        if isinstance(shown, RulesPreview):  # not a table of another file
            await switch_off(self.house, name)

    async def close(self) -> None:
        """Close the update."""
        await self.house.close_update()

    async def claim(self) -> None:
        """Claim a write-up."""
        await self.house.act(Claim(number=await self.writeup()))

    async def written(self) -> None:
        """Enter that a write-up is done."""
        await self.house.act(Finish(number=await self.writeup()))

    async def result(self) -> None:
        """Enter a battle's result for its write-up."""
        await self.house.act(EnterResult(number=await self.writeup(), result=self.draw.choice(get_args(Result))))

    async def ambush(self) -> None:
        """Ambush someone, sometimes after a catch."""
        await cells.set_effect(self.house, self.draw.choice(UNITS), AMBUSH.removeprefix("effect."))

    async def writeup(self) -> str:
        """Return a waiting write-up, or none."""
        found = await self.house.database.read(writeups.list_page, GM, self.house.campaign, ("open", "claimed"))
        return self.draw.choice([item.number for item in found] or ["1"])


DEEDS: dict[str, Callable[[Table], Awaitable[None]]] = {
    name: deed for name, deed in vars(Table).items() if callable(deed) and not name.startswith("_")
    and name not in {"someone", "roll", "prison", "writeup"}
}  # fmt: skip
"""Every function above, by name."""
