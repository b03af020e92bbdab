"""`/unit`: the list, and what a card's buttons change."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roster.test_roster import let_players_edit, pseudonym, save_unit
from tests.support.acting import fill_in
from tests.support.reading import assert_lacks, assert_says, components, control, labels, press, refused, response, said
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import World, entry, nothing_written, rows, send_raw


async def card_of(world: World, name: str, actor: Any = None) -> Any:  # noqa: ANN401
    """A card by name."""
    return response(await (actor or world.gm).slash(world.orders, "unit", name=name))


def fields_of(window: Any) -> dict[str, Any]:  # noqa: ANN401
    """The fields of an open window, by custom id."""
    return {item["component"]["custom_id"]: item["component"] for item in window.modal["components"]}


async def test_the_list_has_units_before_characters_and_opens_each(world: World) -> None:
    """A pick shows the card; filters leave out the rest."""
    await save_unit(world, "character", name="Kai", side="EF")
    await save_unit(world, name="White Base", side="EF")
    listed = response(await world.player.slash(world.orders, "unit"))
    told = said(await world.player.slash(world.orders, "unit"))
    assert told.index("Units (1)") < told.index("White Base") < told.index("Characters (1)") < told.index("Kai")
    assert labels(listed) == ["Effects"]
    select = control(listed, "show")
    assert [item["label"] for item in select["options"]] == ["White Base", "Kai"]
    shown = await world.player.select(listed, [select["options"][1]["value"]], custom_id=select["custom_id"])
    assert_says(said(shown), "## Kai", "PC · EF")
    for filters, there in (({"kind": "units"}, "White Base"), ({"kind": "pc"}, "Kai"), ({"side": "Zeon"}, "Nothing")):
        assert there in said(await world.player.slash(world.orders, "unit", **filters))
    assert "White Base" not in said(await world.player.slash(world.orders, "unit", kind="characters"))


async def test_a_pick_from_the_list_opens_nothing_that_is_hidden(world: World) -> None:
    """What is hidden reads like what was removed."""
    await save_unit(world, name="Ghost", secret=True)
    listed = response(await world.gm.slash(world.orders, "unit"))
    number = control(listed, "show")["options"][0]["value"]
    told = [
        refused(await send_raw(world.player, world.orders, "unit:1:show:0", forged))
        for forged in (number, str(int(number) + 100))
    ]
    assert told[0] == told[1]
    assert "That was removed" in told[0]
    for forged in ("x", ""):
        assert "no longer works" in refused(await send_raw(world.player, world.orders, "unit:1:show:0", forged))
    assert "don't play" in refused(await send_raw(world.stranger, world.orders, "unit:1:show:0", number))


async def test_many_are_picked_from_several_selects(world: World) -> None:
    """Each has 25, and there's room for the buttons."""
    for number in range(27):
        await save_unit(world, name=f"Team {number:02}", kind="squad")
    listed = response(await world.gm.slash(world.orders, "unit"))
    selects = [item for item in components(listed) if item["type"] == 3]
    assert [len(item["options"]) for item in selects] == [25, 2]


async def test_an_export_follows_the_filter(world: World) -> None:
    """Its button says what it exports; players have none."""
    await save_unit(world, name="White Base")
    for kind, what in (("ship", "units"), ("npc", "characters"), ("characters", "characters")):
        listed = response(await world.gm.slash(world.orders, "unit", kind=kind))
        assert labels(listed)[1:] == [f"Export {what} (CSV)", f"Export {what} (TOML)"]
    listed = response(await world.gm.slash(world.orders, "unit"))
    (file,) = response(await world.gm.click(listed, label="Export all (TOML)")).attachments
    assert file.filename == "roster.toml"
    assert "White Base" in (await file.read()).decode()
    for forged in ("roster:1:export:all:csv", "roster:1:export:both:xml"):
        assert "no longer works" in refused(await send_raw(world.gm, world.orders, forged))


