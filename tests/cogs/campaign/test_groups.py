"""What groups read, and where."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.cogs.campaign.grouping import NIGHT, group, make_group, newest_entry, reads, rival, roll_patrol, undo_entry
from tests.cogs.ledger.test_amend import adjust
from tests.cogs.ledger.test_amend import open_card as amending
from tests.core.test_forged_ids import elsewhere
from tests.support.acting import (
    more_of,
    open_group,
    open_settings,
    opened,
    removed,
    reopened,
    roll_command,
    save_group,
)
from tests.support.reading import assert_says, control, labels, newest, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.world import World, entry, nothing_written, rows, send_raw, written


async def test_a_group_is_told_in_its_channel_and_nobody_else(world: World) -> None:
    """In its channel, and in its players' and the staff's ledger."""
    den, other = await make_group(world), rival(world)
    number = await roll_patrol(world)
    assert "Zaku" in text(newest(den))
    assert (world.results.last_message, world.staff.last_message) == (None, None)
    assert [await reads(world, who, number) for who in (world.player, world.gm2, other)] == [True, True, False]
    shown = said(await world.player.slash(world.orders, "ledger", entry=number))
    assert_says(shown, "The target is caught", f"in <#{den.id}>")
    await require_whole(world)


@pytest.mark.parametrize(
    "how",
    [
        "leaves",
        "role",
        *(pytest.param(how, marks=pytest.mark.slow) for how in ("owner", "removed", "group", "playing")),
    ],
)
async def test_who_leaves_a_group_knows_no_more_what_it_was_told(world: World, how: str) -> None:
    """Without the character or role, they read nothing."""
    watch = world.guild.create_role("Watch")
    other = rival(world, watch)
    await make_group(world, **({"role": watch} if how in {"role", "playing"} else {}))
    who = other if how in {"role", "playing"} else world.player
    number = await roll_patrol(world)
    assert await reads(world, who, number)
    if how == "leaves":
        await group(world, "edit", group=NIGHT, leave="Kai", members="Sayla")
    elif how == "owner":
        await world.gm.slash(world.orders, "roster edit", name="Kai", owner=other)
        assert await reads(world, other, number)
    elif how == "removed":
        await removed(world, name="Kai")
        await world.gm.slash(world.orders, "roster add", kind="pc", name="Kai", owner=world.player)
    elif how == "group":
        await group(world, "remove", group=NIGHT)
        assert await reads(world, world.gm, number)
    else:
        gone = watch if how == "role" else world.roles["player"]
        world.env.backend.remove_member_role(world.guild.id, other.id, gone.id)
    if how == "playing":
        assert "don't play" in said(await who.slash(world.orders, "ledger")) or not await reads(world, who, number)
    else:
        assert not await reads(world, who, number)
    await require_whole(world)


async def test_publish_makes_a_groups_result_everybodys(world: World) -> None:
    """A published result shows neither channel nor note."""
    den, other = await make_group(world), rival(world)
    number = await roll_patrol(world)
    await send_raw(world.gm, world.staff, f"publish:1:{number}:now")
    assert "Rolled privately first, the only private roll" in text(newest(world.results))
    assert "why" not in text(newest(world.results))
    assert await reads(world, other, number)
    assert str(den.id) not in said(await other.slash(world.orders, "ledger", entry=number))
    await require_whole(world)
    card = await amending(world, number)
    await adjust(world.gm, card, "1", "Rope")
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert [await reads(world, who, newest_entry(world)) for who in (world.player, other)] == [True, True]
    public = [str(embed.to_dict()) for message in world.results.history() for embed in message.embeds]
    assert any("~~" in answer for answer in public)
    assert not any(str(den.id) in answer for answer in public)
    assert str(den.id) not in said(await other.slash(world.orders, "ledger", entry=number))
    await require_whole(world)


@pytest.mark.slow
async def test_what_is_amended_or_taken_back_is_struck_where_it_is(world: World) -> None:
    """Amended results strike the old one in the group."""
    den, other = await make_group(world), rival(world)
    number = await roll_patrol(world)
    card = await amending(world, number)
    await adjust(world.gm, card, "1", "Rope")
    await world.gm.click(card, custom_id=press(card, "roll"))
    assert entry(world)["amends"] == number
    assert [any("~~" in text(item) for item in den.history()), world.results.last_message] == [True, None]
    number = newest_entry(world)
    assert [await reads(world, who, number) for who in (world.player, other)] == [True, False]
    notice = world.staff.last_message
    await undo_entry(world, number)
    posted = [text(message) for message in den.history()]
    assert any("~~" in message for message in posted)
    assert any(f"Entry #{number} undone" in message for message in posted)
    assert (world.results.last_message, world.staff.last_message) == (None, notice)
    void = newest_entry(world)
    assert (await reads(world, world.player, void), await reads(world, other, void)) == (True, False)
    await require_whole(world)


async def test_a_secret_fact_hides_the_die_from_a_group_too(world: World) -> None:
    """The group reads the outcome, the staff everything."""
    den = await make_group(world)
    number = await roll_patrol(world, 19, 13, target="Ghost:neutral", modifiers="target.hidden")
    assert "Ghost is revealed" in text(newest(den))
    shown = said(await world.player.slash(world.orders, "ledger", entry=number))
    assert "1d20: **19**" in text(newest(world.staff))
    await undo_entry(world, number)
    for answer in (shown, *map(text, den.history())):
        assert "1d20" not in answer


async def test_groups_are_offered_to_who_may_send_there(world: World) -> None:
    """For game masters, by option or on the card."""
    await make_group(world)
    offered = await world.gm.autocomplete(world.orders, "patrol", "to", "")
    assert [item["name"] for item in offered][-2:] == ["to you alone", NIGHT]
    value = offered[-1]["value"]
    assert [item["value"] for item in await world.player.autocomplete(world.orders, "patrol", "to", "")] == ["auto"]
    assert await world.player.autocomplete(world.orders, "patrol", "to", "night") == []
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    asked = {"patrol": "Alpha", "target": "Zaku"}
    answer = {refused(await world.player.slash(world.orders, "patrol", **asked, to=to)) for to in (NIGHT, value, "x")}
    assert len(answer) == 1
    assert "I don't know the group 'x'" in refused(await world.gm.slash(world.orders, "patrol", **asked, to="x"))
    card = await more_of(world.gm, await opened(world, to=value))
    select = control(card, "to")
    assert [item["value"] for item in select["options"] if item.get("default")] == [value]
    await world.gm.select(card, ["staff"], custom_id=select["custom_id"])


@pytest.mark.slow
async def test_made_up_groups_are_no_place_to_send_to(world: World) -> None:
    """No other campaign's group can be reached."""
    await make_group(world)
    boss, orders = await elsewhere(world)
    value = (await world.gm.autocomplete(world.orders, "patrol", "to", NIGHT))[0]["value"]
    for to in (NIGHT, value):
        answer = await boss.slash(orders, "patrol", patrol="Alpha", target="Zaku", to=to, roll="now")
        assert "I don't know the group" in refused(answer)
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    card = response(await world.player.slash(world.orders, "patrol", patrol="Alpha", target="Zaku"))
    key = re.sub(r":[a-z:0-9]*$", "", press(card, "page:more").rpartition(":page")[0]) + ":to"
    before = written(world)
    words = [
        refused(await send_raw(who, world.orders, key, to))
        for who, to in ((world.player, value), (world.player, "group:999"), (world.gm, "group:999"), (world.gm, "x"))
    ]
    assert len(set(words)) == 1, words
    assert written(world) == before


