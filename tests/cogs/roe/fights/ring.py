"""Fights for tests: two players and a game master, who begin and fight them as people do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import simcord

from bot.app import KINDS
from bot.core import audit
from tests.support.prepared import prepared
from tests.support.reading import newest, offers, press, refused, response, text
from tests.support.world import World, nothing_written, rows, send_raw

Actor = simcord.MemberActor
KAI, CHAR, GUARD, SHADOW = "Kai", "Char", "Guard", "Shadow"
TRIANGLE = "\N{BLACK RIGHT-POINTING TRIANGLE}"


@dataclass
class Ring:
    """A campaign that plays RoE: Kai is the player's, Char the rival's, the Guard nobody's, and Shadow is secret and nobody's."""

    world: World
    rival: simcord.MemberActor

    @property
    def player(self) -> simcord.MemberActor:
        """Who plays Kai."""
        return self.world.player

    @property
    def gm(self) -> simcord.MemberActor:
        """The game master."""
        return self.world.gm

    async def use(
        self,
        command: str,
        actor: Actor | None = None,
        channel: simcord.ChannelHandle | None = None,
        **options: Any,  # noqa: ANN401 - as simcord takes them
    ) -> simcord.InteractionResult:
        """Use a command of `/fight`; the game master does, in #orders, unless said otherwise."""
        return await (actor or self.gm).slash(channel or self.world.orders, f"fight {command}", **options)

    async def told(self, command: str, actor: Actor | None = None, **options: Any) -> str:  # noqa: ANN401 - as above
        """All that a command is answered with."""
        return told(await self.use(command, actor, **options))

    async def denied(self, command: str, actor: Actor | None = None, **options: Any) -> str:  # noqa: ANN401 - as above
        """What a command is refused with, when it has written nothing."""
        with nothing_written(self.world):
            return refused(await self.use(command, actor, **options))

    async def click(self, deed: str, actor: Actor, on: Any = None) -> simcord.InteractionResult:  # noqa: ANN401 - as above
        """Press the button of a deed, under the newest post in #orders unless it's on another message; a turn ends although something of it is unspent."""
        message = on or self.newest_with(deed)
        result = await actor.click(message, custom_id=press(message, deed))
        asked = result.response
        if deed == "turn" and asked is not None and offers(asked, "sure"):
            return await actor.click(asked, custom_id=press(asked, "sure"))
        return result

    async def again(self, message: Any, deed: str, actor: Actor) -> str:  # noqa: ANN401 - as above
        """What a button is refused with that a message had, as a telephone shows it that has not heard of later."""
        return refused(await send_raw(actor, self.world.orders, press(message, deed)))

    async def save(self, fields: Mapping[str, str]) -> None:
        """Set fields of characters, by their names."""
        for name, typed in fields.items():
            await self.gm.slash(self.world.orders, "character edit", name=name, fields=typed)

    async def begun(self, who: str = f"{KAI}, {CHAR}", **options: Any) -> str:  # noqa: ANN401 - as above
        """Begin a fight and let the defender choose dice; return what the channel reads last."""
        assert "Done" in await self.told("start", who=who, **options)
        assert "Done" in told(await self.click("choose", self.gm))
        return self.posted()

    async def ended(self, actor: Actor) -> str:
        """Press End turn under the newest post that has it; return the answer."""
        return told(await self.click("turn", actor))

    def posted(self) -> str:
        """What the newest message of #orders says."""
        return text(newest(self.world.orders))

    def newest_with(self, deed: str) -> Any:  # noqa: ANN401 - a message
        """The newest message of #orders with a button for a deed."""
        found = [message for message in self.world.orders.history() if offers(message, deed)]
        return found[-1]

    async def shown(self, actor: Actor | None = None) -> str:
        """What `/fight show` says."""
        return await self.told("show", actor)

    async def sound(self) -> bool:
        """Whether the ledger is whole and the state is what it adds up to."""
        return [item.faults for item in await audit.check_ledgers(self.world.bots[-1].database, KINDS)] == [()]

    def number(self, name: str) -> int:
        """The number of a fighter."""
        found: int = rows(self.world, "select id from subject where name = ?", name)[0][0]
        return found

    def kept(self) -> list[Any]:
        """All that the state keeps, but for which entries are void."""
        kept = rows(self.world, "select subject, name, value from state where name != 'voided' order by subject, name")
        return [(subject, name, json.loads(value)) for subject, name, value in kept]


@prepared
async def opened(world: World) -> Ring:
    """The campaign of a ring."""
    rival = world.guild.add_member(world.env.create_user("rival"), roles=[world.roles["player"]])
    await world.gm.slash(world.orders, "campaign edit", books="campaign, roe")
    for name, more in (
        (KAI, {"owner": world.player}),
        (CHAR, {"owner": rival}),
        (GUARD, {}),
        (SHADOW, {"secret": True}),
    ):
        await world.gm.slash(world.orders, "character add", name=name, **more)
    return Ring(world, rival)


def told(result: simcord.InteractionResult) -> str:
    """All that an interaction was answered with, in however many messages."""
    return "\n".join(text(answer) for answer in (response(result), *result.followups))
