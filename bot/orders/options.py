"""The options of orders: what may be ordered now, for whom, and about whom."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated

from msgspec import Struct
from sqlalchemy import Connection

from bot.core import knowledge, profiles, state, subjects
from bot.core.campaigns import Campaign, open_campaign
from bot.core.library import Library
from bot.core.permissions import Person
from bot.core.profiles import Profile
from bot.core.state import State
from bot.core.subjects import label_subjects
from bot.core.visibility import Viewer, list_played, list_suggested, make_viewer
from bot.errors import BadInput, UserError
from bot.orders import kinds
from bot.orders.commanding import is_given_by, scene_doers, viewpoint_of
from bot.orders.kinds import KnownKind
from bot.orders.played_scene import hangs_on_scene, scene_of
from bot.orders.standing import list_standing, visible_to
from bot.rolls import options
from bot.rolls.extension import NeededValue
from bot.rolls.resolver import Resolver
from rules.orders import BegunOrder
from rules.ruleset import RuleSet
from rules.subjects import name_key


def list_kinds_for(tx: Connection, resolver: Resolver, who: Person, campaign: Campaign, doer: str | None) -> list[str]:
    """Return what a person may order: where it is typed already who does it, what that one can carry out, as far as there is any.

    Of what is carried out in a scene that is on, no more than somebody can carry out for whom the person gives orders.
    """
    viewer, played = make_viewer(tx, who, campaign), resolver.library.played(tx, campaign)
    known = [item for item in kinds.list_kinds(played) if kinds.is_open_to(who, campaign, item.kind)]
    able = {book.id: _in_scene(tx, viewer, book) for book in played if scene_of(tx, campaign.id, book)}
    known = [
        item
        for item in known
        if item.book.id not in able or any(item.kind.id in some for some in able[item.book.id].values())
    ]
    if not doer:
        return [item.kind.label for item in known]
    one = _meant(list_played(tx, viewer), doer)
    fitting = [*_fitting_kinds(known, doer, one, able, partial(_able, tx, resolver, viewer))]
    return [item.kind.label for item in fitting or known]


def _in_scene(tx: Connection, viewer: Viewer, book: RuleSet) -> dict[str, set[str]]:
    """Return what each of those of a book's scene can carry out (kinds, by the keys of the names) for whom a person gives orders."""
    found: dict[str, set[str]] = {}
    for item in scene_doers(tx, viewer, book):
        kinds_of = {kind for kind in item.orders if is_given_by(viewer, item, kind)}
        found[name_key(item.name)] = found.get(name_key(item.name), set()) | kinds_of
    return found


def _fitting_kinds(
    known: Sequence[KnownKind],
    doer: str,
    one: Profile | None,
    here: Mapping[str, Mapping[str, set[str]]],
    able: Callable[[KnownKind, Sequence[Profile]], list[Profile]],
) -> Iterator[KnownKind]:
    """Yield the kinds that a name can carry out: in a scene, by what is possible `here`; else as `one` who is `able`."""
    for item in known:
        if hangs_on_scene(item.book):
            yield from (item,) * (item.kind.id in here.get(item.book.id, {}).get(name_key(doer), ()))
        elif one is not None and able(item, [one]):
            yield item


def list_doers(tx: Connection, resolver: Resolver, who: Person, campaign: Campaign, kind: str | None) -> list[str]:
    """Return for whom a person may give orders, of a kind where that is typed already."""
    viewer = make_viewer(tx, who, campaign)
    theirs, known = list_played(tx, viewer), _typed(tx, resolver.library, campaign, kind)
    if known is None:
        in_scenes = (
            item.name for book in resolver.library.played(tx, campaign) for item in scene_doers(tx, viewer, book)
        )
        return [*dict.fromkeys((*label_subjects(theirs), *in_scenes))]
    if hangs_on_scene(known.book):
        return [item.name for item in scene_doers(tx, viewer, known.book, known.kind.id)]
    return label_subjects(_able(tx, resolver, viewer, known, theirs))


def _meant(theirs: Sequence[Profile], typed: str) -> Profile | None:
    """Return which of these a name means; None while it means nobody, or several."""
    with suppress(BadInput):
        return subjects.choose_named(theirs, typed)
    return None


def _able(
    tx: Connection, resolver: Resolver, viewer: Viewer, known: KnownKind, some: Sequence[Profile]
) -> list[Profile]:
    """Return those of some who can carry out an order of a kind, as far as a person may know."""
    needs = known.kind.needs
    kept = _kept(tx, viewer, some, {*known.kind.barred, *([needs] if needs else [])})
    able = [item for item in some if not any((item.key, name) in kept for name in known.kind.barred)]
    if not needs:
        return able
    about = ((item, kept.get((item.key, needs))) for item in able)
    asked = ((item, NeededValue(viewer.campaign, known.kind.family, {}, item.name, value)) for item, value in about)
    return [item for item, needed in asked if _meets(tx, resolver, needs, needed)]


