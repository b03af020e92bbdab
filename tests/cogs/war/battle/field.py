"""A battle: the 11th Squadron against Zeon's 21st on 0,1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import simcord

from tests.cogs.war.front import Front, begun, example
from tests.support.prepared import prepared
from tests.support.reading import offers, press, response
from tests.support.world import World

AT = "0,1"
MOVED = {'at      = "1,-2"': 'at      = "0,-1"', 'at      = "-1,2"': 'at      = "0,1"'}


@dataclass
class Field:
    """Ann's u12 to u15 against Bo's u22 to u24."""

    front: Front

    @property
    def world(self) -> World:
        """The server."""
        return self.front.world

    @property
    def ann(self) -> simcord.MemberActor:
        """The Federation's commander."""
        return self.front.ann

    @property
    def bo(self) -> simcord.MemberActor:
        """Zeon's commander."""
        return self.front.bo

    async def do(self, who: simcord.MemberActor, deed: str, **options: str) -> simcord.InteractionResult:
        """Use a battle command, confirming the end of a half."""
        group = "gm-war" if deed in {"place", "condition"} else "battle"
        return await self.sure(who, await who.slash(self.world.orders, f"{group} {deed}", **options))

    async def ended(self, who: simcord.MemberActor, board: Any) -> simcord.InteractionResult:  # noqa: ANN401 - a message
        """Press End turn and confirm."""
        return await self.sure(who, await who.click(board, label="End turn"))

    @staticmethod
    async def sure(who: simcord.MemberActor, result: simcord.InteractionResult) -> simcord.InteractionResult:
        """Confirm the end of a half if asked."""
        asked = result.response
        if asked is not None and offers(asked, "sure"):
            return await who.click(asked, custom_id=press(asked, "sure"))
        return result

    async def lost(self) -> None:
        """Let Zeon withdraw to 0,2."""
        await self.bo.click(response(await self.do(self.bo, "withdraw")), label="Withdraw")
        await self.do(self.bo, "retreat", to="0,2")

    async def placed(self, **tiles: str) -> None:
        """Place units as the game master."""
        for unit, tile in tiles.items():
            await self.do(self.world.gm, "place", unit=unit, tile=tile)

    async def now(self, who: simcord.MemberActor, unit: str, *dice: tuple[int, int], **options: str) -> Any:  # noqa: ANN401 - a response
        """Act at once with these dice."""
        self.world.dice.script_dice(*dice)
        shown = response(await self.do(who, "act", unit=unit, roll="now", **options))
        self.world.dice.finish()
        return shown


@prepared
async def opened(world: World, force: str = "11th Squadron", changes: Mapping[str, str] | None = None) -> Field:
    """Begin a war in which an order opens a battle."""
    text = example()
    for old, new in (changes or MOVED).items():
        assert old in text
        text = text.replace(old, new, 1)
    front = await begun(world, text)
    await front.order(front.ann, "move", force, to=AT)
    await front.resolve()
    return Field(front)
