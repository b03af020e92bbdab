"""Reading what the bot shows, as a person would: text, options, buttons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import discord
import simcord

from bot.outbox.queue import remove_mark
from bot.rolls.fairness.disclosure import THREAD
from bot.ui.text import BAR_CELLS


def components(message: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - a response or a message
    """Every component of a response, outermost first."""
    waiting: list[Any] = [item if isinstance(item, dict) else item.to_dict() for item in message.components]
    while waiting:
        component = waiting.pop(0)
        yield component
        beside = [component["accessory"]] if "accessory" in component else []
        waiting = [*component.get("components", []), *beside, *waiting]


def text(message: Any) -> str:  # noqa: ANN401
    """All that a message says: content, embeds and text displays."""
    said = [message.content]
    for embed in message.embeds:
        said += [embed.title or "", embed.description or "", embed.footer.text or ""]
    said += [component["content"] for component in components(message) if component["type"] == 10]
    return remove_mark("\n".join(said))


def footer(embed: discord.Embed) -> str:
    """The footer of an embed."""
    return remove_mark(embed.footer.text or "")


def response(result: simcord.InteractionResult) -> simcord.ResponseMessage:
    """The answer to an interaction, which there must be."""
    assert result.response is not None, result
    return result.response


def said(result: simcord.InteractionResult) -> str:
    """What an interaction was answered with."""
    return text(response(result))


def assert_says(told: str, *words: str) -> None:
    """Claim that a text has all of these."""
    missing = [each for each in words if each not in told]
    assert not missing, told


def assert_lacks(told: str, *words: str) -> None:
    """Claim that a text has none of these."""
    found = [each for each in words if each in told]
    assert not found, told


def refused(result: simcord.InteractionResult) -> str:
    """What a private refusal says; fails when the answer is public or is no refusal."""
    answer = (result.followups or [response(result)])[-1]
    assert answer.ephemeral, "a refusal must be private"
    assert answer.embeds, text(answer)
    assert answer.embeds[0].colour == discord.Colour(0xC8453B), text(answer)
    return text(answer)


def labels(message: Any) -> list[str]:  # noqa: ANN401 - a response or a message
    """What stands on the buttons of a message."""
    return [item["label"] for item in components(message) if item["type"] == 2]


def control(message: Any, deed: str) -> dict[str, Any]:  # noqa: ANN401
    """The component of a card whose id does this deed, such as `roll` or `tick:target:0`; behind More one select is for several groups."""
    deeds = (deed, "tick:+:0") if deed.startswith("tick:") else (deed,)
    found = [item for deed in deeds for item in components(message) if f":{deed}" in item.get("custom_id", "")]
    assert found, f"no component does {deed!r}"
    return found[0]


def press(message: Any, deed: str) -> str:  # noqa: ANN401
    """The custom id to click for a deed."""
    key: str = control(message, deed)["custom_id"]
    return key


def ticked(message: Any, group: str) -> set[str]:  # noqa: ANN401
    """The values that are ticked in a card's select."""
    return {item["value"] for item in control(message, f"tick:{group}:0")["options"] if item.get("default")}


def newest(channel: simcord.ChannelHandle) -> discord.Message:
    """The newest message of a channel, which there must be."""
    message = channel.last_message
    assert message is not None, f"#{channel.name} is empty"
    return message


def option(message: Any, deed: str, value: str) -> dict[str, Any]:  # noqa: ANN401
    """One option of a select of a card."""
    found: dict[str, Any] = next(item for item in control(message, deed)["options"] if item["value"] == value)
    return found


def offers(message: Any, deed: str) -> bool:  # noqa: ANN401
    """Whether a card has a component for a deed."""
    return any(f":{deed}" in item.get("custom_id", "") for item in components(message))


def odds(message: Any) -> dict[str, str]:  # noqa: ANN401
    """The odds that a card shows: outcome to percent; each with its bar."""
    lines = text(message).partition("**Exact odds**")[2].splitlines()[1:]
    found = {}
    for line in lines:
        if line.startswith("`"):
            bar, _, rest = line.removeprefix("`").partition("` **")
            assert len(bar) == BAR_CELLS, line
            percent, _, outcome = rest.partition("** ")
            found[outcome] = percent
    return found


def threads(channel: simcord.ChannelHandle) -> list[simcord.ChannelHandle]:
    """The threads under a channel's messages, but for the audit thread."""
    return [item for item in channel.threads if item.name != THREAD]