def _meets(tx: Connection, resolver: Resolver, needs: str, needed: NeededValue) -> bool:
    with suppress(UserError):
        resolver.extension.requirements[needs](tx, needed)
        return True
    return False


class Targets(Struct, frozen=True):
    """What an order may be about: names, or `words` of which the book takes one."""

    names: Sequence[str] = ()
    words: bool = False


class TypedOptions(Struct, frozen=True):
    """What is typed in the options of an order so far."""

    kind: str | None = None
    who: str | None = None
    to: str | None = None


def list_targets(  # noqa: PLR0913 - who orders what where, and which option is completed
    tx: Connection, library: Library, who: Person, campaign: Campaign, typed: TypedOptions, *, beside: bool
) -> Targets:
    """Return about whom, or where, an order of a kind may be, as far as a person knows; or who may stand `beside`."""
    viewer, known = make_viewer(tx, who, campaign), _typed(tx, library, campaign, typed.kind)
    if known is None or (known.kind.beside if beside else known.kind.to) is None:
        return Targets()
    if known.kind.words:
        return Targets(_in_words(tx, viewer, known, typed, beside=beside), words=True)
    return Targets([*dict.fromkeys(_fitting(tx, viewer, known, "character" if beside else known.kind.takes))])


def _in_words(tx: Connection, viewer: Viewer, known: KnownKind, typed: TypedOptions, *, beside: bool) -> list[str]:
    """Return what the scene of a book gives as the target of an order, or as what stands beside it, as far as a person sees it."""
    scene = scene_of(tx, viewer.campaign.id, known.book)
    if scene is None or not typed.who:
        return []
    begun = BegunOrder(known.kind.id, typed.who, (typed.to or "") if beside else None)
    return [*scene.orders.offers(known.book, scene.values, viewpoint_of(viewer), begun)]


def _fitting(tx: Connection, viewer: Viewer, known: KnownKind, takes: str) -> Iterator[str]:
    saved = list_suggested(tx, viewer)
    if takes == "place":  # any name is one: of those in orders everybody sees their own
        yield from (item.to.name for item in visible_to(viewer, list_standing(tx, viewer.campaign)) if item.to)
        yield from label_subjects([item for item in saved if item.kind == "place"])
        yield from (region.label for zone in known.book.zones.values() for region in zone.regions)
        return
    fitting = [item for item in saved if item.kind in profiles.FITTING[takes]]
    about = known.kind.about if takes == "character" else None
    kept = _kept(tx, viewer, fitting, {about}) if about else {}
    yield from label_subjects([item for item in fitting if about is None or (item.key, about) in kept])


def _typed(tx: Connection, library: Library, campaign: Campaign, typed: str | None) -> KnownKind | None:
    """Return the kind that is typed beside an option; None while there is none."""
    try:
        return kinds.find_kind(kinds.list_kinds(library.played(tx, campaign)), typed or "")
    except BadInput:
        return None


def played_kind(tx: Connection, library: Library, campaign_id: int, typed: str) -> KnownKind:
    """Return the kind that is typed, out of those of the books that a campaign plays by; raises as `kinds.find`."""
    return kinds.find_kind(kinds.list_kinds(library.played(tx, open_campaign(tx, campaign_id, lock=False))), typed)


def _kept(tx: Connection, viewer: Viewer, some: Collection[Profile], names: Collection[str]) -> State:
    """Return the values of these names that are kept of some, as far as a person may know of them."""
    keys = {item.key for item in some}
    return (
        knowledge.see_values(tx, viewer, state.get_values_named(tx, viewer.campaign.id, keys, names)) if names else {}
    )


async def _complete_kind(at: options.Completion, current: str) -> options.Completions:
    asked = at.desk.resolver, at.person, at.campaign, at.typed("who") or None
    return options.filter_labels(current, await at.desk.database.read(list_kinds_for, *asked))


async def _complete_doer(at: options.Completion, current: str) -> options.Completions:
    asked = at.desk.resolver, at.person, at.campaign, at.typed("kind") or None
    return options.filter_labels(current, await at.desk.database.read(list_doers, *asked))


async def _complete_target(at: options.Completion, current: str, *, beside: bool = False) -> options.Completions:
    """Offer whom or which place an order can be about; or who can join in, separated by commas."""
    so_far = TypedOptions(*(at.typed(name) or None for name in TypedOptions.__struct_fields__))
    asked = at.desk.resolver.library, at.person, at.campaign, so_far
    found = await at.desk.database.read(partial(list_targets, beside=beside), *asked)
    several = beside and not found.words
    return options.complete_last(current, found.names) if several else options.filter_labels(current, found.names)


Kind = Annotated[str, options.Completed(_complete_kind)]
Doer = Annotated[str, options.Completed(_complete_doer)]
Target = Annotated[str, options.Completed(_complete_target)]
Beside = Annotated[str, options.Completed(partial(_complete_target, beside=True))]
