"""Add, edit, show and remove units and characters (`who`)."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace
from sqlalchemy import Connection

from bot.cogs.roster import embed
from bot.cogs.roster.validation import FIELDS, NOTHING, list_named_units, list_traits, read_fields, require_sound, tidy
from bot.core import entries, profiles, state, visibility
from bot.core.campaigns import Campaign, open_campaign, require_open
from bot.core.errors import BadInput, NotAllowed, NotAsItIs, NotOpen
from bot.core.ledger import Body, next_number
from bot.core.permissions import Person, may_maker_read, require_game_master
from bot.core.profiles import UNIT_KINDS, Profile, find_bearer, find_squad, list_differences
from bot.core.records import Change
from bot.core.state import State
from bot.core.subjects import Subject, Subjects, respell
from bot.core.visibility import Viewer, find_editable, find_known, find_saved, make_viewer, require_editor
from bot.kernel import Feature, Kernel
from bot.outbox.queue import Post
from bot.rolls.consequences import list_spent_effects
from bot.rolls.pending.service import settle
from bot.rolls.resolver import Resolver
from bot.ui.text import join_words
from rules.books.campaign.captivity import CAPTIVE
from rules.effects import ROLLED
from rules.subjects import GROUP, NAME, PROFILE, Field, name_key, number_of, subject_key

MAX_LISTED = 8


def _list_removal_changes(
    features: Iterable[Feature], spent: Collection[str], kept: State, item: Profile, entry: int
) -> list[Change]:
    """Names and rolls stay, and `spent` effects, unless they reveal a secret."""
    lasting = () if item.secret else spent
    own = [
        Change(*key, kept[key], None)
        for key in sorted(kept)
        if key[0] == item.key and key[1] != NAME and not key[1].startswith(ROLLED) and key[1] not in lasting
    ]
    hooks = (feature.removed for feature in features if feature.removed is not None)
    return [*own, *(change for hook in hooks for change in hook(kept, item.id, entry))]


def _require_removable(kept: State, item: Profile) -> None:
    if (item.key, CAPTIVE) in kept:
        raise NotAsItIs(f"{item.name} is a captive.", "Release the captive first: /captive release.")
    _require_no_members(kept, item)
    captives = _find_referring(kept, CAPTIVE, "at", item.id)
    if captives:
        do = "Move them with /captive move, or release them with /captive release."
        raise NotAsItIs(f"{item.name} has captives: {_shorten_names(captives)}.", do)


def _require_no_members(kept: State, item: Profile) -> None:
    members = _find_referring(kept, PROFILE, "squad", item.id)
    if members:
        do = "Give them another squad or none first: /character edit."
        raise NotAsItIs(f"{item.name} has members: {_shorten_names(members)}.", do)


def _find_referring(kept: State, name: str, field: str, number: int) -> list[str]:
    found = [key[0] for key, value in kept.items() if key[1] == name and value[field] == number]
    return sorted(kept[subject, NAME] for subject in found)


def _shorten_names(names: Sequence[str]) -> str:
    shown = names[:MAX_LISTED]
    return join_words([*shown, f"{len(names) - len(shown)} more"] if len(shown) < len(names) else list(shown))


def check_void(tx: Connection, _resolver: Resolver, campaign: Campaign, again: State) -> None:
    """Refuse an undo with a missing squad or a name taken."""
    if not any(name in {NAME, PROFILE} for _, name in again):
        return
    kept = state.get_whole(tx, campaign.id)
    after = {key: value for key, value in {**kept, **again}.items() if value is not None}
    for subject, name in again:
        if name == PROFILE and (subject, name) not in after and (subject, name) in kept:
            # A captive needn't be saved, and neither does their place.
            _require_no_members(after, Profile.of(number_of(subject), kept[subject, NAME], kept[subject, name]))
    saved = {subject: value for (subject, name), value in after.items() if name == PROFILE}
    alike: dict[str, list[bool]] = {}
    for subject, value in saved.items():
        alike.setdefault(name_key(after[subject, NAME]), []).append(value["secret"])
    for subject in sorted({subject for subject, _ in again} & saved.keys()):
        name, squad = after[subject, NAME], saved[subject]["squad"]
        if (subject, GROUP) in after:
            raise NotAsItIs(f"{name} is a group now.", "Save the unit or character again.")
        if len(alike[name_key(name)]) > 1 and not all(alike[name_key(name)]):
            raise NotAsItIs(f"Another one is called {name} now.", "Rename it first: /unit edit or /character edit.")
        if squad is not None and subject_key(squad) not in saved:
            gone = after[subject_key(squad), NAME]
            raise NotOpen(f"{name} was in {gone}, which was removed later.", f"Undo the removal of {gone} first.")


FieldInput = str | int | bool
Fields = Mapping[str, FieldInput]
"""Typed or picked values by field name; an owner is a user id."""


def add(
    tx: Connection, kernel: Kernel, person: Person, campaign_id: int, name: str, kind: str, given: Fields
) -> embed.ProfileView:
    """Save a unit or character."""
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, f"save {find_bearer(kind)}s")
    new, fields = Profile(tidy(name) or "", kind, secret=campaign.new_are_secret), kernel.library.fields(tx, campaign)
    new = replace(new, **_read_fields(tx, kernel, campaign, given)).with_fields(read_fields(given, fields))
    known = profiles.list_profiles(tx, campaign.id)
    new = find_squad(new, known)
    require_sound(new, list_traits(tx, kernel.library, campaign), _units(known), fields)
    _require_free(known, new)
    people = Subjects(tx, campaign.id)
    (who,) = people.pick_unsaved([new.name])
    new = replace(new, id=who.id)
    changes = [*people.changes, *respell(who, new.name), Change(new.key, PROFILE, None, new.value())]
    labels = {name: item.label for name, item in fields.items() if name in new.fields}
    body = {"deed": "add", "name": new.name, "kind": new.kind, "labels": labels}
    return save_change(tx, kernel, make_viewer(tx, person, campaign), body, new, changes)


def edit(
    tx: Connection, kernel: Kernel, person: Person, campaign_id: int, who: str, name: str, given: Fields
) -> embed.ProfileView:
    """Change fields; a new name keeps the number."""
    campaign = open_campaign(tx, campaign_id)
    viewer = make_viewer(tx, person, campaign)
    saved = {item.id: item for item in profiles.list_profiles(tx, campaign.id)}
    known = visibility.see_saved(tx, viewer, saved.values(), kernel.library.fields(tx, campaign))
    seen = find_known(viewer, known, who, name)
    return _edit(tx, kernel, viewer, (saved[seen.id], seen, known), given)


def show_to_players(
    tx: Connection, kernel: Kernel, person: Person, campaign_id: int, number: int, newest: int, *, secret: bool
) -> embed.ProfileView:
    """Show a profile to players or hide it; refuse if it changed after entry `newest`."""
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "choose what players see")
    viewer, item, every = find_editable(tx, person, campaign, number)
    _require_unchanged(tx, campaign, item, newest)
    return _edit(tx, kernel, viewer, (item, item, every), {"secret": secret})


def _edit(
    tx: Connection, kernel: Kernel, viewer: Viewer, found: tuple[Profile, Profile, Sequence[Profile]], given: Fields
) -> embed.ProfileView:
    """`found` is the profile as it is, as seen, and all known ones."""
    (before, seen, known), campaign = found, viewer.campaign
    require_editor(viewer, before)
    fields = kernel.library.fields(tx, campaign)
    typed, own = read_fields(given, fields), {name: item.label for name, item in fields.items() if item.own}
    if not {*given, *typed} <= {"squad", FIELDS, *own}:
        what = f"change anything of a character except {join_words(['squad', *own.values(), 'traits'])}"
        require_game_master(viewer.person, campaign, what)
    after = replace(seen, **_read_fields(tx, kernel, campaign, given), fields=before.with_fields(typed).fields)
    if name_key(after.squad or "") != name_key(seen.squad or ""):
        after = find_squad(after, known)
        _require_ally(viewer, after, known)
    else:  # a player doesn't see a secret squad, and stays in it
        after = replace(after, squad=before.squad, squad_id=before.squad_id)
    body = _edit_body(before, after, fields)
    if after.name != before.name or before.secret > after.secret:
        _require_free([item for item in known if item.id != before.id], after)
        for feature in kernel.features:
            if feature.renaming is not None:
                feature.renaming(tx, campaign, after.id, after.name)
    stays = before.squad if before.squad and after.squad_id == before.squad_id else None
    units = _units(known) | ({name_key(stays): stays} if stays else {})
    units |= list_named_units(before, fields)  # units named before may have been removed since
    require_sound(replace(after, traits={}), {}, units, fields)  # traits are checked when they are picked
    changes = respell(Subject(before.id, before.name), after.name)
    if after.value() != before.value():
        changes = [*changes, Change(after.key, PROFILE, before.value(), after.value())]
    return save_change(tx, kernel, viewer, body, before, changes)


def to_remove(
    tx: Connection, kernel: Kernel, person: Person, campaign: Campaign, who: str, name: str
) -> embed.ProfileView:
    """Return a unit or character as it is, or refuse if it can't be removed."""
    require_open(campaign)
    require_game_master(person, campaign, f"remove {who}s")
    item = find_saved(tx, person, campaign, who, name)
    _require_removable(state.get_whole(tx, campaign.id), item)
    return embed.view_profile(tx, kernel, make_viewer(tx, person, campaign), item, [item])


