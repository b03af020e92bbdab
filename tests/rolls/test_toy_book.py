from __future__ import annotations

from fractions import Fraction

import msgspec
import pytest
from discord import ui
from msgspec.structs import replace

from bot.cogs.campaign.groups import SaveGroup
from bot.core.ledger import EntryView
from bot.core.permissions import Person, find_readable
from bot.core.records import Entry
from bot.core.visibility import make_player_viewer
from bot.rolls.card.layout import Page, draw
from bot.rolls.card.service import open_card
from bot.rolls.embed import result_pages
from bot.rolls.request import PartRequest, RollRequest
from bot.rolls.resolver import RollResult
from rules.errors import RollError
from tests.cogs.roster.saving import add
from tests.support.backend import GM, PLAYER, House
from tests.support.reading import assert_lacks, assert_says
from tests.support.soundness import require_whole


def ask_ann(family: str, *resisters: str, **inputs: object) -> RollRequest:
    """Ask Ann to roll against these."""
    subjects = [{"actor": "Ann", "resister": name} for name in resisters] or [{"actor": "Ann"}]
    parts = tuple(PartRequest(subjects=names, inputs=dict(inputs)) for names in subjects)
    return RollRequest(book="toy", family=family, parts=parts)


async def roll_with(toys: House, request: RollRequest, *dice: int | tuple[int, int]) -> RollResult:
    """Roll with exactly these dice."""
    toys.dice.script_dice(*((100, die) if isinstance(die, int) else die for die in dice))
    made = await toys.roll_as_they_fall(request)
    toys.dice.finish()
    return made


def find_texts(entry: Entry) -> list[str]:
    """Return each part's public text."""
    pages = result_pages(EntryView(entry, "Iron Sea"), "public")
    return [f"{embed.title}\n{embed.description}" for page in pages for embed in page]


async def test_a_check_tells_what_it_had_to_reach(toys: House) -> None:
    """With die, bonus, total and value."""
    (shown,) = find_texts((await roll_with(toys, ask_ann("climb"), 57)).entry)
    assert_says(shown, "Gets up", "1d100: **57** + 0 = **57** against **50**")
    await require_whole(toys)


async def test_what_a_cap_holds_is_told(toys: House) -> None:
    """With the uncapped sum."""
    climb = ask_ann("climb")
    (part,) = climb.parts
    ticked = climb.with_part(0, replace(part, marks={"actor.rope": 1, "actor.ladder": 1}))
    (shown,) = find_texts((await roll_with(toys, ticked, 19)).entry)
    assert "1d100: **19** + 30 (limit, from +40) = **49** against **50**" in shown


@pytest.mark.slow
async def test_a_contest_of_one_against_many_throws_one_die_for_all(toys: House) -> None:
    """Each part shows it."""
    made = await roll_with(toys, ask_ann("duel", "Bob", "Cid"), 60, 59, 61)
    first, second = find_texts(made.entry)
    assert "1d100: **60** + 0" in first
    assert "1d100: **60** (the same die)" in second
    assert "Struck" in first.partition("\n")[0]
    assert "Parried" in second.partition("\n")[0]
    assert "1d100: **61** + 0 = **61** against **60**" in second
    await require_whole(toys)


@pytest.mark.slow
async def test_of_several_who_strike_each_throws_a_die(toys: House) -> None:
    """The card has no joint odds."""
    request = ask_ann("duel", "Bob", "Cid", "Dan")
    cid = replace(request.parts[1], subjects={"actor": "Eve", "resister": "Cid"})
    request = request.with_part(1, cid)
    assert not [line for line in await card(toys, request) if line.startswith("All")]
    made = await roll_with(toys, request, 60, 59, 70, 71, 61)
    first, second, third = find_texts(made.entry)
    assert "1d100: **60** + 0" in first
    assert "1d100: **70** + 0" in second
    assert "1d100: **60** (the same die)" in third
    await require_whole(toys)