@pytest.mark.slow
async def test_what_is_typed_in_a_groups_channel_is_the_groups(world: World) -> None:
    """Free dice there stay there."""
    den, other = await make_group(world), rival(world)
    await world.manager.slash(world.orders, "campaign link", channel=den, campaign="Iron Sea")
    world.dice.script(4, sides=6)
    answer = said(await world.player.slash(den, "roll", expression="1d6", roll="now"))
    assert f"in <#{den.id}>" in answer
    assert "the staff" not in answer
    assert "4" in text(newest(den))
    number = newest_entry(world)
    assert [await reads(world, who, number) for who in (world.player, world.gm, other)] == [True, True, False]
    assert str(den.id) not in said(await other.slash(world.orders, "update show"))


BAD: list[tuple[dict[str, str], str]] = [
    ({"name": "NIGHTWATCH"}, "is taken"),
    ({"name": "Nightw\N{CYRILLIC SMALL LETTER A}tch"}, "is taken"),
    ({"name": "staff"}, "is taken"),
    ({"name": "To the results channel"}, "is taken"),
    ({"name": " "}, "at least one group"),
    ({"group": "Axis", "name": "nightwatch"}, "is taken"),
    ({"group": "Axis"}, "already like that"),
    ({"group": "Axis", "members": "Nobody"}, "unit or character called 'Nobody'"),
    ({"name": "Watch", "members": "Kai, Sayle"}, "Did you mean Sayla?"),
]


async def test_bad_groups_are_refused(world: World) -> None:
    """Look-alikes of groups and destinations are refused."""
    await make_group(world)
    await group(world, "add", name="Axis")
    with nothing_written(world):
        for options, words in BAD:
            assert words in refused(await save_group(world, **options))
        for key in ("group:1:99:edit", "group:1:99:remove:1"):
            assert "no longer exists" in refused(await send_raw(world.gm, world.orders, key))
        assert "no longer exists" in refused(await send_raw(world.gm, world.orders, "group:1:pick", "99"))