def remove(
    tx: Connection, kernel: Kernel, person: Person, campaign_id: int, number: int, seen: int
) -> tuple[Profile, int, Sequence[Post]]:
    """Remove a profile by number; return it, the entry's number, and posts to send."""
    campaign = open_campaign(tx, campaign_id)
    require_game_master(person, campaign, "remove units and characters")
    _, item, _ = find_editable(tx, person, campaign, number)
    _require_unchanged(tx, campaign, item, seen)
    kept = state.get_whole(tx, campaign.id)
    _require_removable(kept, item)
    body = {"deed": "remove", "name": item.name, "kind": item.kind}
    spent = list_spent_effects(kernel.library.shipped.values())
    changes = _list_removal_changes(kernel.features, spent, kept, item, next_number(tx, campaign))
    draft = embed.roster_draft(body, changes, item)
    entry = kernel.ledger.enter(tx, campaign, person.user_id, draft)
    profiles.forget_use(tx, campaign.id, item.key)
    hooks = (feature.after_removal for feature in kernel.features if feature.after_removal is not None)
    posts = [post for hook in hooks for post in hook(tx, kernel.resolver, person, campaign, entry.number)]
    return item, entry.number, [*posts, *settle(tx, kernel.resolver, campaign)]


def _require_unchanged(tx: Connection, campaign: Campaign, item: Profile, seen: int) -> None:
    for entry in entries.walk_entries(tx, campaign.id, after=seen):
        changes = entry.content()["changes"]
        if any(change["subject"] == item.key and change["name"] in {PROFILE, NAME} for change in changes):
            what = f"{item.name} has changed since you looked (entry #{entry.number})."
            raise NotOpen(what, "Nothing was done. Look again first.")


