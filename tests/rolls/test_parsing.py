from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.core.errors import BadInput
from bot.core.profiles import Profile
from bot.rolls.desk import parse_count, parse_modifiers, parse_targets, suggest_modifiers
from bot.ui import parsing
from rules.books.campaign.orders import STANCE
from rules.errors import BadCount
from rules.stages import Tickable, family_tickables
from rules.subjects import KnownNames, find_near_key
from tests.cogs.captives.cells import save
from tests.support.acting import close_update
from tests.support.reading import newest, offers, press, refused, response, said, text
from tests.support.world import BOOKS, World, entry, rows, send_raw

BOOK = BOOKS["campaign"]
KNOWN = {family: family_tickables(BOOK.procedure(family), BOOK) for family in ("patrol", "scouting", "detection")}
PATROL = KNOWN["patrol"]


def test_names_are_trimmed_and_keep_their_order() -> None:
    """Case stays."""
    assert parsing.names("  Zaku   column ,dom,Ärger ", "target", 10) == ("Zaku column", "dom", "Ärger")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ghost", ("Ghost", "hostile")),
        ("Ghost:neutral", ("Ghost", "neutral")),
        ("Ghost : ALLIED ", ("Ghost", "allied")),
        ("MS: Ghost: friendly", ("MS: Ghost", "friendly")),
        ("RX:78", ("RX:78", "hostile")),
        ("Base: Alpha", ("Base: Alpha", "hostile")),
        ("Base: ", ("Base:", "hostile")),
    ],
)
def test_a_target_may_have_its_own_stance(name: str, expected: tuple[str, str]) -> None:
    """After the last colon."""
    assert parse_targets(name, STANCE, None, 10) == (expected,)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Ghost:unfrendly", "Did you mean unfriendly"),
        ("Ghost: unfrendly", "Did you mean unfriendly"),
        ("T1:angry", "Pick one: hostile, unfriendly, neutral, friendly, allied"),
    ],
)
def test_a_stance_that_is_none_is_not_taken_for_a_name(name: str, hint: str) -> None:
    """A slip is refused with the nearest."""
    with pytest.raises(BadInput, match=hint):
        parse_targets(name, STANCE, None, 10)


@pytest.mark.parametrize(("some", "others"), [(["Kilo"], ["Zaku", " kilo "]), (["Owl", "Lynx"], [None, "LYNX"])])
def test_nobody_stands_on_both_sides(some: list[str], others: list[str | None]) -> None:
    """Whatever case and blanks."""
    with pytest.raises(BadInput, match="is on both sides"):
        parsing.refuse_both(some, others)
    parsing.refuse_both(some, [None, "Somebody else"])


@pytest.mark.parametrize("family", KNOWN)
def test_every_modifier_is_found_by_id_and_by_label(family: str) -> None:
    """Labels with commas too."""
    known = KNOWN[family]
    for words in (list(known), [item.label.upper() for item in known.values()]):
        marks, adjustments = parse_modifiers(", ".join(words), known)
        assert (marks, adjustments) == (dict.fromkeys(known, 1), ())


def test_labels_are_told_apart() -> None:
    """No two labels are the same."""
    for known in KNOWN.values():
        labels = [item.label.casefold() for item in known.values()]
        assert len(labels) == len(set(labels))


@pytest.mark.parametrize("mark", ["*3", " * 3", "x3", " x 3", "\N{MULTIPLICATION SIGN}3"])
def test_a_count_stands_behind_its_line(mark: str) -> None:
    """`*`, `x` or a multiplication sign."""
    assert parse_modifiers(f"service.balloon{mark}", PATROL)[0] == {"service.balloon": 3}


@pytest.mark.parametrize("typed", ["Kilo, Lima", "Kilo\nLima", "Kilo,\r\n Lima\n"])
def test_names_are_separated_by_commas_or_line_breaks(typed: str) -> None:
    """Pasted lists work."""
    assert parsing.names(typed, "name", 2) == ("Kilo", "Lima")


def test_nothing_and_naught_between_modifiers_are_read() -> None:
    """0 removes a fact; empty words are skipped."""
    assert parse_modifiers("patrol.scouted*0", PATROL)[0] == {"patrol.scouted": 0}
    assert parse_modifiers(" ,patrol.ship,, ", PATROL) == ({"patrol.ship": 1}, ())
    assert parse_modifiers(None, PATROL) == ({}, ())


