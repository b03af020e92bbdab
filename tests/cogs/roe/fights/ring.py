"""Set-ups for fights: two players and a game master."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import simcord

from bot.app import KINDS
from bot.core import audit
from tests.support.prepared import prepared
from tests.support.reading import components, newest, offers, press, refused, response, text
from tests.support.world import World, nothing_written, rows, send_raw

Actor = simcord.MemberActor
KAI, CHAR, GUARD, SHADOW = "Kai", "Char", "Guard", "Shadow"
TRIANGLE = "\N{BLACK RIGHT-POINTING TRIANGLE}"


@dataclass
class Ring:
    """A campaign that plays RoE: Kai is the player's, Char the rival's; no player has the Guard or secret Shadow."""

    world: World
    rival: simcord.MemberActor

    @property
    def player(self) -> simcord.MemberActor:
        """The player of Kai."""
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
        """Use a command of `/fight`, or a button of `/fight show`; default: the game master, in #orders."""
        if command in {"mode", "lock", "order"}:
            return await self._press_shown(command, actor or self.gm, options)
        return await (actor or self.gm).slash(channel or self.world.orders, f"fight {command}", **options)

    async def _press_shown(self, command: str, actor: Actor, typed: Mapping[str, Any]) -> simcord.InteractionResult:
        shown = await self.gm.slash(self.world.orders, "fight show")
        if not offers(response(shown), "order:"):
            return shown
        key = press(response(shown), "order:")
        if command != "order":
            shown_keys = [item.get("custom_id", "") for item in components(response(shown))]
            keys = [key for key in shown_keys if ":propose:" in key]
            wanted = (":lock", ":open") if command == "lock" else (":dice", ":freeform")
            key = next((key for key in keys if key.endswith(wanted)), keys[0].replace(":lock", ":freeform"))
        if not typed and actor is not self.gm:
            return await send_raw(actor, self.world.orders, key)
        fields = [{"type": 4, "custom_id": name, "value": value} for name, value in (typed or {"reason": ""}).items()]
        filled = {"custom_id": key, "components": [{"type": 18, "component": field} for field in fields]}
        return await actor._dispatch_interaction(5, self.world.orders, filled)

    async def run(self, command: str, actor: Actor | None = None, **options: Any) -> str:  # noqa: ANN401 - as above
        """Use a command, and return all answers."""
        return read_answers(await self.use(command, actor, **options))

    async def fail(self, command: str, actor: Actor | None = None, **options: Any) -> str:  # noqa: ANN401 - as above
        """Return what a command is refused with, without an entry."""
        with nothing_written(self.world):
            return refused(await self.use(command, actor, **options))

    async def click(self, deed: str, actor: Actor, on: Any = None) -> simcord.InteractionResult:  # noqa: ANN401 - as above
        """Press a button of the newest post that has it; confirm the end of an unspent turn."""
        message = on or self.newest_with(deed)
        result = await actor.click(message, custom_id=press(message, deed))
        asked = result.response
        if deed == "turn" and asked is not None and offers(asked, "sure"):
            return await actor.click(asked, custom_id=press(asked, "sure"))
        return result

    async def again(self, message: Any, deed: str, actor: Actor) -> str:  # noqa: ANN401 - as above
        """Press a button that a message had earlier, and return the refusal."""
        return refused(await send_raw(actor, self.world.orders, press(message, deed)))

    async def save(self, fields: Mapping[str, str]) -> None:
        """Set characters' fields, by name."""
        for name, typed in fields.items():
            await self.gm.slash(self.world.orders, "roster edit", name=name, fields=typed)

    async def begin(self, who: str = f"{KAI}, {CHAR}", **options: Any) -> str:  # noqa: ANN401 - as above
        """Begin a fight with dice; return the newest post."""
        assert "Done" in await self.run("start", who=who, **options)
        assert "Done" in read_answers(await self.click("choose", self.gm))
        return self.read_newest()

    async def end_turn(self, actor: Actor) -> str:
        """Press the newest End turn; return the answer."""
        return read_answers(await self.click("turn", actor))

    def read_newest(self) -> str:
        """Return the newest message of #orders."""
        return text(newest(self.world.orders))

    def newest_with(self, deed: str) -> Any:  # noqa: ANN401 - a message
        """Return the newest message of #orders with this button."""
        found = [message for message in self.world.orders.history() if offers(message, deed)]
        return found[-1]

    async def show(self, actor: Actor | None = None) -> str:
        """Return what `/fight show` says."""
        return await self.run("show", actor)

    async def sound(self) -> bool:
        """Whether the ledger is whole and matches the state."""
        return [item.faults for item in await audit.check_ledgers(self.world.bots[-1].database, KINDS)] == [()]

    def number(self, name: str) -> int:
        """Return a fighter's number."""
        found: int = rows(self.world, "select id from subject where name = ?", name)[0][0]
        return found

    def read_state(self) -> list[Any]:
        """Return the whole state, without void marks."""
        kept = rows(self.world, "select subject, name, value from state where name != 'voided' order by subject, name")
        return [(subject, name, json.loads(value)) for subject, name, value in kept]


@prepared
async def open_ring(world: World) -> Ring:
    """Set up the campaign of a ring."""
    rival = world.guild.add_member(world.env.create_user("rival"), roles=[world.roles["player"]])
    await world.gm.slash(world.orders, "gm settings", books="campaign, roe")
    for name, more in (
        (KAI, {"owner": world.player}),
        (CHAR, {"owner": rival}),
        (GUARD, {}),
        (SHADOW, {"secret": True}),
    ):
        await world.gm.slash(world.orders, "roster add", name=name, **{"kind": "pc", **more})
    return Ring(world, rival)


def read_answers(result: simcord.InteractionResult) -> str:
    """Return all answers of an interaction."""
    return "\n".join(text(answer) for answer in (response(result), *result.followups))
