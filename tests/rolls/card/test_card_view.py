from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from bot.app import create_bot
from bot.core.config import Settings
from bot.rolls.card import panel
from bot.rolls.request import PartRequest, RollRequest
from rules.books.campaign.orders import PATROL
from rules.modifiers import Fact, Modifier
from rules.phrases import percent
from rules.procedure import Part
from rules.ruleset import RuleSet, prepare_part, take_fingerprint
from rules.stages import Tickable
from tests.support.acting import more, opened
from tests.support.reading import components, control, odds, option, press, response, text, ticked
from tests.support.world import BOOKS, World, create_campaign, entry, running

BOOK = BOOKS["campaign"]
EIGHTHS = {sign: place + 1 for place, sign in enumerate("▏▎▍▌▋▊▉")}


def exact(stance: str, **marks: int) -> dict[str, str]:
    """Return a patrol's odds in percent, by the rules."""
    procedure = BOOK.procedure("patrol")
    subjects = {"patrol": "Kilo", "target": "Zaku column"}
    part = prepare_part(Part("x", subjects, marks=marks, choices={"stance": stance}), procedure, BOOK)
    return {item.conclusion.text: percent(item.chance) for item in procedure.method.odds(part, BOOK)}


def within_limits(message: Any) -> tuple[int, int]:  # noqa: ANN401
    """Count components and characters; fail beyond Discord's limits."""
    found = list(components(message))
    characters = sum(len(item["content"]) for item in found if item["type"] == 10)
    assert len(found) <= 40
    assert characters <= 4000
    for item in found:
        assert len(item.get("custom_id", "")) <= 100
        if item["type"] == 3:
            assert 1 <= len(item["options"]) <= 25
            values = [one["value"] for one in item["options"]]
            assert len(values) == len(set(values))
            for one in item["options"]:
                assert 1 <= len(one["label"]) <= 100
                assert len(one.get("description") or "") <= 100
    return len(found), characters


async def test_facts_and_typed_modifiers_are_ticked_with_their_reason(world: World) -> None:
    """Known facts are ticked too, and name their source."""
    world.dice.script(17)
    await world.gm.slash(world.orders, "scout", scouter="Jonas", base="Fort Anvil", roll="now")
    card = await opened(world, patrol="Fort Anvil", modifiers="patrol.newtype")
    assert ticked(card, "patrol") == {"patrol.newtype", "patrol.scouted"}
    assert option(card, "tick:patrol:0", "patrol.scouted")["description"] == "since entry 3"
    assert "Since entry 3: \N{MINUS SIGN}3 Patrolling base has been scouted" in text(card).splitlines()


async def test_odds_are_exact_and_follow_every_change(world: World) -> None:
    """Odds follow each tick, stance, count and reset."""
    card = await opened(world, target="Ghost:neutral")
    assert odds(card) == exact("neutral")
    await world.gm.select(card, ["patrol.base"], custom_id=press(card, "tick:patrol:0"))
    assert odds(card) == exact("neutral", **{"patrol.base": 1})
    await world.gm.select(card, ["unfriendly"], custom_id=press(card, "choice:stance"))
    assert odds(card) == exact("unfriendly", **{"patrol.base": 1})
    await world.gm.select(card, ["target.lucky"], custom_id=press(card, "tick:target:0"))
    assert odds(card) == exact("unfriendly", **{"patrol.base": 1, "target.lucky": 1})
    await world.gm.click(card, custom_id=await more(world.gm, card, "reset"))
    assert odds(card) == exact("neutral")
    assert len(odds(card)) == 5


