"""The trait card."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from bot.app import KINDS
from bot.cogs.roster import embed
from bot.cogs.roster.embed import ProfileView
from bot.cogs.roster.trait_view import PickTraits, after_pick, draw, trait_lists
from bot.core import audit, schema
from bot.core.profiles import Profile
from bot.ui.text import plain
from rules.book import Trait
from tests.cogs.roster.saving import add
from tests.cogs.roster.test_roster import let_players_edit, save_unit
from tests.rolls.card.test_card_view import within_limits
from tests.support.acting import released, removed
from tests.support.backend import GM, House
from tests.support.reading import assert_says, components, control, offers, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.subjects import kept
from tests.support.world import BOOKS, World, entry, nothing_written, send_raw

TRAITS = BOOKS["campaign"].traits
LONGEST = "Ω:Ж:" * 15


async def turn_to(actor: Any, card: Any, key: str) -> Any:  # noqa: ANN401
    """Turn a card to a list's page."""
    if not offers(card, f"pick:{key}/") and offers(card, "page"):
        await actor.click(card, custom_id=press(card, "page"))
    return card


async def pick(actor: Any, card: Any, key: str, *traits: str) -> Any:  # noqa: ANN401
    """Leave these ticked in a list."""
    return await actor.select(card, list(traits), custom_id=press(await turn_to(actor, card, key), f"pick:{key}/"))


def list_ticked(card: Any, key: str) -> set[str]:  # noqa: ANN401
    """What is ticked in a list."""
    return {item["value"] for item in control(card, f"pick:{key}/")["options"] if item.get("default")}


def read_traits(world: World, name: str) -> dict[str, int]:
    """Stored traits."""
    traits: dict[str, int] = kept(world, name)["profile"]["traits"]
    return traits


async def test_there_is_a_select_for_each_group_that_fits(world: World) -> None:
    """Each trait once, 25 at most."""
    for what, options in (("unit", {"kind": "base"}), ("character", {})):
        card = await save_unit(world, what, name=f"One {what}", **options)
        offered = list_offered(card)
        within_limits(card)
        if offers(card, "page"):
            await world.gm.click(card, label="More traits")
            offered += list_offered(card)
        wanted = [item.id for item in TRAITS.values() if what in item.on and not item.counted]
        assert sorted(value for value in offered if value != "-") == sorted(wanted)
        within_limits(card)


def list_offered(card: Any) -> list[str]:  # noqa: ANN401 - a message
    """Values of all selects."""
    return [item["value"] for found in components(card) if found["type"] == 3 for item in found["options"]]


@pytest.mark.parametrize(
    "kind", ["ship", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("squad", "fleet", "outpost", "base"))]
)
async def test_a_card_fits_a_telephone_at_first(world: World, kind: str) -> None:
    """Four selects; a base's buildings come first."""
    card = await save_unit(world, name="One", kind=kind)
    first = [item["custom_id"].rpartition("pick:")[2] for item in components(card) if item["type"] == 3]
    assert len(first) == 4
    assert (first[:2] == ["base type/0", "buildings/0"]) is (kind in {"base", "outpost"})
    await world.gm.click(card, label="More traits")
    behind = [item["custom_id"].rpartition("pick:")[2] for item in components(card) if item["type"] == 3]
    assert behind[-3:] == ["rank/0", "specialisations/0", "services/0"]
    assert not set(first) & set(behind)
    await pick(world.gm, card, "specialisations", "lucky")
    assert list_ticked(card, "specialisations") == {"lucky"}, "the page stays"
    await world.gm.click(card, label="Back")
    assert offers(card, f"pick:{first[0]}")


async def test_what_is_picked_is_kept_shown_and_entered_once(world: World) -> None:
    """Other groups stay."""
    card = await save_unit(world, name="White Base")
    await pick(world.gm, card, "crew", "newtype", "detector-unit")
    await pick(world.gm, card, "=territory", "enemy-territory")
    await pick(world.gm, card, "crew", "detector-unit")
    assert list_ticked(card, "crew") == {"detector-unit"}
    assert list_ticked(card, "=territory") == {"enemy-territory"}
    assert_says(text(card), "Saved: entry #6", "**Crew:** Detector unit aboard")
    assert read_traits(world, "White Base") == {"detector-unit": 1, "enemy-territory": 1}
    body = entry(world)
    assert (body["deed"], body["before"], body["after"]) == ("traits", {"Newtype aboard": 1}, {"Newtype aboard": 0})
    assert "no longer: Newtype aboard" in said(await world.gm.slash(world.orders, "ledger"))
    await require_whole(world)


