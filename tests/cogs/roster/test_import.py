"""Import and export by command."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
import simcord

from bot.actions import Done
from bot.app import KINDS
from bot.cogs.roster import import_export
from bot.cogs.roster.import_export import Members, PendingImport, RosterUpload, preview_lines
from bot.cogs.roster.import_plan import MAX_ROWS
from bot.core import audit
from bot.core.database import KEPT_FOR
from bot.core.errors import FaultyFile, FileFault
from bot.core.profiles import Profile, list_columns
from bot.ui.reply import explain
from tests.support.acting import confirmed
from tests.support.backend import GM, House
from tests.support.reading import assert_says, press, refused, response, said, text
from tests.support.soundness import require_whole
from tests.support.world import BOOKS, World, entry, nothing_written, rows, send_raw, written

HEAD = "name,kind,side,owner,squad,newtype,secret,traits\n"
CREW = (
    "White Base,ship,EF,,,,,newtype; detector-types*3\nAmuro Ray,pc,EF,,White Base,7,,officer\nRal,npc,Zeon,,,,yes,\n"
)


def profiles(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Profiles of an entry, in order."""
    return [change["after"] for change in body["changes"] if change["name"] == "profile"]


async def send_file(world: World, file: str, actor: Any = None, name: str = "crew.csv", **options: Any) -> Any:  # noqa: ANN401
    """The answer to an import."""
    return await (actor or world.gm).slash(world.orders, "roster import", file=(name, file.encode()), **options)


async def import_file(world: World, file: str, *, replace: bool = False) -> str:
    """The answer after the button."""
    shown = response(await send_file(world, file, replace=replace))
    return said(await world.gm.click(shown, custom_id=press(shown, "go")))


async def press_export(world: World, kind: str = "both", format: str = "csv") -> simcord.InteractionResult:  # noqa: A002
    """Export what a list shows, by its button."""
    listed = response(await world.gm.slash(world.orders, "unit", **({} if kind == "both" else {"kind": kind})))
    return await world.gm.click(listed, custom_id=press(listed, f"export:{kind}:{format}"))


async def export_text(world: World, **options: str) -> str:
    """The text of an exported file."""
    answer = response(await press_export(world, **options))
    assert answer.ephemeral
    (file,) = answer.attachments
    return (await file.read()).decode("utf-8-sig")


async def read_lines(result: simcord.InteractionResult) -> list[str]:
    """Lines of the attached file."""
    (file,) = response(result).attachments
    return (await file.read()).decode().splitlines()


@pytest.mark.slow
async def test_the_ledger_tells_of_an_import_to_the_staff_alone(world: World) -> None:
    """Players find no such entry."""
    await import_file(world, HEAD + CREW)
    answer = said(await world.gm.slash(world.orders, "ledger", entry=3))
    assert_says(answer, "Units and characters imported: 3 new, 0 changed", "New: White Base, Amuro Ray, Ral")
    assert "Units and characters imported" in said(await world.gm.slash(world.orders, "ledger"))
    assert "imported" not in said(await world.player.slash(world.orders, "ledger"))
    assert "no entry #3" in refused(await world.player.slash(world.orders, "ledger", entry=3))


async def test_all_faults_are_told_privately_and_nothing_is_imported(world: World) -> None:
    """Not even good rows."""
    with nothing_written(world):
        file = HEAD + CREW + "**Aa** @everyone,shp,,,,,,\nBb,pc,,,Nowhere,99,,\n"
        answer = refused(await send_file(world, file))
        assert "3 errors in crew.csv" in answer
        assert_says(
            answer,
            "**Line 5:** I don't know the kind 'shp'",
            "**Line 6:** I don't know the saved unit 'Nowhere'",
            "'99' isn't a valid newtype level",
        )
        assert "Nothing was imported." in answer
        assert "@everyone" not in refused(await send_file(world, HEAD + "**Aa** @everyone,ship,,,,,,\n" * 2)).replace(
            "@\u200b", ""
        )
    assert rows(world, "select * from import_draft") == []