async def test_ten_targets_with_everything_ticked_fit(world: World) -> None:
    """Full names, all modifiers and long adjustments fit."""
    names = [f"*{number}*".ljust(60, "_") for number in range(10)]
    kept: dict[str, str] = {}
    for table in ("campaign.patrol.catch", "campaign.patrol.passage"):
        offered = [item for item in BOOK.table(table).modifiers if item.id not in PATROL.method.decided_by_choice]
        kept.update({item.one_of or item.id: item.id for item in offered})
    card = await opened(
        world,
        patrol="`" * 60,
        target=", ".join(f"{name}:neutral" for name in names),
        modifiers=", ".join(kept.values()),
        region="~" * 60,
        note="*" * 500,
    )
    count, _ = within_limits(card)
    assert count >= 17, "it has all of its parts"
    assert all(
        item.label in text(card) for item in BOOK.table("campaign.patrol.catch").modifiers if item.id in kept.values()
    )
    for _ in range(3):
        shown = await world.gm.click(card, custom_id=press(card, "adjust"))
        await world.gm.submit_modal(shown, {"value": "+2", "reason": "_" * 500, "table": ["campaign.patrol.catch"]})
    within_limits(card)
    assert "**Exact odds**" in text(card)
    for page in ("more", "details"):
        await world.gm.click(card, custom_id=press(card, f"page:{page}"))
        within_limits(card)
        await world.gm.click(card, custom_id=press(card, "page:card"))


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("scout", {"scouter": ", ".join(f"S{number}".ljust(60, "_") for number in range(10)), "base": "*" * 60}),
        ("detect", {"detector": "A, B, C, D, E", "hidden": ", ".join("VWXYZ")}),
        ("detect", {"detector": "A"}),
    ],
)
async def test_every_card_fits(world: World, command: str, options: dict[str, str]) -> None:
    """Cards of other commands fit with all their parts."""
    within_limits(response(await world.gm.slash(world.orders, command, **options)))


def wide_book() -> RuleSet:
    """Return a book with 30 modifiers in one group, two of them alternatives."""
    table = BOOK.table("campaign.scouting")
    extra = tuple(
        Modifier(
            id=f"scouter.extra-{number}",
            value=1,
            label=f"Extra {number}",
            group="extra",
            line=1,
            when=((f"scouter.extra-{number}",),),
            one_of="ends" if number in {0, 29} else None,
        )
        for number in range(30)
    )
    facts = {item.id: Fact("scouter", item.id.removeprefix("scouter."), item.label, secret=False) for item in extra}
    wide = replace(table, modifiers=(*table.modifiers, *extra))
    book = replace(BOOK, tables={**BOOK.tables, table.id: wide}, facts={**BOOK.facts, **facts})
    return replace(book, fingerprint=take_fingerprint(book))


@pytest.mark.slow
async def test_a_group_of_more_than_25_is_dealt_out_to_two_selects(database_url: str) -> None:
    """Alternatives exclude each other across selects."""
    async with running(database_url, campaign=False) as world:
        settings = Settings(database_url=world.database)
        books = {"campaign": wide_book()}
        bot = create_bot(settings, clock=world.clock, dice=world.dice, randomness=world.randomness, books=books)
        world.bots.append(bot)
        await world.env.restart_bot(bot)
        await create_campaign(world)
        card = response(await world.gm.slash(world.orders, "scout", scouter="Jonas", base="Fort"))
        within_limits(card)
        await more(world.gm, card)
        within_limits(card)
        assert [len(control(card, f"tick:+:{chunk}")["options"]) for chunk in (0, 1)] == [25, 5]
        await world.gm.select(card, ["scouter.extra-0", "scouter.extra-1"], custom_id=press(card, "tick:+:0"))
        await world.gm.select(card, ["scouter.extra-29", "scouter.extra-28"], custom_id=press(card, "tick:+:1"))
        assert "Only one of those can apply" in text(card)
        world.dice.script(10)
        await world.gm.click(card, custom_id=press(card, "roll"))
        (step,) = entry(world)["parts"][0]["steps"]
        on = [item["id"] for item in step["modifiers"] if item["count"]]
        assert on == ["scouter.extra-1", "scouter.extra-28", "scouter.extra-29"]