async def test_of_alternatives_one_or_none_is_picked(world: World) -> None:
    """With none of them."""
    card = await turn_to(world.gm, await save_unit(world, name="Fort", kind="base"), "=cellblock")
    select = control(card, "pick:=cellblock/")
    assert (select["min_values"], select["max_values"]) == (1, 1)
    assert list_ticked(card, "=cellblock") == {"-"}
    await pick(world.gm, card, "=cellblock", "enlarged-cellblock")
    await pick(world.gm, card, "=cellblock", "no-cellblock")
    assert list_ticked(card, "=cellblock") == {"no-cellblock"}
    assert read_traits(world, "Fort") == {"no-cellblock": 1}
    await pick(world.gm, card, "=cellblock", "-")
    assert read_traits(world, "Fort") == {}


NO_NUMBERS = [
    ("many", "isn't a number"),
    ("-1", "isn't a number"),
    ("101", "can't count 101 times"),
    ("1e3", "isn't a num"),
]


async def test_numbers_are_checked_and_merged(world: World) -> None:
    """Two open windows merge."""
    card = await save_unit(world, name="Fort", kind="base")
    for typed, words in NO_NUMBERS:
        with nothing_written(world):
            window = await world.gm.click(card, custom_id=press(card, "counts:0"))
            assert words in refused(await world.gm.submit_modal(window, {"detector-types": typed}))
    one = await world.gm.click(card, custom_id=press(card, "counts:0"))
    two = await world.gm.click(card, custom_id=press(card, "counts:0"))
    await world.gm.submit_modal(one, {"detector-types": "3"})
    await world.gm.submit_modal(two, {"non-r-ships": "2"})
    assert read_traits(world, "Fort") == {"detector-types": 3, "non-r-ships": 2}


async def test_a_pick_that_changes_nothing_is_no_entry(world: World) -> None:
    """Nothing is written."""
    card = await save_unit(world, name="Fort", kind="base")
    await pick(world.gm, card, "crew", "newtype")
    with nothing_written(world):
        await pick(world.gm, card, "crew", "newtype")
    assert list_ticked(card, "crew") == {"newtype"}


@pytest.mark.slow
async def test_two_people_at_once_merge(world: World) -> None:
    """In two entries."""
    card = await save_unit(world, name="White Base")
    other = response(await world.gm2.slash(world.orders, "unit", name="White Base"))
    await pick(world.gm, card, "crew", "newtype")
    await pick(world.gm2, other, "specialisations", "lucky")
    assert read_traits(world, "White Base") == {"newtype": 1, "lucky": 1}
    assert list_ticked(other, "specialisations") == {"lucky"}
    assert list_ticked(await turn_to(world.gm2, other, "crew"), "crew") == {"newtype"}
    await require_whole(world)


@pytest.mark.slow
async def test_two_writers_at_once_merge(house: House) -> None:
    """In ten entries."""
    view = await add(house, "White Base", "base")
    wanted = [one for one in trait_lists(view.traits, "base") if not one.single]
    before = len(await house.entries())
    picks = (PickTraits(page=0, number=view.profile.id, key=one.key, chosen=[one.members[0].id]) for one in wanted)
    await asyncio.gather(*map(house.act, picks))
    now = await house.database.read(embed.show_profile, house.resolver, GM, house.campaign, "White Base")
    assert set(now.profile.traits) == {one.members[0].id for one in wanted}
    assert len(await house.entries()) == before + len(wanted)
    assert [item.faults for item in await audit.check_ledgers(house.database, KINDS)] == [()]


@pytest.mark.slow
async def test_the_card_works_after_a_restart_and_with_the_longest_names(world: World) -> None:
    """Ids fit, and old messages work."""
    card = await save_unit(world, name=LONGEST)
    assert len(LONGEST) == 60
    within_limits(card)
    await world.restart()
    await pick(world.gm, card, "crew", "newtype")
    assert list_ticked(card, "crew") == {"newtype"}
    window = await world.gm.click(card, custom_id=press(card, "counts:0"))
    await world.restart()
    await world.gm.submit_modal(window, {"non-r-ships": "2"})
    assert read_traits(world, LONGEST) == {"newtype": 1, "non-r-ships": 2}


