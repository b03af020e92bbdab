"""Units have members' traits, or are "entirely" so (PB-11)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cogs.roster.test_import import import_file
from tests.cogs.roster.test_saved_facts import card_of, count_facts
from tests.support.acting import more, more_of, released, roll_command
from tests.support.reading import components, option, said, ticked
from tests.support.world import World, rows, send_raw

HEAD = "name,kind,side,squad,newtype,secret,traits\n"
SHIP = "White Base,ship,EF,,,,\n"
AMURO = "Amuro,pc,EF,White Base,7,,lucky; smuggler; charisma; elite-infantry; scout\n"


async def save(world: World, *lines: str) -> None:
    """Save units from CSV lines."""
    await import_file(world, HEAD + "".join(lines))


def origin(card: Any, group: str, modifier: str) -> str:  # noqa: ANN401
    """A modifier's origin on a card."""
    return str(option(card, f"tick:{group}:0", modifier).get("description"))


AS_PATROL = {"patrol": "White Base", "target": "Zaku:neutral"}
AS_TARGET = {"patrol": "Kilo", "target": "White Base:neutral"}
AS_HIDER = {"detector": "Owl", "hidden": "White Base"}
AS_DETECTOR = {"detector": "White Base", "hidden": "Ghost"}
COUNTED = [  # the command, the group on its card, and what counts there through a member (lines of the page)
    ("patrol", AS_PATROL, "patrol", {"patrol.newtype"}),  # 31
    ("patrol", AS_TARGET, "target", {"target.newtype", "target.lucky", "target.elite-infantry"}),  # 47, 58, 59, 78
    ("patrol", AS_TARGET, "passage", {"target.smuggler", "target.charisma"}),  # 79, 80
    ("scout", {"scouter": "White Base", "base": "Fort"}, "scouter", {"scouter.lucky", "scouter.elite-infantry"}),
    ("scout", {"scouter": "Jonas", "base": "White Base"}, "base", {"base.newtype"}),  # 112
    ("detect", AS_HIDER, "hider", {"hider.newtype", "hider.lucky"}),  # 135, 144
    ("detect", AS_DETECTOR, "detector", {"detector.newtype", "detector.lucky", "detector.scout"}),
]


@pytest.mark.parametrize(
    ("command", "options", "group", "lines"),
    [*COUNTED[1:4], *(pytest.param(*case, marks=pytest.mark.slow) for case in (COUNTED[0], *COUNTED[4:]))],
)
async def test_what_a_member_has_counts_for_the_unit(
    world: World, command: str, options: dict[str, str], group: str, lines: set[str]
) -> None:
    """With the member's name."""
    await save(world, SHIP, AMURO)
    card = await card_of(world, command, **options)
    await more(world.gm, card, f"tick:{group}:0")
    assert lines <= ticked(card, group)
    assert {origin(card, group, line) for line in lines} == {"Amuro of White Base"}


async def test_a_comrade_counts_for_the_scouters_squad(world: World) -> None:
    """Lines 91, 102 and 104: the squad scouts along."""
    await save(world, "Team,squad,EF,,,,\n", "Amuro,pc,EF,Team,3,,lucky; elite-infantry\n", "Kai,pc,EF,Team,,,\n")
    card = await card_of(world, "scout", scouter="Kai", base="Fort")
    assert ticked(card, "scouter") == {"scouter.newtype", "scouter.lucky", "scouter.elite-infantry"}
    assert origin(card, "scouter", "scouter.newtype") == "Amuro of Team"


@pytest.mark.parametrize(
    ("level", "counts"), [("", False), ("1", True), pytest.param("0", False, marks=pytest.mark.slow)]
)
async def test_an_oldtype_on_board_is_no_newtype(world: World, level: str, *, counts: bool) -> None:
    """0 is an Oldtype, and no level is unknown."""
    await save(world, SHIP, f"Amuro,pc,EF,White Base,{level},,\n")
    card = await card_of(world, "patrol", **AS_PATROL)
    assert ("patrol.newtype" in ticked(card, "patrol")) == counts


async def test_high_command_and_a_prophet_on_board_count_for_the_side(world: World) -> None:
    """Lines 281 and 282; high command is a PC's."""
    await save(world, SHIP, "Revil,pc,EF,White Base,10,,high-command\n")
    await save(world, "Musai,ship,Zeon,,,,\n", "Ral,npc,Zeon,Musai,2,,high-command\n")
    for side, lines in (("White Base", {"side.newtype-prophet", "side.high-command"}), ("Musai", set())):
        card = await card_of(world, "complications", battle="Jaburo", sides=side)
        assert ticked(card, "side") == lines