async def test_a_game_master_edits_a_unit_in_a_window(world: World) -> None:
    """The window has what is saved; what is left as it was stays, and what is emptied goes."""
    await save_unit(world, name="White Base", side="EF", owner=world.player, region="India")
    card = await card_of(world, "White Base")
    window = await world.gm.click(card, label="Edit")
    fields = fields_of(window)
    assert list(fields) == ["name", "side", "region", "owner", "fields"]
    assert [fields[name]["value"] for name in ("name", "side", "region")] == ["White Base", "EF", "India"]
    assert [int(item["id"]) for item in fields["owner"]["default_values"]] == [world.player.id]
    sent = {"name": "Pegasus", "side": "", "region": "Arabia", "owner": [world.player], "fields": "callsign: Horse"}
    assert "A ship has no callsign" in refused(await world.gm.submit_modal(window, sent))
    sent["fields"] = ""
    window = await world.gm.click(card, label="Edit")
    assert_says(said(await world.gm.submit_modal(window, sent)), "## Pegasus", "ship · no side · Arabia · played by")
    assert entry(world)["after"] == {"name": "Pegasus", "side": None, "region": "Arabia"}
    assert kept(world, "Pegasus")["profile"]["owner"] == pseudonym(world, world.player)
    helper = world.guild.add_member(world.env.create_user("helper", bot=True))
    for picked in ([], [helper]):
        await world.gm.slash(world.orders, "roster edit", name="Pegasus", owner=world.player)
        await fill_in(world.gm, await card_of(world, "Pegasus"), {**sent, "owner": picked}, label="Edit")
        assert kept(world, "Pegasus")["profile"]["owner"] is None
    await require_whole(world)


async def test_a_window_that_was_overtaken_changes_nothing(world: World) -> None:
    """What someone else has changed since isn't overwritten."""
    await save_unit(world, name="White Base", side="EF")
    window = await world.gm.click(await card_of(world, "White Base"), label="Edit")
    await world.gm2.slash(world.orders, "roster edit", name="White Base", side="Zeon")
    with nothing_written(world):
        sent = {"name": "White Base", "side": "EF", "region": "India", "owner": [], "fields": ""}
        assert "has changed since you looked" in refused(await world.gm.submit_modal(window, sent))


async def test_an_owner_who_erased_their_data_stays_after_an_edit(world: World) -> None:
    """The window can't show them, and doesn't remove them."""
    await save_unit(world, name="White Base", owner=world.player)
    owner = kept(world, "White Base")["profile"]["owner"]
    with world.bots[0].database.engine.begin() as connection:
        connection.exec_driver_sql("delete from actor where pseudonym = ?", (owner,))
    window = await world.gm.click(await card_of(world, "White Base"), label="Edit")
    assert not fields_of(window)["owner"].get("default_values")
    await world.gm.submit_modal(window, {"name": "White Base", "side": "EF", "region": "", "owner": [], "fields": ""})
    assert kept(world, "White Base")["profile"] | {"side": "EF"} == kept(world, "White Base")["profile"]
    assert kept(world, "White Base")["profile"]["owner"] == owner


async def test_a_player_edits_their_character_where_that_is_open(world: World) -> None:
    """In the window are its squad and the values from the books; a hidden squad stays, unnamed."""
    await save_unit(world, name="Hidden One", kind="squad", secret=True)
    await save_unit(world, name="Team", kind="squad")
    await save_unit(world, "character", name="Kai", owner=world.player, squad="Hidden One")
    assert not labels(await card_of(world, "Kai", world.player))
    await let_players_edit(world)
    card = await card_of(world, "Kai", world.player)
    assert [label for label in labels(card) if label in {"Edit", "Remove", "Effects"}] == ["Edit"]
    window = await world.player.click(card, label="Edit")
    assert {name: item.get("value") or "" for name, item in fields_of(window).items()} == {"squad": "", "fields": ""}
    told = said(await world.player.submit_modal(window, {"squad": "", "fields": "callsign: Owl"}))
    assert "callsign Owl" in told
    assert_lacks(told, "Hidden One")
    assert "in Hidden One" in said(await world.gm.slash(world.orders, "unit", name="Kai"))
    told = said(await fill_in(world.player, card, {"squad": "team", "fields": ""}, label="Edit"))
    assert "in Team" in told


async def test_a_player_changes_nothing_else_by_a_forged_window(world: World) -> None:
    """Neither of theirs nor of others'; nor does anyone change what no window has."""
    await save_unit(world, "character", name="Kai", owner=world.player)
    await save_unit(world, "character", name="Sayla")
    await let_players_edit(world)
    (newest,) = rows(world, "select max(number) from entry")[0]
    with nothing_written(world):
        for subject, field, words in (
            (1, "name", "Only game masters"),
            (1, "side", "Only game masters"),
            (1, "owner", "Only game masters"),
            (1, "secret", "no longer works"),
            (1, "traits", "no longer works"),
            (2, "fields", "You can't edit Sayla"),
        ):
            typed = {"type": 4, "custom_id": field, "value": "callsign: Owl" if field == "fields" else "Zeon"}
            data = {
                "custom_id": f"traits:1:{subject}:0:edited:{newest}",
                "components": [{"type": 18, "component": typed}],
            }
            told = refused(await world.player._dispatch_interaction(5, world.orders, data))
            assert words in told, field


