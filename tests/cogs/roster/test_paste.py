"""Rosters pasted into a window."""

import pytest

from tests.cogs.roster.test_import import CREW, HEAD
from tests.support.reading import assert_says, labels, press, refused, response, text
from tests.support.world import World, entry, nothing_written, rows

TABBED = "name\tkind\tside\nWhite Base\tship\tEF\nRal\tnpc\tZeon\n"


@pytest.mark.parametrize(("pasted", "new"), [(HEAD + CREW, 3), (TABBED, 2)])
async def test_lines_are_pasted_into_a_window(world: World, pasted: str, new: int) -> None:
    """Commas, or tabs as a spreadsheet copies them; the preview comes first."""
    window = await world.gm.slash(world.orders, "roster import")
    with nothing_written(world):
        shown = response(await world.gm.submit_modal(window, {"paste": pasted}))
    assert "pasted.csv" in text(shown)
    assert f"Import {new} new, 0 changed" in labels(shown)
    await world.gm.click(shown, custom_id=press(shown, "go"))
    assert entry(world)["new"] == new


async def test_a_window_can_change_what_is_saved(world: World) -> None:
    """With `replace:True`, as a file can."""
    await world.gm.slash(world.orders, "roster add", name="White Base", kind="ship", side="Zeon")
    window = await world.gm.slash(world.orders, "roster import")
    assert "White Base" in refused(await world.gm.submit_modal(window, {"paste": TABBED}))
    window = await world.gm.slash(world.orders, "roster import", replace=True)
    shown = response(await world.gm.submit_modal(window, {"paste": TABBED}))
    assert "Import 1 new, 1 changed" in labels(shown)


async def test_an_empty_or_faulty_window_says_what_to_do(world: World) -> None:
    """Nothing is kept."""
    window = await world.gm.slash(world.orders, "roster import")
    assert "You sent nothing" in refused(await world.gm.submit_modal(window, {}))
    window = await world.gm.slash(world.orders, "roster import")
    assert "kind" in refused(await world.gm.submit_modal(window, {"paste": "name\nRal\n"}))
    window = await world.gm.slash(world.orders, "roster import")
    shown = text(response(await world.gm.submit_modal(window, {"paste": "ship,White Base,EF,\nnpc,Ral,Zeon,\n"})))
    assert_says(
        shown, "1 error in pasted.csv", "The first line has to name the columns, such as kind,name,side,region."
    )
    assert rows(world, "select count(*) from import_draft") == [(0,)]


async def test_a_player_pastes_nothing(world: World) -> None:
    """Neither window nor forged answer."""
    assert "import units" in refused(await world.player.slash(world.orders, "roster import"))