async def test_faults_that_do_not_fit_are_all_in_a_file(world: World) -> None:
    """The file lists every one."""
    result = await send_file(world, HEAD + "".join(f"Name {place},shp,,,,,,\n" for place in range(300)))
    answer = refused(result)
    assert "lines more*" in answer
    assert len(response(result).embeds[0]) <= 4096
    lines = await read_lines(result)
    assert len(lines) == 300
    assert lines[299] == "line 301: I don't know the kind 'shp'. Did you mean ship?"


BAD = [
    ("big.csv", b"a" * (1024 * 1024 + 1), ["is too large (1024 KiB)", "split it"]),
    ("a.csv", b"", ["The file has no units or characters"]),
    ("a.csv", "name,kind\nM\u00fcller,pc".encode("cp1252"), ["Line 2", "0xfc isn't UTF-8", "CSV UTF-8"]),
    ("a.csv", "name,kind\nAa,ship".encode("utf-16"), ["is in UTF-16"]),
    ("a.xlsx", b"PK\x03\x04\x00\x00", ["a workbook"]),
    ("a.csv", b"name,kind\nA\0,ship", ["Line 2", "NUL"]),
    ("a.csv", b"name,kind\n=cmd|' /C calc'!A0,ship", ["Line 2", "looks like a formula"]),
    ("a.csv", b'name,kind\n"Aa,ship', ["Line 2", "has no partner"]),
    ("a.toml", b'[[unit]]\nname = "Aa"\nkind = ', ["Line 3", "valid TOML"]),
]


async def test_what_is_no_such_file_is_refused(world: World) -> None:
    """Privately, and nothing is written."""
    for name, data, words in BAD:
        with nothing_written(world):
            answer = refused(await world.gm.slash(world.orders, "roster import", file=(name, data)))
            assert [word for word in words if word not in answer.replace("\\", "")] == []


async def test_both_commands_are_for_game_masters(world: World) -> None:
    """Forged buttons too."""
    await import_file(world, HEAD + CREW)
    shown_card = response(await send_file(world, HEAD + "Dom,squad,,,,,,"))
    shown = press(shown_card, "go")
    with nothing_written(world):
        for actor in (world.player, world.stranger):
            assert "Only game masters" in refused(await send_file(world, HEAD + "Aa,ship,,,,,,", actor))
            assert "Only game masters" in refused(await send_raw(actor, world.orders, "roster:1:export:both:csv"))
            assert "Only game masters" in refused(await send_raw(actor, world.orders, shown))
            assert "Only game masters" in refused(
                await send_raw(actor, world.orders, shown.rpartition(":go")[0] + ":cancel")
            )
        assert "is gone" in refused(await send_raw(world.gm2, world.orders, shown))
        for forged in (
            "import",
            "import:1",
            "import:x:y:go:z",
            "import:1:2:go",
            "import:1:0:go:0",
            "import:9:0:cancel",
            shown + "0",
        ):
            answer = await send_raw(world.gm, world.orders, forged, on=shown_card)
            assert "on our side" not in text((answer.followups or [response(answer)])[-1]), forged


@pytest.mark.slow
async def test_a_preview_survives_a_restart_and_is_pressed_once(world: World) -> None:
    """Then the file is gone."""
    shown = response(await send_file(world, HEAD + CREW))
    go = press(shown, "go")
    await world.restart()
    assert "Imported" in said(await send_raw(world.gm, world.orders, go, on=shown))
    with nothing_written(world):
        assert "is gone" in refused(await send_raw(world.gm, world.orders, go))
        other = response(await send_file(world, HEAD + "Dom,squad,,,,,,"))
        go = press(other, "go")
        assert "Nothing was imported" in said(await world.gm.click(other, custom_id=press(other, "cancel")))
        assert "is gone" in refused(await send_raw(world.gm, world.orders, go))


@pytest.mark.slow
async def test_a_later_file_and_a_day_end_a_preview(world: World) -> None:
    """The last file counts, for a day."""
    first, second = [response(await send_file(world, HEAD + f"{name},squad,,,,,,")) for name in ("Dom", "Zaku")]
    with nothing_written(world):
        assert "is gone" in refused(await send_raw(world.gm, world.orders, press(first, "go")))
        world.clock.advance(seconds=KEPT_FOR.total_seconds() + 1)
        assert "older than a day" in refused(await send_raw(world.gm, world.orders, press(second, "go")))
    await send_file(world, HEAD + "Gouf,squad,,,,,,", world.gm2)
    await import_export.forget_old_drafts(world.bots[-1])
    assert [user for (user,) in rows(world, "select user_id from import_draft")] == [world.gm2.id]
    assert "Send it again" in refused(await send_raw(world.gm, world.orders, press(second, "go")))