async def card(toys: House, request: RollRequest, person: Person = GM, page: Page = "card") -> list[str]:
    """Return a card page's lines."""
    view = await toys.database.write(open_card, toys.resolver, person, toys.campaign, request)
    shown = draw(view, 0, page=page).walk_children()
    return "\n".join(item.content for item in shown if isinstance(item, ui.TextDisplay)).splitlines()


@pytest.mark.slow
async def test_the_card_of_one_against_many_tells_how_they_fare_together(toys: House) -> None:
    """Shared dice make agreement likelier."""
    request = ask_ann("duel", "Bob", "Cid", "Dan")
    lines = await card(toys, request)
    assert "All 3 Struck: **24.5%**; at least one: **74.5%**" in lines
    assert "All 3 Parried: **25.5%**; at least one: **75.5%**" in lines
    lines = await card(toys, request, page="details")
    assert "-# 0 of 3: 25.5%, 1 of 3: 25%, 2 of 3: 25%, 3 of 3: 24.5%" in lines
    assert "-# Bob: Struck, Cid: Struck, Dan: Parried \N{MIDDLE DOT} 8.33%" in lines
    assert "Both Struck: **32.84%**; at least one: **66.17%**" in await card(toys, ask_ann("charge", "Bob", "Cid"))
    assert not any("at least one" in line for line in await card(toys, ask_ann("duel", "Bob")))
    assert not any(
        "at least one" in line
        for line in await card(toys, ask_ann("volley", "Bob", "Cid", tries=1, values={"toy.damage": 4}))
    )


@pytest.mark.parametrize("many", [4, 25])
@pytest.mark.slow
async def test_a_card_of_many_with_long_names_fits(toys: House, many: int) -> None:
    """With all combinations in Details."""
    request = ask_ann("duel", *(f"*{number}*".ljust(60, "_") for number in range(many)))
    pages: tuple[Page, ...] = ("card", "details")
    for lines in [await card(toys, request, page=page) for page in pages]:
        assert any(line.startswith(f"All {many} Struck: ") for line in lines)
        assert len("\n".join(lines)) <= 4000


@pytest.mark.slow
async def test_what_parts_come_to_together_is_told_as_far_as_one_knows(toys: House) -> None:
    """Secrets move the odds only for game masters."""
    toys.campaign = await toys.edit({"players_may": "duel"})
    await add(toys, "Ann", "pc", fields="accuracy: -5; gear: Scope")

    async def joint(person: Person) -> list[str]:
        shown = await card(toys, ask_ann("duel", "Bob", "Cid"), person)
        return [line for line in shown if "at least one" in line]

    before = await joint(PLAYER)
    assert before == await joint(GM) != []
    await add(toys, "Scope", "thing", fields="accuracy: 12", secret=True)
    assert await joint(PLAYER) == before
    assert not {*await joint(GM)} & {*before}


@pytest.mark.slow
async def test_a_contest_is_amended_with_the_dice_that_fell(toys: House) -> None:
    """Forgotten cover; no new die."""
    await roll_with(toys, ask_ann("duel", "Bob", "Cid"), 60, 59, 50)

    def covered(request: RollRequest, *_: object) -> RollRequest:
        return request.with_part(0, replace(request.parts[0], marks={"resister.cover": 1}))

    amended = await toys.amend(3, covered)
    parts = amended.entry.content()["parts"]
    assert [part["outcome"]["id"] for part in parts] == ["parried", "struck"]
    assert [step["faces"] for part in parts for step in part["steps"]] == [[60], [59], [60], [50]]
    assert [part["unused"] for part in parts] == [[], []]
    await require_whole(toys)


async def test_strikes_tell_every_try_and_what_they_came_to(toys: House) -> None:
    """Misses too; hits need no die."""
    fire = ask_ann("volley", "Bob", tries=3, values={"toy.damage": 4})
    made = await roll_with(toys, fire, 41, 40, (6, 5), 1, (6, 6))
    (shown,) = find_texts(made.entry)
    assert "1d100: **41**, at most 40 + 0 = **40** \N{RIGHTWARDS ARROW} Wide" in shown
    assert "1d6: **5** + 0 = **5** against **4** \N{RIGHTWARDS ARROW} Through" in shown
    assert "2 + 0 = **2** \N{RIGHTWARDS ARROW} Sunk" in shown
    assert "Bob dies" in shown
    await require_whole(toys)