@pytest.mark.parametrize(
    ("text", "value", "reason"),
    [
        ("+2 dust", 2, "dust"),
        ("- 3  old maps", -3, "old maps"),
        ("\N{MINUS SIGN}1 dusk", -1, "dusk"),
        ("\N{EM DASH}1 Rook\N{RIGHT SINGLE QUOTATION MARK}s dusk", -1, "Rook\N{RIGHT SINGLE QUOTATION MARK}s dusk"),
        ("\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH DIGIT TWO}\N{NO-BREAK SPACE}dust", 2, "dust"),
        ("+100 1st day", 100, "1st day"),
    ],
)
def test_an_adjustment_has_sign_number_and_reason(text: str, value: int, reason: str) -> None:
    """In this order."""
    marks, (found,) = parse_modifiers(text, PATROL)
    assert (marks, found.value, found.reason, found.table) == ({}, value, reason, None)


def test_unknown_modifiers_name_the_nearest() -> None:
    """None if nothing is near."""
    with pytest.raises(BadInput, match=r"the modifier 'patrol\.outpots'\. Did you mean Patrol is an outpost\?"):
        parse_modifiers("patrol.outpots*2", PATROL)
    for far in ("zzzz", "patrol.zzzz"):
        with pytest.raises(BadInput) as refused:
            parse_modifiers(far, PATROL)
        assert "Did you mean" not in str(refused.value)


@pytest.mark.parametrize(("text", "expected"), [("", 0), (" 7 ", 7), ("100", 100)])
def test_a_count_in_a_field_is_a_whole_number(text: str, expected: int) -> None:
    """Empty is zero."""
    assert parse_count(text, PATROL["service.balloon"]) == expected


def test_counts_that_cannot_be_are_refused() -> None:
    """In fields and options."""
    balloon = PATROL["service.balloon"]
    for word in ("two", "1.5", "101", "1234567"):
        with pytest.raises(BadInput):
            parse_count(word, balloon)
    with pytest.raises(BadCount):
        parse_count("-1", balloon)


def test_suggestions_complete_the_last_word() -> None:
    """Used ones aren't offered again."""
    found = suggest_modifiers(
        "Patrol is a fleet, Mud/Flood, target partly on land, service.balloon*2, patrol.n", PATROL
    )
    kept = "Patrol is a fleet, Mud/Flood, target partly on land, service.balloon*2, "
    assert [value for _, value in found] == [f"{kept}patrol.newtype"]
    offered = [value for _, value in suggest_modifiers("patrol.fleet, service.balloon*2, ", PATROL)]
    assert offered
    assert not any(value.endswith(("patrol.fleet", "service.balloon")) for value in offered)


def test_suggestions_fit_into_discord() -> None:
    """25 of 100 characters."""
    before = ""
    for name in PATROL:
        found = suggest_modifiers(before, PATROL)
        assert len(found) <= 25
        assert all(1 <= len(shown) <= 100 and 1 <= len(value) <= 100 for shown, value in found)
        before = f"{before}{name}, "
    assert suggest_modifiers(before, PATROL) == []
    assert len(suggest_modifiers("", PATROL)) == 25


def test_suggestions_show_value_and_label() -> None:
    """Bare facts have no value."""
    assert suggest_modifiers("target.lucky", PATROL) == [("\N{MINUS SIGN}1/+1 Target has Lucky", "target.lucky")]
    bare = {"target.ambushed-today": Tickable("target.ambushed-today", "Ambushed today", "also true", ())}
    assert suggest_modifiers("ambush", bare) == [("Ambushed today", "target.ambushed-today")]


def test_a_text_is_trimmed_and_limited() -> None:
    """500 characters fit."""
    assert parsing.region(" Sea of  Sand, north ") == "Sea of Sand north"
    assert parsing.region("  ") is None
    assert parsing.region(None) is None
    assert parsing.parse_text(f" {'a' * 500} ", "note") == "a" * 500
    assert parsing.parse_text("  ", "note") is None
    with pytest.raises(BadInput, match="501 characters"):
        parsing.parse_text("a" * 501, "note")


def test_the_last_word_of_an_id_is_enough_where_only_one_can_be_meant() -> None:
    """`newtype` is ambiguous, `lucky` isn't."""
    known = family_tickables(BOOKS["campaign"].procedure("patrol"), BOOKS["campaign"])
    assert parse_modifiers("lucky", known)[0] == {"target.lucky": 1}
    with pytest.raises(BadInput, match=r"Patrol with a newtype or Target with a newtype"):
        parse_modifiers("newtype", known)


KILO = Profile("Blockade Kilo", "fleet", traits={"newtype": 1})
HIDDEN = Profile("Silent Thunder", "fleet", secret=True)


