"""What a bot answers a press with, from what Discord sends it of the pressed message."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from aiohttp import web

from bot.rolls.entries import DETAILS
from tests.bench.stub import serving
from tests.support.reading import components, press
from tests.wire.server import Use, Wire, adjutant, place

NEW, EDIT = 4, 7


class Listening(Wire):
    """It writes down the types of answers, and how many were asked back."""

    def __init__(self, *given: Any) -> None:  # noqa: ANN401 - as Wire
        super().__init__(*given)
        self.types: list[int] = []
        self.asked_back = 0

    async def _answer(self, request: web.Request, token: str, body: dict[str, Any]) -> web.Response:
        self.types.append(body.get("type", 0))
        self.asked_back += "with_response" in request.query
        return await super()._answer(request, token, body)


async def answered(use: Use) -> Any:  # noqa: ANN401 - a message
    """The answer to a use."""
    await use.answered.wait()
    return SimpleNamespace(**use.answers[-1])


async def test_a_card_is_edited_and_a_desk_stays(tmp_path: Path) -> None:
    """A card's select edits the card, a desk's button answers with a new message; and no answer is asked back."""
    async with serving(Listening(await place(tmp_path))) as wire, adjutant(wire, tmp_path):
        card = await answered(await wire.slash("patrol", patrol="Kilo", target="Ghost"))
        await answered(await wire.select(vars(card), press(card, "tick:target:0")))
        desk = await answered(await wire.slash("update show"))
        (week,) = (item for item in components(desk) if item.get("label", "").startswith("Roll week"))
        await answered(await wire.click(vars(desk), week["custom_id"]))

    types = [kind for kind in wire.types if kind in {NEW, EDIT}]
    assert types == [NEW, EDIT, NEW, NEW]
    assert wire.asked_back == 0


async def test_details_know_a_post_whose_result_is_not_saved_yet(tmp_path: Path) -> None:
    """They wait for it."""
    async with serving(Listening(await place(tmp_path))) as wire, adjutant(wire, tmp_path, claim=None):
        for number in range(8):  # most patrols find nothing, which is not posted
            use = await wire.slash("patrol", patrol=f"Patrol {number}", target=f"Ghost {number}", roll="now")
            rolled = await answered(use)
            details = await answered(await wire.click(vars(rolled), DETAILS.fill(campaign=1, number=use.entry)))
            assert "Waiting to be posted" not in json.dumps(vars(details))