@pytest.mark.slow
async def test_what_has_changed_since_the_preview_is_shown_before_it_is_imported(world: World) -> None:
    """With replace it's previewed again; without, it's a fault."""
    loose = response(await send_file(world, HEAD + "Dom,squad,EF,,,,,", replace=True))
    await world.gm2.slash(world.orders, "roster add", name="dom", kind="squad", side="Zeon")
    before = written(world)
    again = response(await world.gm.click(loose, custom_id=press(loose, "go")))
    assert_says(text(again), "Something changed since you looked", "dom: side")
    strict = response(await send_file(world, HEAD + "Gouf,squad,EF,,,,,"))
    assert written(world) == before
    await world.gm2.slash(world.orders, "roster add", name="Gouf", kind="squad", side="Zeon")
    assert "already saved" in refused(await world.gm.click(strict, custom_id=press(strict, "go")))
    assert written(world) == (before[0] + 1, *before[1:])
    await require_whole(world)


async def test_a_file_that_says_what_is_saved_already_changes_nothing(world: World) -> None:
    """In either format."""
    owner = f"<@{world.player.id}>"
    await import_file(world, HEAD + CREW + f"'-X-,pc,EF,{owner},WHITE BASE,,,\n")
    with nothing_written(world):
        for form in ("csv", "toml"):
            file = await export_text(world, format=form)
            assert owner in file
            assert "There's nothing to import. All 4" in refused(
                await send_file(world, file, name=f"a.{form}")
            ).replace("\n", " ")


async def test_an_export_has_what_was_asked_for(world: World) -> None:
    """An empty roster is refused."""
    assert "nothing to export" in refused(await press_export(world))
    await import_file(world, HEAD + CREW)
    both, units, characters = [await export_text(world, kind=kind) for kind in ("both", "units", "characters")]
    assert both.index("White Base,ship") < both.index("Amuro Ray,pc") < both.index("Ral,npc")
    assert both == units + characters.partition("\r\n")[2]


async def test_owners_are_members_and_stand_in_the_ledger_under_pseudonyms(world: World) -> None:
    """Unknown ids are faults."""
    ghost = 123456789012345678
    answer = refused(
        await send_file(world, HEAD + f"Aa,pc,,{ghost},,,,\nBb,pc,,<@{ghost}>,,,,\nCc,pc,,{world.player.id},,,,")
    )
    assert f"**Line 2:** The owner {ghost} isn't a member of this server." in answer
    assert f"**Line 3:** The owner {ghost} isn't a member of this server." in answer
    assert "Line 4" not in answer
    await import_file(world, HEAD + f"Cc,pc,,{world.player.id},,,,")
    body = entry(world)
    ((name,),) = rows(world, "select pseudonym from actor where user_id = ?", world.player.id)
    assert profiles(body)[0]["owner"] == name
    assert str(world.player.id) not in str(body)
    assert "Cc" in said(await world.player.slash(world.orders, "unit", kind="characters"))
    await require_whole(world)


async def test_a_region_is_kept_as_the_weather_calls_it(world: World) -> None:
    """Other regions stay as typed."""
    await import_file(world, "name,kind,region\nAa,ship,coral SEA\nBb,ship,Luna  Two\n")
    assert [saved["region"] for saved in profiles(entry(world))] == ["Coral Sea", "Luna Two"]