async def test_who_may_not_edit_sees_no_controls_and_is_refused_at_the_press(world: World) -> None:
    """Until editing is open."""
    card = await save_unit(world, "character", name="Kai", owner=world.player)
    mine = response(await world.player.slash(world.orders, "unit", name="Kai"))
    assert not offers(mine, "pick")
    key = press(card, "pick:rank/")
    for actor in (world.player, world.stranger):
        with nothing_written(world):
            refused(await send_raw(actor, world.orders, key, "officer"))
    await let_players_edit(world)
    mine = response(await world.player.slash(world.orders, "unit", name="Kai"))
    await pick(world.player, mine, "specialisations", "lucky")
    assert read_traits(world, "Kai") == {"lucky": 1}
    await world.gm.slash(world.orders, "gm settings", players_may="none")
    with nothing_written(world):
        refused(await pick(world.player, mine, "specialisations"))


FORGED: list[tuple[str, tuple[str, ...]]] = [
    ("pick:crew/0", ("pilot",)),
    ("pick:crew/0", ("officer",)),
    ("pick:=territory/0", ("enemy-territory", "friendly-territory")),
    ("pick:nothing/0", ("newtype",)),
    ("pick", ()),
    ("counts:7", ()),
    ("counts:x", ()),
    ("counted:0", ()),
    ("sink", ()),
    ("page:1", ()),
]


async def test_what_was_never_offered_is_refused(world: World) -> None:
    """Nothing is written."""
    card = await save_unit(world, name="White Base")
    stem = press(card, "pick:crew/").partition(":pick")[0]
    for deed, values in FORGED:
        with nothing_written(world, deed):
            refused(await send_raw(world.gm, world.orders, f"{stem}:{deed}", *values))


async def test_a_card_follows_its_unit_and_tells_when_it_is_gone(world: World) -> None:
    """Renamed, it still works."""
    card = await save_unit(world, name="White Base")
    await world.gm.slash(world.orders, "roster edit", name="White Base", new_name="Argama")
    await pick(world.gm, card, "crew", "newtype")
    assert read_traits(world, "Argama") == {"newtype": 1}
    await removed(world, name="Argama")
    assert "was removed" in refused(await pick(world.gm, card, "crew", "newtype"))
    stem = press(card, "pick:crew/").replace("traits:1:", "traits:9:")
    assert "isn't on this server" in refused(await send_raw(world.gm, world.orders, stem, "newtype"))


async def test_a_secret_unit_is_gone_for_players_at_the_press(world: World) -> None:
    """They learn nothing."""
    card = await save_unit(world, name="White Base", secret=True)
    answer = refused(await send_raw(world.player, world.orders, press(card, "pick:crew/"), "newtype"))
    assert "White" not in answer
    assert "was removed" in answer


async def test_traits_that_the_books_lost_are_shown_and_kept(world: World) -> None:
    """Under its id."""
    await save_unit(world, name="White Base")
    kept = schema.state.c.name == "profile"

    def lose(tx: sa.Connection) -> None:
        profile = tx.scalars(sa.select(schema.state.c.value).where(kept)).one()
        tx.execute(sa.update(schema.state).where(kept).values(value={**profile, "traits": {"cloaked": 1}}))

    await world.bots[-1].database.write(lose)
    card = response(await world.gm.slash(world.orders, "unit", name="White Base"))
    assert "**No longer in the books:** cloaked" in text(card)
    await pick(world.gm, card, "crew", "newtype")
    await world.gm.slash(world.orders, "roster edit", name="White Base", side="EF")
    assert read_traits(world, "White Base") == {"cloaked": 1, "newtype": 1}


def view_base(known: dict[str, Trait], **fields: Any) -> ProfileView:  # noqa: ANN401
    """A base as game masters see it."""
    campaign: Any = SimpleNamespace(id=2**31, players_may=(), archived_at=None)
    item = Profile("*" * 60, "base", **fields)
    members = ("_" * 60,) * 200
    return ProfileView(campaign, item, known, 2**62, members, editable=True, revision=10**9, entry=10**9, leads=True)


def message(view: Any) -> Any:  # noqa: ANN401
    """A view as a message."""
    return SimpleNamespace(components=view.to_components())


def test_a_card_with_everything_on_it_fits() -> None:
    """With a count of the rest."""
    full = {item.id: 1 for item in TRAITS.values() if "unit" in item.on}
    made = view_base(dict(TRAITS), traits=full, side="~" * 60, region="`" * 60, secret=True)
    shown = message(draw(made))
    within_limits(shown)
    answer = "".join(item["content"] for item in components(shown) if item["type"] == 10)
    assert "more" in answer
    assert [item.label for item in TRAITS.values() if item.id in full and plain(item.label) not in answer] == []


