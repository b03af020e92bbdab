"""What people do with roll cards, in few words."""

from __future__ import annotations

from typing import Any

import simcord

from rules.subjects import name_key
from tests.support.reading import components, control, labels, offers, press, response, said, text
from tests.support.world import World, send_raw


async def roll_command(
    world: World,
    command: str,
    *faces: int,
    actor: Any = None,  # noqa: ANN401 - an actor
    **options: Any,  # noqa: ANN401 - as simcord takes them
) -> simcord.InteractionResult:
    """Use a command for which these d20s fall; the game master does, in #orders, unless said otherwise."""
    world.dice.script(*faces)
    who: simcord.MemberActor = actor or world.gm
    return await who.slash(world.orders, command, **options)


async def close_update(world: World, actor: Any = None, **options: str) -> Any:  # noqa: ANN401 - who, and the answer
    """Close the update, the game master unless said otherwise, and return the answer to the press."""
    actor = actor or world.gm
    asked = response(await actor.slash(world.orders, "gm close", **options))
    return await actor.click(asked, custom_id=press(asked, "close"))


async def use_desk(actor: Any, channel: Any, label: str) -> Any:  # noqa: ANN401 - a member, a channel, and the answer
    """Press Board or Digest under `/update show`; forge the press where it isn't offered."""
    shown = await actor.slash(channel, "update show")
    for message in (shown.response, *shown.followups):
        if label in labels(message):
            return await actor.click(message, label=label)
    return await send_raw(actor, channel, {"Board": "board:1:post:1", "Digest": "update:1:digest:1"}[label])


async def use_writeup(actor: Any, channel: Any, do: str, number: str, **typed: str) -> Any:  # noqa: ANN401 - as above
    """Press Claim, Done or Battle result of a write-up; forge the press where it isn't offered."""
    shown = await actor.slash(channel, "writeups", number=number)
    if not list(components(response(shown))):
        return shown
    entry, _, part = number.partition(".")
    found = [item["custom_id"] for item in components(response(shown)) if item.get("custom_id", "").endswith(f":{do}")]
    if found:
        pressed = await actor.click(response(shown), custom_id=found[0])
    else:
        pressed = await send_raw(actor, channel, f"writeup:1:{entry}.{int(part or 1) - 1}:999999999:{do}")
    if pressed.modal is None:
        return pressed
    fields = {"result": [typed["result"]]} if do == "result" else {"link": typed.get("link", "")}
    return await actor.submit_modal(pressed, fields)


async def use_file(actor: Any, channel: Any, do: str, name: str, version: int | None = None) -> Any:  # noqa: ANN401 - as above
    """Press Remove or Export of house rules under `/table show`; forge the press where it isn't offered."""
    shown = await actor.slash(channel, "table show", name=name)
    found = [item["custom_id"] for item in components(response(shown)) if f":{do}:" in item.get("custom_id", "")]
    key = found[0] if found else f"table:1:{do}:{'1:' * (do == 'remove')}{name}"
    pressed = await (actor.click(response(shown), custom_id=key) if found else send_raw(actor, channel, key))
    if pressed.modal is None:
        return pressed
    (newest,) = [label["component"]["value"] for label in pressed.modal["components"]]
    return await actor.submit_modal(pressed, {"version": newest if version is None else str(version)})


async def confirmed(world: World, command: str, actor: Any = None, **options: Any) -> Any:  # noqa: ANN401 - who, and the answer
    """Use a command that asks first, press what it offers, and return the answer to the press, or the refusal to ask."""
    who = actor or world.gm
    asked = await who.slash(world.orders, command, **options)
    buttons = [item["custom_id"] for item in components(response(asked)) if item["type"] == 2]
    return await who.click(response(asked), custom_id=buttons[0]) if buttons else asked


