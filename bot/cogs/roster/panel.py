"""What the card of a saved unit or character does: shown, its traits picked, their numbers asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from bot.client import Interaction
from bot.cogs.roster import trait_view
from bot.cogs.roster.embed import list_embed, removed_embed
from bot.cogs.roster.service import Roster, Sheet
from bot.core.campaigns import Campaign
from bot.errors import BadInput, NotOpen
from bot.ui.reply import STALE, ask, number, person, promise, redraw, say, submitted
from rules.book import Trait


class RosterPanel:
    """Shows units and characters and takes what is picked on their cards."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster

    async def handle(self, interaction: Interaction, words: list[str]) -> None:
        """A component or window of a card, `traits:<campaign>:<tag>:<page>:<do>...`."""
        match words:
            case [campaign, of, page, do, *rest] if do in {"pick", "counts", "counted", "page"}:
                promise(interaction)
                whom, shown, told = (number(campaign), of), number(page), ":".join(rest)
            case _:
                raise NotOpen(*STALE)
        match do, rest:
            case "pick", [_, *_]:
                sheet = await self._pick(interaction, whom, told)
            case "counted", [chunk, seen]:
                sheet = await self._counted(interaction, whom, (number(chunk), seen))
            case "counts", [chunk]:
                await self._ask(interaction, whom, shown, number(chunk))
                return
            case "page", []:
                sheet = await self._roster.look(person(interaction), *whom)
            case _:
                raise NotOpen(*STALE)
        await redraw(interaction, trait_view.draw(sheet, shown))

    async def show(self, interaction: Interaction, sheet: Sheet) -> None:
        """Answer with the card of a unit or character."""
        await say(interaction, view=trait_view.draw(sheet))

    async def listing(
        self, interaction: Interaction, campaign: Campaign, what: str, kinds: Sequence[str], side: str | None
    ) -> None:
        """Answer with a list."""
        found = await self._roster.listed(person(interaction), campaign, kinds, side)
        await say(interaction, embed=list_embed(what, found))

    async def remove(self, interaction: Interaction, campaign: Campaign, what: str, name: str) -> None:
        """Remove a unit or character and say so."""
        item, entry = await self._roster.remove(person(interaction), campaign.id, what, name)
        await say(interaction, embed=removed_embed(item, entry))

    async def _pick(self, interaction: Interaction, whom: tuple[int, str], key: str) -> Sheet:
        data: Any = interaction.data or {}
        chosen = set(data.get("values") or ()) - {trait_view.NONE}
        return await self._roster.pick(person(interaction), *whom, key, chosen)

    async def _ask(self, interaction: Interaction, whom: tuple[int, str], page: int, chunk: int) -> None:
        sheet = await self._roster.look(person(interaction), *whom)
        if not trait_view.numbers(sheet, chunk):
            raise NotOpen(*STALE)
        await ask(interaction, trait_view.window(sheet, page, chunk))

    async def _counted(self, interaction: Interaction, whom: tuple[int, str], window: tuple[int, str]) -> Sheet:
        """Set the numbers that were changed in a window; those left as it showed them stay as they are by now."""
        sheet = await self._roster.look(person(interaction), *whom)
        fields, (chunk, seen) = submitted(interaction), window
        asked = zip(trait_view.numbers(sheet, chunk), seen.split(","), strict=False)
        told = {item: (_count(fields[item.id], item), was) for item, was in asked if item.id in fields}
        changed = {item.id: count for item, (count, was) in told.items() if str(count) != was}
        return await self._roster.count(person(interaction), *whom, changed)


def _count(typed: str, item: Trait) -> int:
    """A number as typed into a window.

    Raises:
        BadInput: it is none.

    """
    cleaned = typed.strip() or "0"
    if not re.fullmatch(r"[0-9]{1,6}", cleaned):
        raise BadInput(f"{typed!r} is no number.", f"Write how many there are of {item.label!r}, 0 for none.")
    return int(cleaned)