@pytest.mark.slow
async def test_who_is_at_a_base_guards_its_captives(world: World) -> None:
    """Lines 349 and 351; an NPC doesn't count."""
    await save(world, "Fort,base,Zeon,,,,\n", "Ral,pc,Zeon,Fort,4,,interrogation\n")
    await save(world, "Keep,base,Zeon,,,,\n", "Tachi,npc,Zeon,Keep,,,interrogation\n")
    for captive, at, lines in (("Kai", "Fort", {"base.newtype", "base.interrogation"}), ("Hayato", "Keep", set())):
        await world.gm.slash(world.orders, "capture", captive=captive, by="Zeon", at=at)
        assert ticked(await card_of(world, "escape", captive=captive), "base") == lines


@pytest.mark.slow
async def test_who_is_held_captive_or_dead_counts_for_no_unit(world: World) -> None:
    """Until they're back."""
    await save(world, SHIP, AMURO, "Fort,base,Zeon,,,,\n")
    await world.gm.slash(world.orders, "capture", captive="Amuro", by="Zeon", at="Fort")
    assert ticked(await card_of(world, "patrol", **AS_TARGET), "target") == {"target.ship"}
    await released(world.gm, world.orders, captive="Amuro")
    assert "target.lucky" in ticked(await card_of(world, "patrol", **AS_TARGET), "target")
    await world.gm.slash(world.orders, "capture", captive="Amuro", by="Zeon", at="Fort")
    await roll_command(world, "escape", 1, captive="Amuro", roll="now")
    assert ticked(await card_of(world, "patrol", **AS_TARGET), "target") == {"target.ship"}


OPERATIVE = "Kyra,pc,EF,{squad},,,operative\n"
ALL_OPERATIVES = [  # other saved ones, Kyra's squad, who rolls, and whether they are all Operatives
    ("", "", "Kyra", True),
    ("Team,squad,EF,,,,\n", "Team", "Kyra", True),
    ("Team,squad,EF,,,,\n", "Team", "Team", True),
    ("Team,squad,EF,,,,\nSven,npc,EF,Team,,,operative\n", "Team", "Team", True),
    ("Team,squad,EF,,,,\nSven,npc,EF,Team,,,lucky\n", "Team", "Team", False),
    ("Team,squad,EF,,,,\nSven,npc,EF,Team,,,lucky\n", "Team", "Kyra", False),
    ("Team,ship,EF,,,,\n", "Team", "Team", False),  # a ship's crew isn't saved
]


@pytest.mark.parametrize(
    ("beside", "squad", "who", "entirely"),
    [
        *(pytest.param(*case, marks=pytest.mark.slow) for case in ALL_OPERATIVES[:3]),
        *ALL_OPERATIVES[3:5],
        *(pytest.param(*case, marks=pytest.mark.slow) for case in ALL_OPERATIVES[5:]),
    ],
)
async def test_a_lone_operative_and_a_squad_of_them_are_entirely_so(
    world: World, beside: str, squad: str, who: str, *, entirely: bool
) -> None:
    """Alone, or if all members are."""
    await save(world, beside + OPERATIVE.format(squad=squad))
    for command, role, options in (
        ("patrol", "target", {"patrol": "Kilo", "target": who}),  # 57
        ("scout", "scouter", {"scouter": who, "base": "Fort"}),  # 101
        ("detect", "hider", {"detector": "Owl", "hidden": who}),  # 143
        ("detect", "detector", {"detector": who, "hidden": "Ghost"}),  # 155
    ):
        card = await card_of(world, command, **options)
        assert (f"{role}.all-operative" in ticked(card, role)) == entirely


@pytest.mark.slow
async def test_a_unit_of_rogues_is_rogue_by_its_side(world: World) -> None:
    """Lines 121, 297, 326 and 352."""
    await save(world, "Den,base,Rogues,,,,\n", "Vera,pc,Rogues,,,,\n", "Pack,squad,Rogues,,,,merchant-contact\n")
    assert "base.rogue-owned" in ticked(await card_of(world, "scout", scouter="Jonas", base="Den"), "base")
    assert "target.rogue-merchant-contact" in ticked(
        await card_of(world, "patrol", patrol="K", target="Pack"), "target"
    )
    await world.gm.slash(world.orders, "capture", captive="Vera", by="Rogues", at="Den")
    card = await card_of(world, "escape", captive="Vera")
    assert "base.rogue-owned" in ticked(card, "base")
    assert "captive.ss-veteran-or-rogue" in ticked(card, "captive")