def test_more_groups_than_a_message_holds_are_dealt_to_pages() -> None:
    """Every page fits."""
    many = [Trait(f"t{n}", f"T {n}", frozenset({"unit"}), f"group {n % 40}") for n in range(120)]
    many += [Trait(f"big{n}", "B" * 200, frozenset({"unit"}), "a:" * 40) for n in range(60)]
    many += [Trait(f"one{n}", "One", frozenset({"unit"}), "alone", one_of="alone") for n in range(30)]
    made = view_base({item.id: item for item in many})
    offered: set[str] = set()
    for page in range(9):
        shown = message(draw(made, page))
        within_limits(shown)
        offered |= {item["value"] for found in components(shown) if found["type"] == 3 for item in found["options"]}
    assert offered - {"-"} == {item.id for item in many}


def test_alternatives_give_way_over_lists_and_groups() -> None:
    """The last pick stays."""
    many = {f"one{n}": Trait(f"one{n}", "One", frozenset({"unit"}), "g", one_of="set") for n in range(30)}
    first, second = trait_lists(many, "unit")
    held = after_pick({"one2": 1, "other": 1}, many, second, ["one29"])
    assert held == {"other": 1, "one29": 1}
    assert after_pick(held, many, first, ["one0"]) == {"other": 1, "one0": 1}
    assert after_pick(held, many, first, []) == held


async def test_a_card_offers_what_fits_the_kind(world: World) -> None:
    """Carried traits can be removed."""
    card = await save_unit(world, name="Fort", kind="base")
    assert offers(card, "pick:base type/")
    assert not offers(await turn_to(world.gm, card, "=domain"), "pick:domain/"), "one select has that name"
    assert control(card, "pick:=domain/")["placeholder"] == "Domain: one of these"
    await pick(world.gm, card, "base type", "urban")
    ship = await save_unit(world, name="Argama", kind="ship")
    assert not offers(ship, "pick:base type/")
    await turn_to(world.gm, ship, "buildings")
    assert not offers(ship, "pick:base type/")
    assert {item["value"] for item in control(ship, "pick:buildings/")["options"]} == {"damaged-cellblock"}
    assert offers(ship, "pick:=cellblock/")
    squad = await save_unit(world, name="Zaku team", kind="squad")
    assert not offers(squad, "pick:=cellblock/")
    assert not offers(await turn_to(world.gm, squad, "=cellblock"), "pick:=cellblock/")
    moved = response(await world.gm.slash(world.orders, "roster edit", name="Fort", kind="ship"))
    await turn_to(world.gm, moved, "base type")
    assert {item["value"] for item in control(moved, "pick:base type/")["options"]} == {"urban"}
    await pick(world.gm, moved, "base type")
    assert read_traits(world, "Fort") == {}


async def test_a_card_tells_how_things_stand(world: World) -> None:
    """To those who may know."""
    await save_unit(world, "character", name="Kai", owner=world.player)
    await save_unit(world, "character", name="Ryu")
    for name in ("Kai", "Ryu"):
        await world.gm.slash(world.orders, "capture", captive=name, by="Red", at="Fort Anvil")
        await world.gm.slash(world.orders, "gm effect", who=name, effect="cracked")
        await world.gm.slash(world.orders, "gm effect", who=name, effect="rescue-attempt")
    for actor, name, answer in ((world.gm, "Ryu", True), (world.player, "Kai", True), (world.player, "Ryu", False)):
        shown = text(response(await actor.slash(world.orders, "unit", name=name)))
        assert ("held by Red at Fort Anvil" in shown) is answer
        assert ("\N{BULLET} cracked" in shown) is answer
        assert ("cracked (entry #" in shown) is (actor is world.gm), "whoever may not read an entry is told no number"
        assert "Another player tries a rescue" in shown
    await released(world.gm, world.orders, captive="Kai")
    shown = text(response(await world.gm.slash(world.orders, "unit", name="Kai")))
    assert "released (entry #" in shown
    assert "racked" not in shown


@pytest.mark.slow
async def test_a_region_without_weather_is_pointed_out(world: World) -> None:
    """Only editors read it."""
    card = await save_unit(world, name="Fort", kind="base", region="Corral Sea")
    assert "There's no weather for the region Corral Sea. Did you mean Coral Sea?" in text(card)
    shown = response(await world.player.slash(world.orders, "unit", name="Fort"))
    assert "The weather knows" not in text(shown)
    fixed = response(await world.gm.slash(world.orders, "roster edit", name="Fort", region="coral sea"))
    assert "The weather knows" not in text(fixed)
