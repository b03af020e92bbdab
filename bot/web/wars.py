"""Public wars by turn, fights and battles."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from typing import Any

from msgspec import Struct

from bot.cogs.war.wars import MAP_OF, MapView, read_posted_map
from bot.core import entries, errors, ledger, records
from bot.orders.digest import DIGEST
from bot.outbox.sending import Drawing
from bot.web.addresses import SiteAddress
from bot.web.reading import ROOM, EntryLine, MissingPage, PagePicture, SitePage, SiteReader
from rules.books.total_war.storage import WAR

KINDS: Mapping[str, str] = {WAR: "War", "fight": "Fight", "battle": "Battle"}
"""Entries that begin scenes."""

MOST_SCENES, MOST_WALKED, MOST_LISTED, A_READ = 100, 5000, 100, 200


class PublicScene(Struct, frozen=True):
    """A scene that a public entry began."""

    begun: records.Entry
    name: str
    subject: str


class WarTurn(Struct, frozen=True):
    """A turn's newest posted map."""

    number: int
    posted: records.Entry


def _read_scene(entry: records.Entry) -> PublicScene | None:
    for change in entry.content()["changes"] if entry.kind in KINDS else ():
        header = change["after"] if change["name"] == entry.kind else None
        if header and header["entry"] == entry.number:
            return PublicScene(entry, header["name"], change["subject"])
    return None


def list_scenes(site: SiteReader, kinds: Iterable[str] = KINDS, most: int = MOST_SCENES) -> list[PublicScene]:
    """Return public scenes, newest first."""
    found: list[PublicScene] = []
    for kind in kinds:
        made = islice(entries.walk_back(site.tx, site.campaign.id, kind), MOST_WALKED)
        begun = filter(None, map(_read_scene, filter(site.public.shows, made)))
        found += islice(begun, most)
    return sorted(found, key=attrgetter("begun.number"), reverse=True)[:MOST_SCENES]


def _require_scene(site: SiteReader, number: int) -> PublicScene:
    entry = site.get_entry(number)
    scene = None if entry is None else _read_scene(entry)
    if scene is None:
        raise MissingPage
    return scene


def _list_turns(site: SiteReader, scene: PublicScene) -> list[WarTurn]:
    # Without maps that were undone.
    begun = scene.begun.number
    digests = entries.walk_back(site.tx, site.campaign.id, DIGEST, after=begun)
    posted = [made for made in islice(filter(site.public.shows, digests), MOST_WALKED) if _find_war(made) == begun]
    void = {view.entry.number for view in site.view_entries(posted) if view.voided}
    kept = [scene.begun, *(made for made in reversed(posted) if made.number not in void)]
    newest = {made.content()[MAP_OF][WAR]["turn"]: made for made in kept if MAP_OF in made.content()}
    return [WarTurn(number, made) for number, made in sorted(newest.items())]


def _find_war(entry: records.Entry) -> int | None:
    posted: ledger.Body | None = entry.content().get(MAP_OF)
    return None if posted is None else posted[WAR]["entry"]


