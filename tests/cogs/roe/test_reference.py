"""`/roe rules`: any line of the book."""

from __future__ import annotations

import pytest

from bot.cogs.roe.reference import list_topics
from rules.books.roe.catalog import Rule
from tests.cogs.house_rules.homebrew import send_and_switch_on
from tests.cogs.roe.fights.ring import Ring, read_answers
from tests.cogs.roe.test_checks import CURSES
from tests.rules.roe.asking import ROE
from tests.support.reading import assert_says, control, refused, response
from tests.support.world import nothing_written, send_raw

KINDS = [
    "racial option",
    "weapon token",
    "weapon trait",
    "action",
    "effect",
    "vehicle",
    "pet",
    "noise",
    "number",
]


@pytest.mark.slow
async def test_each_kind_of_line_is_offered_and_answered(ring: Ring) -> None:
    """With its line of the page; a shared name shows all its topics."""
    for kind in KINDS:
        topic = next(topic for topic in list_topics(ROE) if topic.what == kind)
        offered = await ring.player.autocomplete(ring.world.orders, "roe rules", "what", topic.name[:12])
        assert topic.label in {choice["value"] for choice in offered}
        said = read_answers(await ring.player.slash(ring.world.orders, "roe rules", what=topic.label))
        assert f"line {topic.line}" in said
    every = read_answers(await ring.player.slash(ring.world.orders, "roe rules", what="small"))
    assert_says(every, "size class", "damage die")
    offered = await ring.player.autocomplete(ring.world.orders, "roe rules", "what", "small")
    assert {"Small (size class)", "Small (damage die)"} <= {choice["value"] for choice in offered}
    one = read_answers(await ring.player.slash(ring.world.orders, "roe rules", what="Small (size class)"))
    assert "damage die" not in one


async def test_a_word_that_stands_in_several_names_gives_a_choice(ring: Ring) -> None:
    """A part of several names offers them; a typo gets the nearest name."""
    with nothing_written(ring.world):
        asked = response(await ring.player.slash(ring.world.orders, "roe rules", what="_s_"))
        assert asked.ephemeral
        select = control(asked, "")
        assert len(select["options"]) <= 25
        value = next(item["value"] for item in select["options"] if item["label"].startswith("M_s_Rifle"))
        assert "weapon token" in read_answers(await ring.player.select(asked, [value], custom_id=select["custom_id"]))
        predator = await ring.player.slash(ring.world.orders, "roe rules", what="predator noct")
        assert "Has night penalties" in read_answers(predator)
        what = refused(await ring.player.slash(ring.world.orders, "roe rules", what="Old Minds"))
        assert "Did you mean Old Mind?" in what
    stranger = ring.world.guild.add_member(ring.world.env.create_user("stranger"))
    for refusal in (
        await stranger.slash(ring.world.orders, "roe rules", what="Old Mind"),
        await send_raw(stranger, ring.world.orders, select["custom_id"], value),
    ):
        assert "You don't play in" in refused(refusal)
    assert await stranger.autocomplete(ring.world.orders, "roe rules", "what", "old") == []


@pytest.mark.slow
def test_nothing_is_told_with_the_marks_of_its_writing() -> None:
    """No placeholder is left."""
    assert [(topic.name, line) for topic in list_topics(ROE) for line in topic.describe() if "{" in line] == []


@pytest.mark.slow
async def test_house_rules_are_read_as_they_are_played(ring: Ring) -> None:
    """A changed number is shown with its house rule."""
    overlay = """
    [overlay]
    id = "sands"
    extends = "roe"
    source = { book = "sands", section = "House" }

    [[catalog.number]]
    id = "sprint-m"
    label = "Metres that a sprint adds"
    line = 129
    value = 6
    """
    await send_and_switch_on(ring.world, overlay, "Sands")
    said = read_answers(await ring.player.slash(ring.world.orders, "roe rules", what="Metres that a sprint adds"))
    assert_says(said, "6", "House rules: Sands v1")


async def test_players_read_nothing_that_stands_on_secret_facts(ring: Ring) -> None:
    """Secret modifiers and effects are for game masters."""
    await send_and_switch_on(ring.world, CURSES, "Curses")
    for actor, sees in ((ring.gm, True), (ring.player, False)):
        said = read_answers(await actor.slash(ring.world.orders, "roe rules", what="Skill roll (table)"))
        assert "1d100 against 50" in said
        assert ("A curse" in said) == sees
        said = read_answers(await actor.slash(ring.world.orders, "roe rules", what="Cursed"))
        assert ("The book has nothing called 'Cursed'" in said) != sees


def test_everything_listed_can_be_looked_up() -> None:
    """Every entry, act, score, effect, contest and table has a topic."""
    known = [*list_topics(ROE)]
    labels = {topic.name for topic in known}
    listed = [entry.label for kind in ROE.catalog.values() for entry in kind.values()]
    listed += [score.label for score in ROE.scores.values()] + [effect.label for effect in ROE.effects.values()]
    listed += [act.title for act in ROE.acts.values()] + [contest.title for contest in ROE.contests.values()]
    listed += [table.title for table in ROE.tables.values()] + [strikes.title for strikes in ROE.strikes.values()]
    assert sorted(set(listed) - labels) == []
    assert [topic.name for topic in known if topic.line is None] == []
    assert all(line.strip() for topic in known for line in topic.describe())


def test_every_change_of_an_option_has_words() -> None:
    """Each has a label of the book."""
    changed = {name for option in ROE.catalog["option"].values() for name in getattr(option, "rules", {})}
    assert changed == set(ROE.entries_of(Rule))