async def test_a_contest_is_a_groups_to_know(toys: House) -> None:
    """Only its members read the entry."""
    red = (await toys.act(SaveGroup(number=0, seen=0, name="Red side", role="77", channel="88"))).entry.audience
    made = await roll_with(toys, replace(ask_ann("duel", "Bob", "Cid"), to=red), 60, 59, 61)
    assert made.entry.audience == red
    assert {(post.kind, post.channel_id) for post in made.posts} == {("group", 88)}
    assert [shown.split(" \N{MIDDLE DOT} ")[1] for shown in find_texts(made.entry)] == ["Struck", "Parried"]
    inside = msgspec.structs.replace(PLAYER, roles=PLAYER.roles | {77})
    for person, seen in ((inside, made.entry.number), (GM, made.entry.number), (PLAYER, None)):
        found = await toys.database.read(find_readable, person, toys.campaign, made.entry.number)
        assert (found and found.number) == seen
    await require_whole(toys)


async def test_a_roll_without_its_number_leaves_nothing(toys: House) -> None:
    """It's refused before any die."""
    before = await toys.entries()
    with pytest.raises(RollError, match="Damage: a number to read it against is missing"):
        await toys.roll(ask_ann("volley", "Bob", tries=1))
    assert await toys.entries() == before


async def arm_ann(toys: House, **scope: object) -> None:
    """Save Ann with two scopes and a laser."""
    await add(toys, "Scope", "thing", fields="accuracy: 12", **scope)
    await add(toys, "Laser", "thing", fields="accuracy: 8")
    await add(toys, "Ann", "pc", fields="accuracy: -5; school: Old Owl; gear: Scope, SCOPE, Laser, Whetstone")


async def test_what_is_saved_counts_by_its_signed_value_and_origin(toys: House) -> None:
    """One item of each name counts."""
    await arm_ann(toys)
    preview = await toys.database.read(toys.resolver.preview, toys.campaign, ask_ann("duel", "Bob"))
    (part,) = preview.parts
    assert part.stages[0].sum == -5 + 12 + 8 + 5 + 3
    assert part.ticks["actor.accuracy"].values == (15,)
    origin = part.count_tick("actor.accuracy")[1]
    assert origin is not None
    assert origin.label == "Ann -5, Scope +12, Laser +8"
    (struck,) = [item.chance for item in part.odds if item.conclusion.outcome == "struck"]
    made = await roll_with(toys, ask_ann("duel", "Bob"), 37, 60)
    assert struck == Fraction(brute_force(part.stages[0].sum), 10_000)
    (shown,) = find_texts(made.entry)
    assert "+15 Accuracy (Ann -5, Scope +12, Laser +8)" in shown
    assert "+5 Old Owl (Ann)" in shown
    assert "1d100: **37** + 23 = **60**" in shown
    await require_whole(toys)


def brute_force(plus: int) -> int:
    """Count winning pairs of faces."""

    def struck(mine: int, other: int) -> bool:
        if other in {1, 100}:
            return other == 1 if mine != 1 else False
        return mine == 100 or (mine != 1 and other < mine + plus)

    return sum(struck(mine, other) for mine in range(1, 101) for other in range(1, 101))


@pytest.mark.slow
async def test_what_is_taken_away_by_hand_counts_no_more_and_a_typed_number_instead(toys: House) -> None:
    """Unticked is 0; a typed count replaces it."""
    await arm_ann(toys)
    for names, marks, total in (
        ({"actor": "Ann"}, {"actor.accuracy": 0}, 8),
        ({"actor": "Ann"}, {"actor.accuracy": 1}, 23),
        ({"actor": "Ann"}, {"actor.accuracy": 4}, 12),
        ({"actor": "Nobody"}, {"actor.accuracy": 4}, 4),
    ):
        part = PartRequest(subjects={**names, "resister": "Bob"}, marks=marks)
        request = RollRequest(book="toy", family="duel", parts=(part,))
        preview = await toys.database.read(toys.resolver.preview, toys.campaign, request)
        assert preview.parts[0].stages[0].sum == total