async def take_back(world: World, command: str, actor: Any = None, **options: Any) -> simcord.InteractionResult:  # noqa: ANN401 - an actor
    """Send the window of `/gm undo` as it opens; return the answer, or the refusal to open it."""
    who: simcord.MemberActor = actor or world.gm
    window = await who.slash(world.orders, command, **options)
    return window if window.modal is None else await who.submit_modal(window, {"reason": options["reason"]})


async def fill_in(actor: Any, message: Any, fields: dict[str, Any], **button: str) -> simcord.InteractionResult:  # noqa: ANN401
    """Send the window that a button of a message opens, and return the answer."""
    window = await actor.click(message, **button)
    sent: simcord.InteractionResult = await actor.submit_modal(window, fields)
    return sent


async def opened(world: World, **options: Any) -> Any:  # noqa: ANN401
    """A patrol's card, opened by the game master."""
    options = {"patrol": "Kilo", "target": "Zaku column"} | options
    return response(await world.gm.slash(world.orders, "patrol", **options))


async def has_cards(actor: Any, channel: simcord.ChannelHandle) -> bool:  # noqa: ANN401 - an actor
    """Whether `/help` offers open cards."""
    return "Open cards" in labels(response(await actor.slash(channel, "help")))


async def list_cards(actor: Any, channel: simcord.ChannelHandle) -> Any:  # noqa: ANN401 - an actor and a response
    """Open cards as the button of `/help` lists them."""
    page = response(await actor.slash(channel, "help"))
    return response(await actor.click(page, label="Open cards"))


async def reopened(world: World, actor: Any, place: int = 0) -> Any:  # noqa: ANN401
    """An open card as somebody opens it again through `/help`."""
    listed = await list_cards(actor, world.orders)
    select = control(listed, "0:open")
    result = await actor.select(listed, [select["options"][place]["value"]], custom_id=select["custom_id"])
    return response(result)


async def tick(actor: Any, card: Any, group: str, *wanted: str) -> str:  # noqa: ANN401
    """Leave just these ticked in a group, and what the card says then."""
    return said(await actor.select(card, list(wanted), custom_id=await more(actor, card, f"tick:{group}:0")))


async def more(actor: Any, card: Any, deed: str = "") -> str:  # noqa: ANN401
    """Press More on a card unless what is looked for stands there, and return the custom id of that deed."""
    if offers(card, "page:more") and not (deed and offers(card, deed)):
        await actor.click(card, custom_id=press(card, "page:more"))
    return press(card, deed) if deed else ""


async def more_of(actor: Any, card: Any) -> Any:  # noqa: ANN401
    """A card with what stands behind More."""
    await more(actor, card)
    return card


async def details_of(actor: Any, card: Any) -> str:  # noqa: ANN401
    """What a card says behind Details."""
    return said(await actor.click(card, custom_id=press(card, "page:details")))


async def removed(world: World, name: str, actor: Any = None) -> Any:  # noqa: ANN401 - who, and the answer
    """Remove a unit or character by its card; return the answer, or the refusal to ask."""
    who = actor or world.gm
    card = response(await who.slash(world.orders, "unit", name=name))
    asked = await who.click(card, label="Remove")
    sure = [item["custom_id"] for item in components(response(asked)) if item.get("style") == 4]
    return await who.click(response(asked), custom_id=sure[0]) if sure else asked


async def moved(actor: Any, channel: Any, captive: str, at: str) -> Any:  # noqa: ANN401
    """Move a captive to a typed place; return the answer, or the refusal to open the window."""
    shown = await actor.slash(channel, "captives", captive=captive)
    window = await actor.click(response(shown), label="Move")
    if window.modal is None:
        return window
    fields = [item["component"] for item in window.modal["components"]]
    typed = {item["custom_id"] for item in fields if item["type"] == 4}
    return await actor.submit_modal(window, dict.fromkeys(typed, at))


async def released(actor: Any, channel: Any, captive: str, note: str = "") -> Any:  # noqa: ANN401
    """Release a captive; return the answer, or the refusal to open the window."""
    shown = await actor.slash(channel, "captives", captive=captive)
    window = await actor.click(response(shown), label="Release")
    return window if window.modal is None else await actor.submit_modal(window, {"note": note})


