from __future__ import annotations

from typing import Any

from tests.support.reading import assert_lacks, newest, press, refused, response, text
from tests.support.world import World, nothing_written, send_raw

LONG = "n" * 61
PATROL = {"patrol": "Kilo", "target": "Zaku"}
BAD = [
    ("patrol", PATROL | {"modifiers": "patrol.xyz"}, ["the modifier 'patrol.xyz'", "appear while you type"]),
    ("patrol", PATROL | {"modifiers": "newtype"}, ["Patrol with a newtype or Target with a newtype"]),
    ("patrol", PATROL | {"modifiers": "patrol.ship, patrol.fleet"}, ["Only one of these can apply"]),
    ("patrol", PATROL | {"modifiers": "patrol.ship, PATROL.SHIP"}, ["Patrol is a ship is named twice"]),
    ("patrol", PATROL | {"modifiers": "service.balloon*-1"}, ["can't count -1 times", "0 or more"]),
    ("patrol", PATROL | {"modifiers": "patrol.fleet*2"}, ["can't count 2 times", "not per unit"]),
    ("patrol", PATROL | {"modifiers": "service.balloon*101"}, ["can't count that often", "limit is 100"]),
    ("patrol", PATROL | {"modifiers": f"service.balloon*{'9' * 5000}"}, ["can't count that often"]),
    ("patrol", PATROL | {"modifiers": "+2"}, ["+2 has no reason"]),
    ("patrol", PATROL | {"modifiers": "+0 x"}, ["'+0' isn't an adjustment", "except 0"]),
    ("patrol", PATROL | {"modifiers": "-101 x"}, ["'-101' isn't an adjustment"]),
    ("patrol", PATROL | {"modifiers": "+1 " + "r" * 501}, ["The reason has 501 characters"]),
    ("patrol", PATROL | {"modifiers": "m" * 6000}, ["I don't know the modifier"]),
    ("patrol", PATROL | {"patrol": " "}, ["at least one patrol"]),
    ("patrol", PATROL | {"patrol": "Kilo, Lima"}, ["2 names", "I need one patrol"]),
    ("patrol", PATROL | {"patrol": LONG}, ["is too long", "at most 60"]),
    ("patrol", PATROL | {"target": ",,"}, ["at least one target"]),
    ("patrol", PATROL | {"target": "Zaku,, Dom"}, ["One target has no name", "extra comma"]),
    ("patrol", PATROL | {"target": "Zaku, ZAKU "}, ["'ZAKU' is named twice"]),
    ("patrol", PATROL | {"target": "Grey  Ghost, grey ghost:neutral"}, ["'grey ghost' is named twice"]),
    ("patrol", PATROL | {"target": f"Zaku, {LONG}:neutral"}, ["is too long"]),
    ("patrol", PATROL | {"target": "Ghost:neutrl"}, ["'neutrl' isn't a stance", "Did you mean neutral?"]),
    ("patrol", PATROL | {"target": ":neutral"}, ["One target has no name", "before the colon"]),
    ("patrol", PATROL | {"region": LONG}, ["is too long"]),
    ("patrol", PATROL | {"note": "n" * 501}, ["The note has 501 characters"]),
    ("scout", {"scouter": "Jonas,", "base": "Fort"}, ["One scouter has no name"]),
    ("detect", {"detector": "Owl", "hidden": "A, a"}, ["'a' is named twice"]),
    ("detect", {"detector": " ", "hidden": "A"}, ["at least one detector"]),
]


async def test_bad_input_is_refused(world: World) -> None:
    """The private answer says what's wrong."""
    for command, options, words in BAD:
        with nothing_written(world):
            for roll in ("card", "now"):
                told = refused(await world.gm.slash(world.orders, command, **options, roll=roll)).replace("\\", "")
                assert [word for word in words if word not in told] == []
                assert len(told) <= 4096
        assert world.results.last_message is None
        assert world.staff.last_message is None