def _list_results(site: SiteReader, scene: PublicScene, above: int, below: int) -> tuple[list[EntryLine], bool]:
    found: list[records.Entry] = []
    walked = 0
    for read in _walk_results(site, above, below):
        walked += 1
        begins = _read_scene(read)
        if begins is not None and begins.subject == scene.subject and read.number != scene.begun.number:
            break  # another scene has the name now
        if _belongs(read, scene):
            found.append(read)
        if len(found) > MOST_LISTED:
            break
    lines = site.list_lines(found[:MOST_LISTED], ROOM // 2)  # a turn has two lists
    return lines, len(found) > len(lines) or walked >= MOST_WALKED


def _walk_results(site: SiteReader, above: int, below: int) -> Iterator[records.Entry]:
    for _ in range(MOST_WALKED // A_READ):
        read = site.list_between(entries.Span(above, below, oldest=True, limit=A_READ))
        yield from read
        if len(read) < A_READ:
            return
        above = read[-1].number


def _belongs(entry: records.Entry, scene: PublicScene) -> bool:
    body = entry.content()
    if body.get("scene") == scene.subject or _find_war(entry) == scene.begun.number:
        return True
    return entry.kind == scene.begun.kind and any(change["subject"] == scene.subject for change in body["changes"])


def show_wars(site: SiteReader, _address: SiteAddress) -> SitePage:
    """List public wars, fights and battles."""
    scenes = list_scenes(site)
    views = site.view_entries([scene.begun for scene in scenes])
    listed = [
        {
            "name": scene.name,
            "kind": KINDS[scene.begun.kind],
            "at": scene.begun.at,
            "address": site.links.to(f"war/{scene.begun.number}"),
            "gone": site.describe_mark(view),
        }
        for scene, view in zip(scenes, views, strict=True)
    ]
    return SitePage("War", "wars.html", {"scenes": listed}, "Wars, fights and battles that are public.")


def show_war(site: SiteReader, address: SiteAddress) -> SitePage:
    """Show a war's turn, or a scene's results."""
    scene, turns = _read_turns(site, address)
    shown: dict[str, Any] = {"scene": scene, "kind": KINDS[scene.begun.kind], "map": None}
    begun, end = scene.begun.number, entries.Span().below
    if not turns:
        results, more = _list_results(site, scene, begun - 1, end)
        shown |= {"listed": [("Results", results)], "more": more}
        return SitePage(scene.name, "war.html", shown, f"The public results of {scene.name}.")
    place = _find_place(turns, address.turn)
    turn, earlier = turns[place], turns[place - 1].posted.number if place else begun - 1
    results, more = _list_results(site, scene, earlier, turn.posted.number + 1)
    listed = [("Results before this map", results)]
    if turn is turns[-1]:
        later, more_later = _list_results(site, scene, turn.posted.number, end)
        listed, more = [("Results since this map", later), *listed], more or more_later
    links = [(item.number, site.links.to(_write_path(scene, item))) for item in turns]
    shown |= {"listed": listed, "more": more, "turns": links, "place": place}
    found, title = _describe_map(site, scene, turn), f"{scene.name}, turn {turn.number}"
    summary = f"Turn {turn.number} of {scene.name}, as everyone could see it."
    picture = PagePicture() if found is None else PagePicture(found["path"], found["width"], found["height"], summary)
    return SitePage(title, "war.html", {**shown, "map": found}, summary, picture=picture)


def draw_war_map(site: SiteReader, address: SiteAddress) -> Drawing:
    """Return what draws a turn's map."""
    _, turns = _read_turns(site, address)
    turn = turns[_find_place(turns, address.turn)]
    view = _read_map(site, turn)
    if view is None:
        raise MissingPage
    return view.draw


def _read_turns(site: SiteReader, address: SiteAddress) -> tuple[PublicScene, list[WarTurn]]:
    scene = _require_scene(site, address.number)
    turns = _list_turns(site, scene) if scene.begun.kind == WAR else []
    if address.turn and address.turn not in {turn.number for turn in turns}:
        raise MissingPage
    return scene, turns


def _find_place(turns: Sequence[WarTurn], number: int) -> int:
    return next((place for place, turn in enumerate(turns) if turn.number == number), len(turns) - 1)


def _read_map(site: SiteReader, turn: WarTurn) -> MapView | None:
    try:
        return read_posted_map(site.tx, site.tools.library, site.campaign, turn.posted.content())
    except errors.UserError:  # its book is off, or house rules no longer fit
        return None


def _write_path(scene: PublicScene, turn: WarTurn) -> str:
    return f"war/{scene.begun.number}/{turn.number}"


def _describe_map(site: SiteReader, scene: PublicScene, turn: WarTurn) -> Mapping[str, Any] | None:
    view = _read_map(site, turn)
    if view is None:
        return None
    title, lines = view.words()
    (width, height), path = view.measure(), f"{_write_path(scene, turn)}.png"
    return {
        "title": site.write_line(title),
        "lines": [*map(site.write_line, lines)],
        "path": path,
        "src": site.links.to(path),
        "width": width,
        "height": height,
    }


def find_newest_map(site: SiteReader) -> Mapping[str, Any] | None:
    """Return the newest war's newest map."""
    scene = next(iter(list_scenes(site, [WAR], 1)), None)
    turns = [] if scene is None else _list_turns(site, scene)
    found = _describe_map(site, scene, turns[-1]) if scene and turns else None
    if scene is None or found is None:
        return None
    page = site.links.to(f"war/{scene.begun.number}")
    return {**found, "name": scene.name, "turn": turns[-1].number, "page": page}