async def effect_ended(actor: Any, where: Any, who: str, effect: str) -> Any:  # noqa: ANN401
    """End an effect (its label or trait) by picking it from a list, or from that of a channel."""
    listed = where if hasattr(where, "components") else response(await actor.slash(where, "gm effect", who=who))
    select = control(listed, "end:")
    meant = {name_key(effect), name_key(effect).replace(" ", "-")}
    values = [option["value"] for option in select["options"]]
    labels = [name_key(option["label"].rpartition(": ")[2]) for option in select["options"]]
    picked, *_ = [value for value, label in zip(values, labels, strict=True) if meant & {label, value.split(":")[2]}]
    return await actor.select(listed, [picked], custom_id=select["custom_id"])


async def open_settings(actor: Any, channel: Any, label: str, **options: str) -> simcord.InteractionResult:  # noqa: ANN401
    """Press a button under the settings of the channel's campaign."""
    shown = response(await actor.slash(channel, "gm settings", **options))
    answer: simcord.InteractionResult = await actor.click(shown, label=label)
    return answer


async def list_groups(world: World, actor: Any = None) -> str:  # noqa: ANN401 - an actor
    """What somebody sees of the groups."""
    answer = await open_settings(actor or world.gm, world.orders, "Groups")
    return "\n".join(text(page) for page in (response(answer), *answer.followups))


async def open_group(world: World, name: str) -> Any:  # noqa: ANN401 - a card
    """A group as the game master picks it."""
    answer = await open_settings(world.gm, world.orders, "Groups")
    listed = [response(answer), *answer.followups][-1]
    select = control(listed, "1:pick")
    (value,) = (item["value"] for item in select["options"] if name_key(item["label"]) == name_key(name))
    return response(await world.gm.select(listed, [value], custom_id=select["custom_id"]))


async def save_group(world: World, group: str | None = None, **given: Any) -> simcord.InteractionResult:  # noqa: ANN401
    """Send the window of a new group, or of one that there is; `members` are added to those it has, `leave` names who leaves.

    `without` empties a field, and `secret` is whether only members know of it.
    """
    listed = await open_settings(world.gm, world.orders, "Groups")
    last = [response(listed), *listed.followups][-1]
    window = await (
        world.gm.click(last, label="Add group")
        if group is None
        else world.gm.click(await open_group(world, group), label="Edit")
    )
    assert window.modal is not None
    fields: dict[str, Any] = {}
    for part in window.modal["components"]:
        field = part["component"]
        fields[field["custom_id"]] = field.get("value", "") if field["type"] == 4 else _find_picked(world, field)
    members = [name for name in fields["members"].split(", ") if name and name != given.get("leave")]
    fields["members"] = ", ".join([*members, *([given["members"]] if "members" in given else [])])
    fields |= {key: [given[key]] for key in ("role", "channel") if key in given}
    fields |= {given["without"]: []} if "without" in given else {}
    fields |= {"secret": ["hidden" if given["secret"] else "open"]} if "secret" in given else {}
    fields |= {"name": given["name"]} if "name" in given else {}
    return await world.gm.submit_modal(window, fields)


def _find_picked(world: World, field: dict[str, Any]) -> list[Any]:
    if field["type"] == 3:
        return [item["value"] for item in field["options"] if item.get("default")]
    numbers = [int(item["id"]) for item in field.get("default_values") or ()]
    if field["type"] == 8:
        return [simcord.ChannelHandle(world.env, world.guild, world.env.backend.channels[number]) for number in numbers]
    return [role for role in world.guild.roles.values() if role.id in numbers]


async def remove_group(world: World, name: str) -> simcord.InteractionResult:
    """Remove a group, and return the answer."""
    return await world.gm.click(await open_group(world, name), label="Remove")