@pytest.mark.parametrize("given", ["", "Effects"])
async def test_a_card_sets_and_ends_effects(world: World, given: str) -> None:
    """Set by the window, ended once by a pick; a renamed unit stays the same."""
    await save_unit(world, name="Fort")
    listed = response(await world.gm.click(await card_of(world, "Fort"), label="Effects"))
    assert "No effects" in said(await world.gm.click(await card_of(world, "Fort"), label="Effects"))
    window = await world.gm.click(listed, label="Set an effect")
    await world.gm.slash(world.orders, "roster edit", name="Fort", new_name="Fort Teak")
    await world.gm.submit_modal(window, {"effect": ["under-siege"], "until": ["update"], "note": "At dawn"})
    assert entry(world)["who"] == "Fort Teak"
    assert "update" in kept(world, "Fort Teak")["effect.under-siege"]
    card = await card_of(world, "Fort Teak", world.player if given else None)
    assert "Under siege" in str(list(components(card)))
    listed = response(await world.gm.slash(world.orders, "gm effect", who="Fort Teak"))
    select = control(listed, "end:")
    await world.gm.select(listed, [select["options"][0]["value"]], custom_id=select["custom_id"])
    assert "effect.under-siege" not in kept(world, "Fort Teak")
    await world.gm.slash(world.orders, "gm effect", who="Fort Teak", effect="Under siege")
    with nothing_written(world):
        again = await send_raw(world.gm2, world.orders, select["custom_id"], select["options"][0]["value"])
        assert "already answered, ended or undone" in refused(again)
    await require_whole(world)


async def test_effects_on_the_list_are_those_a_player_may_know(world: World) -> None:
    """A forged button shows no more, and nothing to end or set them."""
    await save_unit(world, name="Ghost", secret=True)
    await save_unit(world, name="Fort")
    for who in ("Ghost", "Fort"):
        await world.gm.slash(world.orders, "gm effect", who=who, effect="Under siege")
    listed = response(await world.player.slash(world.orders, "unit"))
    shown = response(await world.player.click(listed, label="Effects"))
    assert not list(components(shown))
    told = str([embed.to_dict() for embed in shown.embeds])
    assert_says(told, "Fort", "Under siege")
    assert "Ghost" not in told
    number = control(response(await world.gm.slash(world.orders, "unit")), "show")["options"]
    (ghost,) = [item["value"] for item in number if item["label"] == "Ghost"]
    none = said(await send_raw(world.player, world.orders, f"effect:1:on:{int(ghost) + 100}"))
    assert said(await send_raw(world.player, world.orders, f"effect:1:on:{ghost}")) == none
    assert "No effects that you can see" in none
    assert "don't play" in refused(await send_raw(world.stranger, world.orders, "effect:1:on:0"))


async def test_a_removal_can_be_left(world: World) -> None:
    """Keep it shows the card again."""
    await save_unit(world, name="Kilo", kind="squad")
    card = await card_of(world, "Kilo")
    with nothing_written(world):
        asked = response(await world.gm.click(card, label="Remove"))
        assert labels(asked) == ["Remove Kilo", "Keep it"]
        back = response(await world.gm.click(asked, label="Keep it"))
        assert press(back, "edit")


async def test_where_books_have_many_effects_the_window_takes_a_name(world: World) -> None:
    """A slip is answered with the nearest one."""
    await world.gm.slash(world.orders, "gm settings", books="roe")
    await save_unit(world, "character", name="Kai")
    listed = response(await world.gm.click(await card_of(world, "Kai"), label="Effects"))
    window = await world.gm.click(listed, label="Set an effect")
    assert fields_of(window)["effect"]["type"] == 4
    with nothing_written(world):
        told = refused(await world.gm.submit_modal(window, {"effect": "Stuned", "until": [], "note": ""}))
        assert "Did you mean Stunned?" in told
        window = await world.gm.click(listed, label="Set an effect")
        assert window.modal is not None
        assert "I don't know the effect" in refused(
            await send_raw(world.gm, world.orders, window.modal["custom_id"], modal=True)
        )
    window = await world.gm.click(listed, label="Set an effect")
    await world.gm.submit_modal(window, {"effect": "spotted", "until": ["cleared"], "note": "By the scouts"})
    assert "effect.spotted" in kept(world, "Kai")
