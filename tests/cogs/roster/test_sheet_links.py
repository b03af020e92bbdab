"""Rosters by the link of a public Google sheet."""

from __future__ import annotations

import gzip
import socket
from typing import Any

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from bot.cogs.roster import sheet_links
from bot.core.errors import BadInput
from bot.ui.files import MAX_CSV
from tests.cogs.roster.test_import import CREW, HEAD
from tests.support.google import DELIVERY, google
from tests.support.reading import assert_says, labels, press, refused, response, text
from tests.support.world import World, entry, nothing_written

ID = "1AbC-dEf_0123456789abcdefghij"
PUBLISHED = f"https://docs.google.com/spreadsheets/d/e/2PACX-{ID}/pub?output=csv"
SHARED = f"https://docs.google.com/spreadsheets/d/{ID}/edit?usp=sharing#gid=42"
EXPORT = f"/spreadsheets/d/{ID}/export?format=csv&gid=42"


async def paste(world: World, pasted: str, actor: Any = None) -> Any:  # noqa: ANN401 - a member, and the answer
    """Send a link in the window of `/roster import`."""
    who = actor or world.gm
    return await who.submit_modal(await who.slash(world.orders, "roster import"), {"paste": pasted})


@pytest.mark.parametrize(
    ("link", "address"),
    [
        (PUBLISHED, f"/spreadsheets/d/e/2PACX-{ID}/pub?output=csv"),
        (
            PUBLISHED.replace("pub?output=csv", "pubhtml?gid=7"),
            f"/spreadsheets/d/e/2PACX-{ID}/pub?output=csv&gid=7&single=true",
        ),
        (SHARED, EXPORT),
        (f"https://docs.google.com/spreadsheets/u/0/d/{ID}", f"/spreadsheets/d/{ID}/export?format=csv"),
        (f"https://docs.google.com{EXPORT}", EXPORT),
        (
            f"https://DOCS.google.com:443/spreadsheets/d/{ID}/gviz/tq?tqx=out:html&sheet=Crew+%26+ships",
            f"/spreadsheets/d/{ID}/gviz/tq?tqx=out%3Acsv&sheet=Crew+%26+ships",
        ),
    ],
)
def test_only_a_sheets_id_and_tab_are_taken_from_a_link(link: str, address: str) -> None:
    """Whatever else it has, CSV is asked for."""
    assert sheet_links.make_address(link) == f"https://docs.google.com{address}"


@pytest.mark.parametrize(
    "link",
    [
        PUBLISHED.replace("https", "http"),
        PUBLISHED.replace("docs.google.com", "docs.google.com.evil.example"),
        PUBLISHED.replace("docs.google.com", "evil.example"),
        PUBLISHED.replace("docs.google.com", "docs.google.com@evil.example"),
        PUBLISHED.replace("docs.google.com", "me:secret@docs.google.com"),
        PUBLISHED.replace("docs.google.com", "docs.google.com:8443"),
        PUBLISHED.replace("docs.google.com", "127.0.0.1"),
        PUBLISHED.replace("docs.google.com", "[::1"),
        PUBLISHED.replace("docs.google.com", f"{DELIVERY}"),
        "https://docs.google.com/document/d/1AbCdEf0123456789/export?format=csv",
        "https://docs.google.com/spreadsheets/d/../../accounts/x",
        "https://docs.google.com/",
    ],
)
def test_other_links_are_refused(link: str) -> None:
    """Other hosts and ports, names and passwords, and other documents."""
    with pytest.raises(BadInput, match="can't read a roster from that link"):
        sheet_links.make_address(link)