@pytest.mark.parametrize(
    ("count", "faults", "length"), [(100, 1000, 10_000), pytest.param(1000, 100_000, 100, marks=pytest.mark.slow)]
)
def test_a_preview_and_a_refusal_fit_into_a_message_whatever_is_imported(count: int, faults: int, length: int) -> None:
    """Whatever the file has."""
    everybody = [Profile("*" * 55 + f"{place:05}", kind) for place in range(count) for kind in ("ship", "pc", "npc")]
    for new, changed in ((everybody, []), ([], everybody), (everybody, everybody)):
        lines = preview_lines(new, [(item, list_columns(BOOKS["campaign"].fields)) for item in changed], 7)
        assert len("\n".join(lines)) <= 3400
        assert "more" in "\n".join(lines)
    embed, file = (
        explain(FaultyFile("*" * 260, [FileFault(n, "*" * length) for n in range(faults)], "")) or {}
    ).values()
    assert len(embed.title or "") <= 256
    assert len(embed) <= 6000
    assert file.fp.getvalue().endswith(b"lines more*")
    assert len(file.fp.getvalue()) <= 8 * 1024 * 1024


@pytest.mark.slow
async def test_an_archived_campaign_is_exported_but_takes_no_import(world: World) -> None:
    """Waiting ones too."""
    await import_file(world, HEAD + CREW)
    shown = response(await send_file(world, HEAD + "Dom,squad,,,,,,"))
    await confirmed(world, "campaign archive", world.manager)
    with nothing_written(world):
        assert "is archived" in refused(await send_file(world, HEAD + "Gouf,squad,,,,,,"))
        assert "is archived" in refused(await world.gm.click(shown, custom_id=press(shown, "go")))
        assert "White Base" in await export_text(world)


async def nobody(_user_ids: Any) -> list[int]:  # noqa: ANN401 - as `Members` has it
    """Everybody is a member."""
    return []


async def nameless(_names: Any) -> dict[str, list[int]]:  # noqa: ANN401 - as `Members` has it
    """No member is called so."""
    return {}


ALL = Members(nobody, nameless)


async def prepare_import(house: House, file: str, members: Members = ALL) -> PendingImport:
    """A waiting import."""
    upload = RosterUpload("a.csv", file.encode(), replace=False)
    return await import_export.prepare(house.kernel, GM, house.campaign, upload, members)


async def press_import(house: House, waiting: PendingImport) -> Done | PendingImport:
    """What comes of pressing its button."""
    draft, seen = waiting.draft.id, waiting.plan.digest
    planned = await import_export.plan_press(house.kernel, GM, house.campaign.id, draft, seen, ALL)
    return planned if isinstance(planned, PendingImport) else await house.act(planned)


@pytest.mark.slow
async def test_ten_thousand_lines_are_one_entry_and_the_bot_goes_on_meanwhile(house: House) -> None:
    """The event loop isn't blocked."""
    lines = "".join(f"Name {place},ship,Zeon,,,,,newtype\n" for place in range(MAX_ROWS))
    waiting = await prepare_import(house, HEAD + lines)
    work = asyncio.ensure_future(press_import(house, waiting))
    turns = 0
    while not work.done():
        await asyncio.sleep(0.01)
        turns += 1
    done = await work
    assert isinstance(done, Done)
    assert turns > 5
    assert len(profiles((await house.entries())[-1].content())) == MAX_ROWS
    assert [item.faults for item in await audit.check_ledgers(house.database, KINDS)] == [()]


async def test_two_presses_at_once_import_once(house: House) -> None:
    """Of two processes, one does."""
    waiting = await prepare_import(house, HEAD + CREW)
    done = await asyncio.gather(press_import(house, waiting), press_import(house, waiting), return_exceptions=True)
    assert sorted(type(item).__name__ for item in done) == ["Done", "NotOpen"]
    assert len(await house.entries()) == 2


async def test_only_so_many_owners_are_asked_about(house: House) -> None:
    """Discord isn't asked."""
    asked: list[int] = []

    async def absent(user_ids: Any) -> list[int]:  # noqa: ANN401 - as `Members` has it
        asked.extend(user_ids)
        return []

    lines = "".join(f"Name {place},pc,,{10**17 + place},,,,\n" for place in range(101))
    with pytest.raises(Exception, match=r"Errors in a\.csv: 1\."):
        await prepare_import(house, HEAD + lines, Members(absent, nameless))
    assert asked == []
    await prepare_import(house, HEAD + lines.partition("\n")[2], Members(absent, nameless))
    assert len(asked) == 100