async def test_a_secret_member_is_on_no_players_card(world: World) -> None:
    """An open member's traits are everyone's to see."""
    await save(world, SHIP, "Mirai,npc,Zeon,White Base,9,yes,lucky; smuggler\n", "Kai,pc,EF,White Base,,,smuggler\n")
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    card = await card_of(world, "patrol", world.player, **AS_TARGET)
    assert ticked(card, "target") == {"target.ship"}
    assert ticked(await more_of(world.player, card), "passage") == {"target.smuggler"}
    assert "Mirai" not in str(list(components(card)))
    assert {"target.newtype", "target.lucky"} <= ticked(await card_of(world, "patrol", **AS_TARGET), "target")


async def test_a_secret_member_does_not_show_by_what_is_missing(world: World) -> None:
    """Secret members don't change that."""
    await save(world, "Team,squad,EF,,,,\n", OPERATIVE.format(squad="Team"), "Mirai,npc,Zeon,Team,,yes,lucky\n")
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    for actor in (world.player, world.gm):
        card = await card_of(world, "patrol", actor, patrol="Kilo", target="Team")
        assert "target.all-operative" in ticked(card, "target")


@pytest.mark.slow
async def test_who_is_held_in_secret_does_not_show_by_what_is_missing(world: World) -> None:
    """A secret capture changes no player's card."""
    await save(world, SHIP, AMURO)
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    before = ticked(await card_of(world, "patrol", world.player, **AS_TARGET), "target")
    await world.gm.slash(world.orders, "capture", captive="Amuro", by="Zeon", at="Fort")
    assert ticked(await card_of(world, "patrol", world.player, **AS_TARGET), "target") == before
    assert ticked(await card_of(world, "patrol", **AS_TARGET), "target") == {"target.ship"}


async def test_a_secret_captivity_takes_no_squad_from_a_players_card(world: World) -> None:
    """Players who don't know see the squad."""
    await save(world, "Team,squad,EF,,,,all-stealth\n", "Kai,pc,EF,Team,,,\n")
    await world.gm.slash(world.orders, "gm settings", players_may="detection")
    await world.gm.slash(world.orders, "capture", captive="Kai", by="Zeon", at="Fort")
    seen = await card_of(world, "detect", world.player, detector="Watch", hidden="Kai")
    assert ticked(seen, "hider") == {"hider.all-stealth", "hider.squad"}
    assert ticked(await card_of(world, "detect", detector="Watch", hidden="Kai"), "hider") == set()


@pytest.mark.slow
async def test_who_is_held_in_secret_does_not_show_by_the_sum(world: World) -> None:
    """A published result keeps die and sum."""
    await save(world, SHIP, AMURO)
    await world.gm.slash(world.orders, "capture", captive="Amuro", by="Zeon", at="Fort")
    assert KEPT not in await roll_published(world, "Zaku", patrol="Lima")
    assert KEPT in await roll_published(world, "White Base")


@pytest.mark.slow
async def test_a_squad_is_not_told_apart_by_who_is_held_in_secret(world: World) -> None:
    """It counts, but isn't shown."""
    await save(world, "Team,squad,EF,,,,\n", OPERATIVE.format(squad="Team"), "Mirai,npc,EF,Team,,,lucky\n")
    await world.gm.slash(world.orders, "capture", captive="Mirai", by="Zeon", at="Fort")
    shown = await roll_published(world, "Team")
    assert "target.all-operative" in count_facts(world)
    assert KEPT in shown
    assert "perative" not in shown


KEPT = "*Dice and modifiers: game masters only.*"


async def roll_published(world: World, target: str, patrol: str = "Kilo") -> str:
    """What a player sees of a published patrol."""
    await roll_command(world, "patrol", 18, patrol=patrol, target=target, roll="now")
    ((number,),) = rows(world, "select max(number) from entry")
    await send_raw(world.gm, world.staff, f"publish:1:{number}:now")
    return said(await world.player.slash(world.orders, "ledger", entry=number))
