"""The window in which a challenge is answered, and what was typed into it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Self

from discord import ui
from msgspec import Struct
from msgspec.structs import asdict

from bot.cogs.infinity import ids
from bot.cogs.infinity.challenge_embed import challenger
from bot.cogs.infinity.sides import Contestant, side_of
from bot.cogs.infinity.store import Challenge
from bot.ui import parsing
from bot.ui.reply import text_field
from bot.ui.text import shorten


class AnswerDraft(Struct, frozen=True):
    """What stands in the window; an empty name is the one on the server."""

    attribute: str = ""
    mods: str = ""
    burst: str = "1"
    crits: str = "on"
    name: str = ""

    @classmethod
    def typed(cls, fields: Mapping[str, Any], usual_name: str) -> Self:
        """Return what a window was sent with."""
        attribute, mods, burst, name = (
            (fields.get(key) or "").strip() for key in ("attribute", "mods", "burst", "name")
        )
        crits = next(iter(fields.get("crits") or ()), "on")
        return cls(attribute, mods, burst, crits, "" if name == usual_name else name)

    def value(self) -> dict[str, str]:
        """Return it as the challenge's row keeps it."""
        return asdict(self)

    def contestant(self, usual_name: str) -> Contestant:
        """Return the side that was typed.

        Raises:
            BadInput, RollError: a field cannot be used.

        """
        attribute = parsing.whole(self.attribute, "attribute")
        burst = parsing.whole(self.burst, "burst", 1)
        side = side_of(attribute, self.mods, burst, self.crits)
        (name,) = parsing.names(self.name or usual_name, "name", 1)
        return Contestant(name, side, own=not self.name)


def answer_form(challenge: Challenge, draft: AnswerDraft, usual_name: str) -> ui.Modal:
    """Return the window, with what is to stand in it when it opens."""
    key = ids.ANSWERED.fill(campaign=challenge.campaign_id, challenge=challenge.id)
    form = ui.Modal(title=shorten(f"Against {challenger(challenge)}", 45), custom_id=key)
    for field in _fields(draft, usual_name):
        form.add_item(field)
    return form


def _fields(draft: AnswerDraft, usual_name: str) -> Iterator[ui.Label[ui.Modal]]:
    yield text_field("attribute", "Attribute, 0 to 99", placeholder="13", value=draft.attribute or None, limit=3)
    mods, label = draft.mods or None, "Modifiers with their signs"
    yield text_field("mods", label, placeholder="-6 -3 +3", value=mods, limit=100, needed=False)
    yield text_field("burst", "Burst: how many dice", value=draft.burst, limit=2, needed=False)
    crits: ui.Select[ui.Modal] = ui.Select(custom_id="crits")
    for text, word in (("Can have criticals", "on"), ("Cannot have criticals", "off")):
        crits.add_option(label=text, value=word, default=word == draft.crits)
    yield ui.Label(text="The skill", component=crits)
    yield text_field("name", "Who rolls", value=draft.name or usual_name, limit=parsing.MAX_NAME, needed=False)