async def ask_patrol(world: World, actor: Any = None, **options: str) -> Any:  # noqa: ANN401 - who, and the question
    """Roll a patrol at once, and return the question."""
    given = {"patrol": "Kilo", "target": "Zaku column"} | options
    before = rows(world, "select count(*) from entry")
    answer = response(await (actor or world.gm).slash(world.orders, "patrol", **given, roll="now"))
    assert answer.ephemeral
    assert "Nothing is rolled yet" in text(answer)
    assert rows(world, "select count(*) from entry") == before
    assert world.results.last_message is None
    return answer


@pytest.mark.parametrize("mark", ["; ", " / ", "/", " & ", " and ", " + ", "\N{FULLWIDTH COMMA}"])
async def test_several_names_without_commas_are_asked_about(world: World, mark: str) -> None:
    """By game master and player."""
    await save(world.bots[0].database, KILO)
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    for who in (world.gm, world.player):
        question = await ask_patrol(world, who, target=f"Blockade Kilo{mark}Dom")
        assert "Use commas for several: Blockade Kilo, Dom." in text(question)
        assert offers(question, "roll")


async def test_what_joins_the_words_of_one_name_is_no_doubt(world: World) -> None:
    """A secret part of a name isn't known."""
    pair = Profile("Rock and Roll", "squad")
    await save(world.bots[0].database, pair, HIDDEN)
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    for target in ("Rock and Roll", "Sun & Moon"):
        world.dice.script(10)
        told = said(await world.gm.slash(world.orders, "patrol", patrol=f"K {target[:1]}", target=target, roll="now"))
        assert "Rolled: entry #" in told
    world.dice.script(10)
    options = {"patrol": "Lima", "target": "Silent Thunder and Dom"}
    assert "Nothing is rolled" not in said(await world.player.slash(world.orders, "patrol", **options, roll="now"))
    assert "Use commas" in text(
        response(
            await world.gm.slash(world.orders, "patrol", **{**options, "target": "Silent Thunder & Dom"}, roll="now")
        )
    )


async def test_whom_no_roll_can_mean_is_no_way_out(world: World) -> None:
    """Only Roll as typed is offered."""
    await save(world.bots[0].database, Profile("Kai Brandt", "pc"))
    await world.gm.slash(world.orders, "capture", captive="Kai Brandt", by="Zeon", at="Fort")
    world.dice.script(1)
    await world.gm.slash(world.orders, "escape", captive="Kai Brandt", roll="now")
    question = response(await world.gm.slash(world.orders, "scout", scouter="Kai Brant", base="Keep", roll="now"))
    assert "Nothing is rolled yet" in text(question)
    assert not offers(question, "meant")
    world.dice.script(10)
    assert "Rolled: entry #" in said(await world.gm.click(question, custom_id=press(question, "roll")))


@pytest.mark.slow
async def test_a_name_that_is_nearly_one_that_has_rolled_is_asked_about(world: World) -> None:
    """A slip gives no second stop."""
    world.dice.script(18)
    await world.gm.slash(world.orders, "patrol", patrol="Blockade Kilo", target="Zaku column", roll="now")
    for slip in ({"patrol": "Blokade Kilo"}, {"patrol": "Blockade Kilo", "target": "Zaku colum"}):
        question = response(await world.gm.slash(world.orders, "patrol", **{"target": "Dom wing"} | slip, roll="now"))
        assert "Did you mean" in text(question)
    asked_about = {"patrol": "Blokade Kilo", "target": "Dom"}
    question = response(await world.gm.slash(world.orders, "patrol", **asked_about, roll="now"))
    await world.gm.click(question, custom_id=press(question, "meant"))
    assert "has already used its stop" in text(question)
    question = response(await world.gm.slash(world.orders, "patrol", **asked_about, roll="now"))
    world.dice.script(10)
    await world.gm.click(question, custom_id=press(question, "roll"))
    assert entry(world)["parts"][0]["subjects"]["patrol"] == "Blokade Kilo"

    await close_update(world)
    world.dice.script(10)
    told = said(await world.gm.slash(world.orders, "patrol", patrol="Blockade Kilos", target="Gelgoog", roll="now"))
    assert "Rolled: entry #" in told, "who rolled in the update before is not on the field any more"


@pytest.mark.slow
async def test_a_name_that_is_nearly_one_under_an_effect_is_asked_about(world: World) -> None:
    """Also in a later update."""
    await world.gm.slash(world.orders, "gm effect", who="Fort Granite", effect="Under siege")
    await close_update(world)
    question = response(await world.gm.slash(world.orders, "scout", scouter="K", base="Fort Granit", roll="now"))
    assert "Did you mean Fort Granite?" in text(question)


