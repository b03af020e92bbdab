"""Completions of order options: kinds, doers and targets."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated

from sqlalchemy import Connection

from bot.core import errors, profiles, state, subjects, visibility
from bot.core.campaigns import Campaign, open_campaign
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.visibility import Viewer, list_played, list_suggested, make_viewer
from bot.orders import kinds
from bot.orders.entries import is_given_by, scene_doers, viewpoint_of
from bot.orders.standing import list_standing, visible_to
from bot.rolls import options
from bot.rolls.extension import NeededValue
from bot.rolls.resolver import Resolver
from rules import orders, ruleset
from rules.subjects import name_key

PASSING = "Pass"
"""What is picked instead of a kind by those who give no more orders this update."""


def _list_kinds_for(tx: Connection, resolver: Resolver, who: Person, campaign: Campaign, doer: str | None) -> list[str]:
    viewer, played = make_viewer(tx, who, campaign), resolver.library.list_books(tx, campaign)
    known = [item for item in kinds.list_kinds(played) if kinds.is_open_to(who, campaign, item.kind)]
    able = {book.id: _in_scene(tx, viewer, book) for book in played if kinds.scene_of(tx, campaign.id, book)}
    known = [
        item
        for item in known
        if item.book.id not in able or any(item.kind.id in some for some in able[item.book.id].values())
    ]
    if not doer:
        return [*(item.kind.label for item in known), *[PASSING] * bool(known)]
    one, key = _find_meant(list_played(tx, viewer), doer), name_key(doer)
    fitting = [
        item
        for item in known
        if (
            item.kind.id in able.get(item.book.id, {}).get(key, ())
            if kinds.hangs_on_scene(item.book)
            else one is not None and _able(tx, resolver, viewer, item, [one])
        )
    ]
    return [*(item.kind.label for item in fitting or known), *[PASSING] * bool(known and (one or not fitting))]


def _in_scene(tx: Connection, viewer: Viewer, book: ruleset.RuleSet) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for item in scene_doers(tx, viewer, book):
        kinds_of = {kind for kind in item.orders if is_given_by(viewer, item, kind)}
        found[name_key(item.name)] = found.get(name_key(item.name), set()) | kinds_of
    return found


def _list_doers(tx: Connection, resolver: Resolver, who: Person, campaign: Campaign, kind: str | None) -> list[str]:
    viewer = make_viewer(tx, who, campaign)
    theirs, known = list_played(tx, viewer), _find_typed(tx, resolver.library, campaign, kind)
    if known is None:
        in_scenes = (
            item.name for book in resolver.library.list_books(tx, campaign) for item in scene_doers(tx, viewer, book)
        )
        return [*dict.fromkeys((*subjects.label_subjects(theirs), *in_scenes))]
    if kinds.hangs_on_scene(known.book):
        return [item.name for item in scene_doers(tx, viewer, known.book, known.kind.id)]
    return subjects.label_subjects(_able(tx, resolver, viewer, known, theirs))


def _find_meant(theirs: Sequence[profiles.Profile], typed: str) -> profiles.Profile | None:
    with suppress(errors.BadInput):
        return subjects.choose_named(theirs, typed)
    return None


def _able(
    tx: Connection, resolver: Resolver, viewer: Viewer, known: kinds.PlayedKind, some: Sequence[profiles.Profile]
) -> list[profiles.Profile]:
    needs = known.kind.needs
    kept = _read_values(tx, viewer, some, {*known.kind.barred, *([needs] if needs else [])})
    able = [item for item in some if not any((item.key, name) in kept for name in known.kind.barred)]
    if not needs:
        return able
    about = ((item, kept.get((item.key, needs))) for item in able)
    asked = ((item, NeededValue(viewer.campaign, known.kind.family, {}, item.name, value)) for item, value in about)
    return [item for item, needed in asked if _meets(tx, resolver, needs, needed)]


def _meets(tx: Connection, resolver: Resolver, needs: str, needed: NeededValue) -> bool:
    with suppress(errors.UserError):
        resolver.extension.requirements[needs](tx, needed)
        return True
    return False


def _list_targets(  # noqa: PLR0913 - who orders what where, and which option is completed
    tx: Connection, library: Library, who: Person, campaign: Campaign, typed: Mapping[str, str], *, beside: bool
) -> tuple[list[str], bool]:
    viewer, known = make_viewer(tx, who, campaign), _find_typed(tx, library, campaign, typed["kind"])
    if known is None or (known.kind.beside if beside else known.kind.to) is None:
        return [], False
    if not known.kind.words:
        takes = "character" if beside else known.kind.takes
        return [*dict.fromkeys(_list_fitting(tx, viewer, known, takes))], False
    scene = kinds.scene_of(tx, campaign.id, known.book)
    if scene is None or not typed["who"]:
        return [], True
    begun = orders.BegunOrder(known.kind.id, typed["who"], typed["to"] if beside else None)
    return [*scene.orders.offers(known.book, scene.values, viewpoint_of(viewer), begun)], True


def _list_fitting(tx: Connection, viewer: Viewer, known: kinds.PlayedKind, takes: str) -> Iterator[str]:
    saved = list_suggested(tx, viewer)
    if takes == "place":  # any name is one: of those in orders everybody sees their own
        yield from (item.to.name for item in visible_to(viewer, list_standing(tx, viewer.campaign)) if item.to)
        yield from subjects.label_subjects([item for item in saved if item.kind == "place"])
        yield from (region.label for zone in known.book.zones.values() for region in zone.regions)
        return
    fitting = [item for item in saved if item.kind in profiles.FITTING[takes]]
    about = known.kind.about if takes == "character" else None
    kept = _read_values(tx, viewer, fitting, {about}) if about else {}
    yield from subjects.label_subjects([item for item in fitting if about is None or (item.key, about) in kept])


def _find_typed(tx: Connection, library: Library, campaign: Campaign, typed: str | None) -> kinds.PlayedKind | None:
    try:
        return kinds.find_kind(kinds.list_kinds(library.list_books(tx, campaign)), typed or "")
    except errors.BadInput:
        return None


def find_played_kind(tx: Connection, library: Library, campaign_id: int, typed: str) -> kinds.PlayedKind:
    """Find the typed kind among the campaign's books.

    Raises:
        BadInput: no kind fits.
    """
    return kinds.find_kind(kinds.list_kinds(library.list_books(tx, open_campaign(tx, campaign_id, lock=False))), typed)


def _read_values(
    tx: Connection, viewer: Viewer, some: Collection[profiles.Profile], names: Collection[str]
) -> state.State:
    keys = {item.key for item in some}
    return (
        visibility.see_values(tx, viewer, state.get_values_named(tx, viewer.campaign.id, keys, names)) if names else {}
    )


async def _complete(
    list_labels: Callable[..., list[str]], other: str, at: options.Completion, current: str
) -> options.Completions:
    asked = at.desk.resolver, at.person, at.campaign, at.read_option(other) or None
    return options.filter_labels(current, await at.desk.database.read(list_labels, *asked))


async def _complete_target(at: options.Completion, current: str, *, beside: bool = False) -> options.Completions:
    typed = {name: at.read_option(name) for name in ("kind", "who", "to")}
    asked = at.desk.resolver.library, at.person, at.campaign, typed
    names, only_one = await at.desk.database.read(partial(_list_targets, beside=beside), *asked)
    return options.complete_last(current, names) if beside and not only_one else options.filter_labels(current, names)


Kind = Annotated[str, options.Completed(partial(_complete, _list_kinds_for, "who"))]
Doer = Annotated[str, options.Completed(partial(_complete, _list_doers, "kind"))]
Target = Annotated[str, options.Completed(_complete_target)]
Beside = Annotated[str, options.Completed(partial(_complete_target, beside=True))]