def save_change(
    tx: Connection, kernel: Kernel, viewer: Viewer, body: Body, before: Profile, changes: Iterable[Change]
) -> embed.ProfileView:
    """Enter changes and return the new card."""
    campaign = viewer.campaign
    entry = kernel.ledger.enter(tx, campaign, viewer.person.user_id, embed.roster_draft(body, changes, before))
    profiles.note_use(tx, campaign.id, [before.key], entry.number)
    every = profiles.list_profiles(tx, campaign.id)
    after = next(item for item in every if item.id == before.id)
    number = entry.number if may_maker_read(viewer.person, campaign, entry) else None
    return replace(embed.view_profile(tx, kernel, viewer, after, every), entry=number)


def _read_fields(tx: Connection, kernel: Kernel, campaign: Campaign, given: Fields) -> dict[str, object]:
    fields: dict[str, object] = {field: _read_field(value) for field, value in given.items() if field != FIELDS}
    if "name" in given:
        fields["name"] = tidy(str(given["name"])) or ""
    if "owner" in given:
        fields["owner"] = kernel.ledger.actor(tx, campaign, int(given["owner"])) if given["owner"] else None
    if fields.get("region"):
        books = (kernel.library.book(tx, campaign, book) for book in campaign.books)
        places = (book.places.get(name_key(fields["region"])) for book in books)
        fields["region"] = next((place[1].label for place in places if place), fields["region"])
    return fields


def _read_field(value: FieldInput) -> FieldInput | None:
    if not isinstance(value, str):
        return value
    text = tidy(value)
    return None if text is None or text.casefold() in NOTHING else text


def _require_ally(viewer: Viewer, item: Profile, known: Iterable[Profile]) -> None:
    squad = next((unit for unit in known if unit.id == item.squad_id), None)
    if squad is None or squad.side is None or viewer.person.leads(viewer.campaign) or viewer.owns(squad):
        return
    if name_key(squad.side) != name_key(item.side or ""):
        what = (
            f"{squad.name} is of the side {squad.side}, and {item.name} is {f'of {item.side}' if item.side else 'not'}."
        )
        raise NotAllowed(what, "Pick a squad of the same side, or ask a game master.")


def _units(known: Collection[Profile]) -> dict[str, str]:
    return {name_key(item.name): item.name for item in known if item.kind in UNIT_KINDS}


def _require_free(known: Iterable[Profile], new: Profile) -> None:
    """Secret ones may share a name: their numbers differ."""
    alike = (item for item in known if name_key(item.name) == name_key(new.name))
    taken = next((item for item in alike if not (item.secret and new.secret)), None)
    if taken is not None:
        raise BadInput(
            f"There's already {profiles.name_kind_with_article(taken.kind)} called {taken.name}.", "Use another name."
        )


def _edit_body(before: Profile, after: Profile, known: Mapping[str, Field]) -> Body:
    if before.squad_id != after.squad_id and before.squad == after.squad:  # another of the same name
        before, after = (replace(item, squad=f"{item.squad} #{item.squad_id}") for item in (before, after))
    fields = list_differences(before, after)
    if not fields:
        raise BadInput(f"Nothing to change: {before.name} is already like that.", "Pick at least one thing to change.")
    return {
        "deed": "edit",
        "name": before.name,
        "kind": after.kind,
        "labels": {field: known[field].label for field in fields if field in known},
        "before": {field: before.get(field) for field in fields},
        "after": {field: after.get(field) for field in fields},
    }