async def test_players_change_no_groups(world: World) -> None:
    """They see no buttons for it, and forged ones are refused."""
    await make_group(world)
    answer = await open_settings(world.player, world.orders, "Groups")
    assert NIGHT in said(answer)
    assert labels(response(answer)) == []
    number = rows(world, "select subject from state where name = 'group'")[0][0].removeprefix("subject:")
    with nothing_written(world):
        for key in (f"group:1:{number}:edit", "group:1:0:edit", f"group:1:{number}:remove:99"):
            assert "Only game masters" in refused(await send_raw(world.player, world.orders, key))
        assert "Only game masters" in refused(await send_raw(world.player, world.orders, "group:1:pick", number))
        for key in (f"group:1:{number}:save:99", "group:1:0:save:99"):
            assert "Only game masters" in refused(await send_raw(world.player, world.orders, key, modal=True))


async def test_a_window_that_is_too_old_overwrites_nothing(world: World) -> None:
    """What another game master changed since stays."""
    await make_group(world)
    window = await world.gm.click(await open_group(world, NIGHT), label="Edit")
    await save_group(world, NIGHT, members="Sayla")
    with nothing_written(world):
        answer = await world.gm.submit_modal(window, {"name": NIGHT, "members": "Kai", "secret": ["open"]})
        assert "has changed since you looked" in refused(answer)


async def test_a_group_has_no_channel_or_role_of_another_server(world: World) -> None:
    """A forged window can't name one."""
    other = world.env.create_guild("Elsewhere").create_text_channel("there")
    for field, picked in (
        ("channel", other.id),
        ("role", other.id),
        ("channel", "x"),
        ("channel", world.roles["gm"].id),
    ):
        fields: list[dict[str, Any]] = [{"type": 4, "custom_id": "name", "value": "Axis"}]
        fields += [{"type": 8, "custom_id": field, "values": [str(picked)]}]
        sent = {"custom_id": "group:1:0:save:1", "components": [{"type": 18, "component": item} for item in fields]}
        with nothing_written(world):
            assert "isn't on this server" in refused(await world.gm._dispatch_interaction(5, world.orders, sent))


async def test_an_effect_on_a_secret_group_is_its_members_to_know(world: World) -> None:
    """Only the group lists effects it knows."""
    other = rival(world)
    await make_group(world)
    await world.gm.slash(world.orders, "gm effect", who=NIGHT, effect="Under siege")
    await roll_command(world, "scout", 20, scouter="Jonas", base="Fort", to=NIGHT, roll="now")
    lists = [said(await who.slash(world.orders, "gm effect")) for who in (world.player, other)]
    assert NIGHT in lists[0]
    assert NIGHT not in lists[1]
    assert "Fort" not in lists[1]


async def test_nobody_secret_is_told_to_a_group_by_where_it_was_typed(world: World) -> None:
    """A secret name in its channel stays with the staff."""
    den = await make_group(world)
    await world.manager.slash(world.orders, "campaign link", channel=den, campaign="Iron Sea")
    await world.gm.slash(world.orders, "gm settings", books="campaign, infinity")
    await world.gm.slash(world.orders, "roster add", name="Shadow", kind="ship", secret=True)
    world.dice.script(4, 4)
    await world.gm.slash(den, "infinity roll", attribute=13, burst=1, label="Shadow")
    assert not den.history()
    assert "Shadow" in text(newest(world.staff))
    assert not await reads(world, world.player, newest_entry(world))
    await world.gm.slash(den, "infinity roll", attribute=13, burst=1, label="Shadow", to=NIGHT)
    assert "Shadow" in text(newest(den))
    await require_whole(world)


async def test_who_may_not_know_of_a_group_is_not_told_which_was_removed(world: World) -> None:
    """The card shows the player no group's name."""
    await make_group(world)
    other = rival(world)
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    card = response(await other.slash(world.orders, "patrol", patrol="Alpha", target="Zaku"))
    value = (await world.gm.autocomplete(world.orders, "patrol", "to", NIGHT))[0]["value"]
    theirs = await more_of(world.gm, await reopened(world, world.gm))
    await world.gm.select(theirs, [value], custom_id=control(theirs, "to")["custom_id"])
    await group(world, "remove", group=NIGHT)
    answer = said(await other.click(card, custom_id=press(card, "roll")))
    assert "The result would now go to the game masters." in answer
    assert NIGHT not in answer


@pytest.mark.slow
async def test_an_amended_result_of_a_removed_group_is_the_staffs(world: World) -> None:
    """The receipt says so; amended, the group reads it."""
    await make_group(world)
    number = await roll_patrol(world)
    await group(world, "remove", group=NIGHT)
    removal = newest_entry(world)
    card = await amending(world, number)
    await adjust(world.gm, card, "1", "Rope")
    assert NIGHT not in text(card)
    answer = said(await world.gm.click(card, custom_id=press(card, "roll")))
    assert "Game masters only" in answer
    amended = newest_entry(world)
    assert not await reads(world, world.player, amended)
    await undo_entry(world, removal)
    assert await reads(world, world.player, amended)
    await require_whole(world)