async def test_names_take_no_effect_in_what_is_shown(world: World) -> None:
    """No markdown, mentions or links."""
    nasty = f"**@everyone** <@{world.player.id}>"
    world.typed.append(nasty)
    options = {
        "patrol": nasty,
        "target": "[x](http://y.z) __u__",
        "region": "`r` @here",
        "note": f"# <@&{world.roles['gm'].id}>",
    }
    world.dice.script(18)
    asked = response(
        await world.gm.slash(world.orders, "patrol", **options, modifiers="+1 ~~s~~ @everyone", roll="now")
    )
    assert "`r" not in text(asked).replace("\\`", "")
    result = await world.gm.click(asked, custom_id=press(asked, "roll"))
    card = await world.gm.slash(world.orders, "patrol", **options)
    shown = [newest(world.results).embeds[0].description or "", text(response(card)), text(response(result))]
    for told in shown:
        for live in (
            "@everyone",
            "@here",
            f"<@{world.player.id}>",
            f"<@&{world.roles['gm'].id}>",
            "[x](http",
            "~~s~~",
            "__u__",
        ):
            assert live not in told.replace("\\" + live[:1], "")
    sent = [item.json for item in world.env.http_requests if item.method == "POST" and isinstance(item.json, dict)]
    messages = [
        item.get("data", item)
        for item in sent
        if "embeds" in item.get("data", item) or "components" in item.get("data", item)
    ]
    assert len(messages) >= 3
    assert all(not message["allowed_mentions"]["parse"] for message in messages if "allowed_mentions" in message)
    assert any("allowed_mentions" in message for message in messages)


async def test_refusals_escape_what_was_typed(world: World) -> None:
    """Repeated text is harmless too."""
    told = refused(
        await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="**A** @everyone, **a** @everyone")
    )
    assert_lacks(told, "**a**", "@everyone")
    assert "\\*\\*a\\*\\*" in told


def forge_ids(card: str) -> list[tuple[str, list[str]]]:
    """Return ids that the bot never gave out."""
    start = f"card:1:{card}:1"
    return [
        (f"card:999:{card}:1:0:roll", []),
        (f"card:{'9' * 30}:{card}:1:0:roll", []),
        ("card:1:ffffffffffff:1:0:roll", []),
        (f"card:one:{card}:1:0:roll", []),
        (f"card:1:{card}:x:0:roll", []),
        (f"{start}:-1:counts", []),
        (f"{start}:zero:roll", []),
        (f"{start}:0:explode", []),
        (f"{start}:0", []),
        ("card", []),
        ("card:", []),
        (f"{start}:7:adjust", []),
        (f"{start}:7:counts", []),
        (f"{start}:7:tick:patrol:0", ["patrol.ship"]),
        (f"{start}:7:choice:stance", ["neutral"]),
        (f"{start}:0:choice:stance", ["furious"]),
        (f"{start}:0:choice:stance", []),
        (f"{start}:0:choice:mood", ["neutral"]),
        (f"{start}:0:choice", ["neutral"]),
        (f"{start}:0:to", ["everybody"]),
        (f"{start}:0:to", []),
        (f"{start}:0:part", ["many"]),
        (f"{start}:0:part", []),
        ("card:1:-:0:0:open", ["ffffffffffff"]),
        ("card:1:-:0:0:open", []),
        ("ledger:1", []),
        ("ledger:1:x", []),
        ("ledger:999:0", []),
        ("publish:1:x", []),
        ("publish", []),
        ("publish:1:999", []),
    ]


async def test_forged_ids_are_answered_like_any_bad_input(world: World) -> None:
    """It's no bug, and nothing changes."""
    card = press(response(await world.gm.slash(world.orders, "patrol", **PATROL)), "roll").split(":")[2]
    with nothing_written(world):
        for custom_id, values in forge_ids(card):
            told = refused(await send_raw(world.gm, world.orders, custom_id, *values))
            assert "on our side" not in told, custom_id


async def test_forged_modals_are_answered_like_any_bad_input(world: World) -> None:
    """Also with missing fields or cards."""
    card = press(response(await world.gm.slash(world.orders, "patrol", **PATROL)), "roll").split(":")[2]
    with nothing_written(world):
        for deed in ("0:adjusted", "7:adjusted", "0:reason", "7:counted"):
            told = refused(await send_raw(world.gm, world.orders, f"card:1:{card}:1:{deed}", modal=True))
            assert "on our side" not in told, deed


async def test_odd_but_harmless_presses_leave_the_card_whole(world: World) -> None:
    """Unknown parts and selects are harmless."""
    card: Any = response(await world.gm.slash(world.orders, "patrol", **PATROL))
    key = press(card, "roll").removesuffix("0:roll")
    shown = await send_raw(world.gm, world.orders, f"{key}0:part", "12", on=card)
    assert "against **Zaku**" in text(response(shown))
    for words in ("tick:nowhere:0", "tick:patrol:5"):
        shown = await send_raw(world.gm, world.orders, f"{key}0:{words}", "patrol.ship", on=card)
        assert "No modifiers yet" in text(response(shown))
    for words in ("tick", "tick:patrol:x"):
        assert "That button no longer works" in refused(await send_raw(world.gm, world.orders, f"{key}0:{words}", "x"))