async def test_what_is_no_sheets_link_is_not_asked_for(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is private and says which links do."""
    async with google(monkeypatch) as server:
        with nothing_written(world):
            told = refused(await paste(world, "https://evil.example/crew.csv"))
        assert_says(told, "can't read a roster from that link", "Publish to web")
        assert server.asked == []


async def test_a_sheet_is_previewed_and_imported_as_a_file_is(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the one redirect that Google makes, without cookies or keys."""
    async with google(monkeypatch, body=(HEAD + CREW).encode(), elsewhere=[f"https://{DELIVERY}/export/1"]) as server:
        with nothing_written(world):
            shown = response(await paste(world, f" {SHARED}\n"))
    assert server.asked == [("docs.google.com", EXPORT), (DELIVERY, "/export/1")]
    assert all(not {"Cookie", "Authorization"} & sent.keys() for sent in server.sent)
    assert "sheet.csv" in text(shown)
    assert "Import 3 new, 0 changed" in labels(shown)
    await world.gm.click(shown, custom_id=press(shown, "go"))
    assert entry(world)["new"] == 3


@pytest.mark.parametrize(
    ("where", "asked"),
    [
        ([f"https://{DELIVERY}/a", f"https://{DELIVERY}/b"], 2),
        (["https://accounts.google.com/ServiceLogin"], 1),
        (["https://evil.example/x"], 1),
        ([f"https://{DELIVERY}.evil.example/x"], 1),
        ([f"http://{DELIVERY}/x"], 1),
        ([f"https://{DELIVERY}:8443/x"], 1),
        ([f"https://me:secret@{DELIVERY}/x"], 1),
        (["https://googleusercontent.com/x"], 1),
        (["/spreadsheets/elsewhere"], 1),
        ([""], 1),
    ],
)
async def test_no_other_redirect_is_followed(monkeypatch: pytest.MonkeyPatch, where: list[str], asked: int) -> None:
    """A sheet that needs a login redirects to one, too."""
    async with google(monkeypatch, body=HEAD.encode(), elsewhere=where) as server:
        with pytest.raises(BadInput, match="isn't public"):
            await sheet_links.read_sheet(PUBLISHED)
        assert len(server.asked) == asked


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"body": b"<html>", "headers": {"Content-Type": "text/html"}}, "isn't public"),
        ({"status": 403}, "isn't public"),
        ({"status": 404}, "no such sheet"),
        ({"status": 500}, "HTTP 500"),
        ({"body": b"PK", "headers": {"Content-Type": "application/pdf"}}, "other than CSV"),
        (
            {"body": gzip.compress(b"a" * 10), "headers": {"Content-Type": "text/csv", "Content-Encoding": "gzip"}},
            "other than",
        ),
        ({"body": b"a" * (MAX_CSV + 1)}, "larger than 1024 KiB"),
        ({"body": b"name,kind\nR\xe9l,npc\n"}, "isn't UTF-8"),
    ],
)
async def test_each_fault_has_its_private_answer(
    world: World, monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any], said: str
) -> None:
    """Nothing is kept of any."""
    monkeypatch.setattr(sheet_links, "SECONDS", 30.0)
    async with google(monkeypatch, **answer):
        with nothing_written(world):
            result = await paste(world, PUBLISHED)
        assert said in refused(result)
        assert response(result).ephemeral


async def test_google_has_five_seconds_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slower sheet is given up."""
    assert sheet_links.SECONDS == 5
    monkeypatch.setattr(sheet_links, "SECONDS", 0.2)
    async with google(monkeypatch, stalled=True):
        with pytest.raises(BadInput, match=r"within 0\.2 seconds"):
            await sheet_links.read_sheet(PUBLISHED)


async def test_a_sheet_of_just_the_limit_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 MiB."""
    async with google(monkeypatch, body=b"a" * MAX_CSV):
        assert len(await sheet_links.read_sheet(PUBLISHED)) == MAX_CSV


async def test_players_and_a_host_who_turned_links_off_ask_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forged window of a player asks Google nothing either."""
    async with google(monkeypatch, body=HEAD.encode()) as server:
        field = {"type": 18, "component": {"type": 4, "custom_id": "paste", "value": PUBLISHED}}
        forged = {"custom_id": "import:1:sent:no", "components": [field]}
        with nothing_written(world):
            sent = await world.player._dispatch_interaction(5, world.orders, forged)
            assert "import units" in refused(sent)
        await world.restart(sheet_links="off")
        assert "turned off here" in refused(await paste(world, PUBLISHED))
        assert server.asked == []


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.8", "169.254.169.254", "::1", "fd00::1", "0.0.0.0"])  # noqa: S104 - one to refuse
async def test_a_private_address_is_not_connected_to(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """Even if Google's name led there."""

    class Poisoned(AbstractResolver):
        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> list[ResolveResult]:
            return [ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=0)]

        async def close(self) -> None:
            pass

    monkeypatch.setattr("aiohttp.ThreadedResolver", Poisoned)
    with pytest.raises(BadInput, match="can't reach"):
        await sheet_links.read_sheet(PUBLISHED)