async def test_every_select_is_new_in_every_view_of_a_card(world: World) -> None:
    """No client keeps an old pick."""
    card = await opened(world, target="Ghost, Zaku")
    seen: list[set[int]] = []
    for part in ("1", "0"):
        seen.append({item["id"] for item in components(card) if item["type"] == 3 and "tick" in item["custom_id"]})
        await world.gm.select(card, [part], custom_id=press(card, "part"))
    await world.gm.select(card, ["patrol.ship"], custom_id=control(card, "tick:patrol:0")["custom_id"])
    seen.append({item["id"] for item in components(card) if item["type"] == 3 and "tick" in item["custom_id"]})
    assert all(seen)
    assert sum(map(len, seen)) == len(set().union(*seen))


def small_bars(card: Any) -> list[str]:  # noqa: ANN401
    """Return a card's bars in order."""
    return [line.split("`")[1] for line in text(card).splitlines() if line.startswith("`")]


async def test_bars_tell_small_chances_apart(world: World) -> None:
    """2.5, 5 and 12.5 percent have different bars."""
    card = await opened(world, target="Ghost:neutral", modifiers="target.newtype, patrol.fleet, target.ship")
    bars = dict(zip(odds(card).values(), small_bars(card), strict=True))
    eighths = {
        percent: 8 * bar.count("\N{FULL BLOCK}") + EIGHTHS.get(bar.strip("█░"), 0) for percent, bar in bars.items()
    }
    assert 0 < eighths["2.5%"] < eighths["5%"] < eighths["20%"] < eighths["22.5%"] < eighths["50%"] == 24


SHIP = Tickable("patrol.ship", "Ship", "patrol", (3,), one_of="kind")
FLEET = Tickable("patrol.fleet", "Fleet", "patrol", (5,), one_of="kind")
NEWTYPE = Tickable("patrol.newtype", "Newtype", "patrol", (1,))
LUCKY = Tickable("target.lucky", "Lucky", "target", (-1,))
STORMS = Tickable("weather.storms", "Storms", "conditions", (-1,))
BALLOON = Tickable("service.balloon", "Balloons", "target", (-1,), per="service")
ALL = (SHIP, FLEET, NEWTYPE, LUCKY, STORMS, BALLOON)


def request(*pairs: tuple[str, str]) -> RollRequest:
    """Request patrols for pairs of patrol and target."""
    parts = tuple(PartRequest(subjects={"patrol": patrol, "target": target}) for patrol, target in pairs)
    return RollRequest(book="campaign", family="patrol", parts=parts)


TWO = request(("Kilo", "Ghost"), ("Kilo", "Zaku"))


def marks(changed: RollRequest) -> list[dict[str, int]]:
    """Return each part's ticks."""
    return [part.marks for part in changed.parts]


def test_a_side_is_ticked_wherever_it_stands() -> None:
    """Only parts with the same name in the role follow."""
    three = request(("Kilo", "Ghost"), ("Lima", "Ghost"), ("Kilo", "Zaku"))
    assert marks(panel.tick(three, 0, ALL, added={"patrol.newtype"}, removed=())) == [
        {"patrol.newtype": 1},
        {},
        {"patrol.newtype": 1},
    ]
    assert marks(panel.tick(three, 0, ALL, added={"target.lucky"}, removed=())) == [
        {"target.lucky": 1},
        {"target.lucky": 1},
        {},
    ]


def test_ticks_and_counts_are_a_parts_own() -> None:
    """An untick is 0 and beats facts."""
    assert marks(panel.tick(TWO, 1, ALL, added={"weather.storms"}, removed=())) == [{}, {"weather.storms": 1}]
    assert marks(panel.tick(TWO, 0, ALL, added=(), removed={"patrol.newtype"}))[1] == {"patrol.newtype": 0}
    assert marks(panel.set_count(TWO, 1, {BALLOON: 4})) == [{}, {"service.balloon": 4}]


def test_alternatives_are_unticked_by_the_one_ticked() -> None:
    """No fact brings the rivals back."""
    ticked = panel.tick(TWO, 0, ALL, added={"patrol.ship"}, removed=())
    assert marks(ticked)[0] == {"patrol.ship": 1, "patrol.fleet": 0}
    ticked = panel.tick(ticked, 0, ALL, added={"patrol.fleet"}, removed=())
    assert marks(ticked)[0] == {"patrol.ship": 0, "patrol.fleet": 1}