async def test_a_private_part_of_a_public_roll_does_not_show_by_a_question(world: World) -> None:
    """A player knows the public parts only."""
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    world.dice.script(10, 18)
    await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Grey Ghost, Zaku column", roll="now")
    assert [part["audience"] for part in entry(world)["parts"]] == ["staff", "results"]
    world.dice.script(10)
    told = said(await world.player.slash(world.orders, "patrol", patrol="Lima", target="Gray Ghost", roll="now"))
    assert "the game masters have the result" in told
    question = await world.player.slash(world.orders, "patrol", patrol="Lima", target="Zaku colum", roll="now")
    assert "Did you mean Zaku column?" in said(question)


async def test_a_region_without_weather_is_asked_about(world: World) -> None:
    """A near name is suggested."""
    near = await ask_patrol(world, region="Madagascr")
    assert "There's no weather for the region Madagascr. Did you mean Madagascar?" in text(near)
    far = await ask_patrol(world, region="Sea of Nowhere")
    assert "No weather counts" in text(far)
    assert not offers(far, "meant")


async def test_as_meant_is_pressed_once(world: World) -> None:
    """A second press rolls nothing."""
    question = await ask_patrol(world, region="Madagascr")
    key = press(question, "meant")
    world.dice.script(10)
    await world.gm.click(question, custom_id=key)
    assert entry(world)["region"] == "Madagascar"
    before = rows(world, "select count(*) from entry")
    card = response(await world.gm.slash(world.orders, "patrol", patrol="Kilo", target="Zaku column"))
    told = refused(await send_raw(world.gm, world.orders, key, on=card))
    assert "rolled already" in told
    assert rows(world, "select count(*) from entry") == before


async def test_a_player_is_never_asked_about_a_secret_name(world: World) -> None:
    """Only a game master is asked."""
    await save(world.bots[0].database, HIDDEN)
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    world.dice.script(18)
    options = {"patrol": "Silent Thundr", "target": "Zaku"}
    told = said(await world.player.slash(world.orders, "patrol", **options, roll="now"))
    assert "Rolled: entry #" in told
    assert "Thunder" not in told
    assert "Thunder" not in text(newest(world.results))
    question = response(
        await world.gm.slash(world.orders, "patrol", patrol="Silent Thundre", target="Zaku", roll="now")
    )
    assert "Did you mean Silent Thunder?" in text(question)


async def test_a_game_masters_private_roll_does_not_show_by_what_is_not_asked(world: World) -> None:
    """Game masters aren't asked again, players are."""
    await save(world.bots[0].database, KILO)
    await world.gm.slash(world.orders, "gm settings", players_may="patrol")
    slip = {"patrol": "Blockade Killo", "target": "Zaku"}
    question = await ask_patrol(world, **slip)
    world.dice.script(10)
    await world.gm.click(question, custom_id=press(question, "roll"))
    world.dice.script(10)
    assert "Rolled: entry #" in said(
        await world.gm.slash(world.orders, "patrol", **slip | {"target": "Gouf"}, roll="now")
    )
    told = said(await world.player.slash(world.orders, "patrol", **slip | {"target": "Dom"}, roll="now"))
    assert "Did you mean Blockade Kilo?" in told


@pytest.mark.parametrize(
    ("typed", "known", "close"),
    [
        ("blockade killo", ["blockade kilo"], True),
        ("gray ghost", ["grey ghost"], True),
        ("greyghost", ["grey ghost"], True),
        ("blockade lima", ["blockade kilo"], False),
        ("fort oak", ["fort teak"], False),
        ("zaku 2", ["zaku 1"], False),
        ("dom iii", ["dom ii"], False),
        ("team b", ["team a"], False),
        ("kay", ["kai"], False),
    ],
)
def test_other_units_of_a_kind_are_no_slips(typed: str, known: list[str], *, close: bool) -> None:
    """Numbers and other words keep units apart."""
    assert find_near_key(typed, known) == (known[0] if close else None)


WORDS = st.lists(st.text("abeikos12", min_size=1, max_size=7), min_size=1, max_size=3).map(" ".join)


@given(WORDS, WORDS, st.integers(0, 12), st.text("abe 1", max_size=2))
@example("brandt", "kai brandt", 0, "")
@pytest.mark.slow
def test_the_first_look_hides_no_slip(name: str, other: str, at: int, typed: str) -> None:
    """Every slip passes the quick filter."""
    for known in (other, name[:at] + typed + name[at + 1 :], f"{other} {name}"):
        if find_near_key(name, [known]) is not None:
            assert KnownNames([known]).find_likely(name) == [known]