async def test_a_thing_that_players_may_not_know_counts_and_is_not_told(toys: House) -> None:
    """Die and sum stay hidden."""
    await arm_ann(toys, secret=True)
    player = make_player_viewer(toys.campaign)
    preview = await toys.database.read(toys.resolver.preview, toys.campaign, ask_ann("duel", "Bob"), player)
    assert preview.parts[0].stages[0].sum == 23 - 12
    made = await roll_with(toys, ask_ann("duel", "Bob"), 37, 61)
    assert made.entry.content()["parts"][0]["steps"][0]["total"] == 60
    (shown,) = find_texts(made.entry)
    assert_lacks(shown, "Scope", "37")


@pytest.mark.slow
async def test_a_wound_counts_by_its_amount_until_its_time(toys: House) -> None:
    """Four hours by the clock."""
    made = await roll_with(toys, ask_ann("duel", "Bob"), 60, 59)
    assert "Bob is wounded by 15. Bob is dazed" in find_texts(made.entry)[0]
    climb = RollRequest(book="toy", family="climb", parts=(PartRequest(subjects={"actor": "Bob"}),))
    toys.clock.advance(hours=3, minutes=59)
    (shown,) = find_texts((await roll_with(toys, climb, 85)).entry)
    assert "15 Wounded \N{MULTIPLICATION SIGN} 15 (since entry 3)" in shown
    assert "20 Dazed" in shown
    assert "= **50** against **50**" in shown
    toys.clock.advance(minutes=1)
    (shown,) = find_texts((await roll_with(toys, replace(climb, reason="Once more"), 85)).entry)
    assert "Wounded" not in shown
    await require_whole(toys)


@pytest.mark.slow
async def test_a_roll_that_is_amended_is_seen_at_its_time(toys: House) -> None:
    """By the clock of its time."""
    await roll_with(toys, ask_ann("duel", "Bob"), 60, 59)
    bob = RollRequest(book="toy", family="duel", parts=(PartRequest(subjects={"actor": "Bob", "resister": "Cid"}),))
    made = await roll_with(toys, bob, 60, 59)
    ends = {item["name"]: item["after"] for item in made.entry.content()["changes"]}["effect.wounded"]["at"]
    toys.clock.advance(hours=9)

    def again(request: RollRequest, *_: object) -> RollRequest:
        return request.with_part(0, replace(request.parts[0], marks={"actor.scope": 1}))

    amended = await toys.amend(made.entry.number, again)
    after = {item["name"]: item["after"] for item in amended.entry.content()["changes"]}
    assert after["effect.wounded"]["at"] == ends
    await require_whole(toys)


@pytest.mark.slow
async def test_what_ends_with_the_update_and_what_by_the_clock(toys: House) -> None:
    """A closing removes expired wounds."""
    await roll_with(toys, ask_ann("duel", "Ann"), 60, 59)
    nerve = ask_ann("nerve", values={"toy.nerve": 12})
    await roll_with(toys, nerve, (20, 5))
    names = {name for _, name in await toys.state() if name.startswith("effect.")}
    assert names == {"effect.wounded", "effect.rallied"}
    toys.clock.advance(hours=4)
    closed = await toys.close_update()
    assert closed.ended == (("Ann", "rallied"),)
    assert {name for _, name in await toys.state() if name.startswith("effect.")} == {"effect.rallied"}
    await require_whole(toys)

    await toys.take_back(closed.entry)
    assert "effect.wounded" in {name for _, name in await toys.state()}
    await toys.close_update()
    await toys.take_back(3)
    assert "effect.wounded" not in {name for _, name in await toys.state()}
    await require_whole(toys)
