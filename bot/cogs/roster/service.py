"""Add, edit and remove units and characters."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated

import discord
from msgspec.structs import replace
from sqlalchemy import Connection

from bot.actions import Outcome, Work
from bot.cogs.roster import embed, trait_view, validation
from bot.cogs.roster.validation import NOTHING, list_named_units, list_traits, read_fields, require_sound, tidy
from bot.core import campaigns, entries, ledger, permissions, profiles, state, visibility
from bot.core.errors import BadInput, NotAllowed, NotAsItIs, NotOpen
from bot.core.profiles import NOBODY, UNIT_KINDS, Profile, find_squad
from bot.core.records import Change
from bot.core.subjects import Subject, respell
from bot.core.visibility import Viewer, find_editable, find_saved, require_editor
from bot.kernel import Kernel
from bot.outbox.queue import Post
from bot.rolls.options import Completed, Completion, Completions, NameCompleter, Region, UnitName, filter_labels
from bot.rolls.resolver import Resolver
from bot.ui.parsing import MAX_CHOICE, option
from bot.ui.text import join_words
from rules.books.campaign.captivity import CAPTIVE
from rules.effects import EFFECT, ROLLED
from rules.subjects import GROUP, NAME, PROFILE, Field, find_bearer, name_key, number_of, subject_key

MAX_LISTED = 8


def _require_removable(kept: state.State, item: Profile) -> None:
    if (item.key, CAPTIVE) in kept:
        raise NotAsItIs(f"{item.name} is a captive.", "Release the captive first, with /captives.")
    _require_no_members(kept, item)
    if captives := _find_referring(kept, CAPTIVE, "at", item.id):
        do = "Move or release them with /captives."
        raise NotAsItIs(f"{item.name} has captives: {captives}.", do)


def _require_no_members(kept: state.State, item: Profile) -> None:
    if members := _find_referring(kept, PROFILE, "squad", item.id):
        do = "Give them another squad or none first: /roster edit."
        raise NotAsItIs(f"{item.name} has members: {members}.", do)


def _find_referring(kept: state.State, name: str, field: str, number: int) -> str:
    names = sorted(kept[key[0], NAME] for key, value in kept.items() if key[1] == name and value[field] == number)
    more = [f"{len(names) - MAX_LISTED} more"] if len(names) > MAX_LISTED else []
    return join_words([*names[:MAX_LISTED], *more])


def check_void(tx: Connection, _resolver: Resolver, campaign: campaigns.Campaign, again: state.State) -> None:
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
            raise NotAsItIs(f"Another one is called {name} now.", "Rename it first: /roster edit.")
        if squad is not None and subject_key(squad) not in saved:
            gone = after[subject_key(squad), NAME]
            raise NotOpen(f"{name} was in {gone}, which was removed later.", f"Undo the removal of {gone} first.")


Given = Mapping[str, str | int | bool]
"""Typed or picked values by field; an owner is a user id."""


async def _complete_fields(at: Completion, current: str) -> Completions:
    kind = at.read_option("kind")
    on = {find_bearer(kind)} if kind in KINDS else set()
    every = {name: item for book in await at.books() for name, item in book.fields.items()}
    fields = {name: item for name, item in every.items() if not on or on & item.on}
    before, mark, last = current.rpartition(";")
    name, colon, value = map(str.strip, last.partition(":"))
    words = fields[name].options if colon and name in fields else [f"{field}: " for field in fields]
    head = f"{before}{mark} " * bool(mark) + f"{name}: " * bool(colon)
    found = [head + word for word, _ in filter_labels(value if colon else name, words)]
    return [(word, word) for word in found if len(word) <= MAX_CHOICE]


Saved = Annotated[str, NameCompleter()]
Edited = Annotated[str, NameCompleter(takes=Viewer.may_edit)]
Fields = Annotated[str, Completed(_complete_fields)]
KINDS = {**{kind: kind for kind in UNIT_KINDS}, "pc": "player character", "npc": "named NPC"}


class SaveProfile(trait_view.ProfileAction):
    """A saved unit or character of a kind (`what`)."""

    name: str
    what: str | None = option("Its kind", default=None, choices=KINDS, name="kind")
    side: str | None = option("Its side, such as Zeon. none removes it", default=None)
    owner: discord.Member | None = option("The player. Pick me, the bot, to remove the owner", default=None)
    region: Region | None = option("Its region. Rolls take their weather from there", default=None)
    squad: UnitName | None = option("A character's unit, whose traits count for it too. none removes it", default=None)
    fields: Fields | None = option(
        "Values from the books, such as callsign: Owl; newtype: 7. none clears one", default=None
    )
    secret: bool | None = option("True hides it from everyone but game masters and its owner", default=None)

    def read_given(self) -> dict[str, str | int | bool]:
        """Return typed or picked values by field; an owner is a user id."""
        given = self.collect_values("name", "what", "new_name")
        if isinstance(member := given.get("owner"), discord.Member):
            given["owner"] = NOBODY if member.bot else member.id
        return given


class AddProfile(SaveProfile):
    """A new unit or character."""

    name: str = option("The name")
    what: str = option("Its kind", choices=KINDS, name="kind")

    verb, summary = "add", "Save a unit or character, then tick its traits."

    def apply(self, work: Work) -> Outcome:
        """Refuse flaws and taken names."""
        tx, campaign, fields, given = (
            work.tx,
            work.campaign,
            work.library.fields(work.tx, work.campaign),
            self.read_given(),
        )
        permissions.require_game_master(work.person, campaign, f"save {find_bearer(self.what)}s")
        new = Profile(tidy(self.name) or "", self.what, secret=campaign.new_are_secret)
        new = replace(new, **_read_fields(work, given)).with_fields(read_fields(given, fields))
        known = profiles.list_profiles(tx, campaign.id)
        new = find_squad(new, known)
        require_sound(new, list_traits(tx, work.library, campaign), _units(known), fields)
        _require_free(known, new)
        (who,) = work.subjects.pick_unsaved([new.name])
        new = replace(new, id=who.id)
        labels = {name: item.label for name, item in fields.items() if name in new.fields}
        body = {"name": new.name, "kind": new.kind, "labels": labels}
        changes = [*respell(who, new.name), Change(new.key, PROFILE, None, new.value())]
        return Outcome(body, changes, embed.with_squads([new]))


class EditProfile(SaveProfile):
    """Changes of a unit or character."""

    name: Edited = option("The unit or character")
    new_name: str | None = option("The new name", default=None)

    verb, summary = "edit", "Change a saved unit or character."

    def apply(self, work: Work) -> Outcome:
        """Refuse what the person may not, flaws and taken names."""
        more = {"kind": self.what, "name": self.new_name}
        given = self.read_given() | {field: value for field, value in more.items() if value is not None}
        return _edit(work, find_saved(work.tx, work.person, work.campaign, self.name).id, given)


class ChangeShown(trait_view.ProfileAction):
    """Change what a card shows of a profile (number), unchanged since entry `seen`."""

    number: int
    page: int
    seen: int
    given: Given

    verb = "edit"

    def apply(self, work: Work) -> Outcome:
        """Refuse a profile that changed since."""
        tx, campaign, given = work.tx, work.campaign, dict(self.given)
        if "secret" in given:
            permissions.require_game_master(work.person, campaign, "choose what players see")
        _, item, _ = find_editable(tx, work.person, campaign, self.number)
        _require_unchanged(tx, campaign, item, self.seen)
        owners = entries.find_users(tx, campaign.id, {item.owner} if item.owner else ())
        if "owner" in given and given["owner"] == owners.get(item.owner or "", NOBODY):
            del given["owner"]  # of an owner who erased their data, the window shows none
        return _edit(work, self.number, given)


def _edit(work: Work, number: int, given: Given) -> Outcome:
    viewer, campaign, fields = work.viewer, work.campaign, work.library.fields(work.tx, work.campaign)
    saved = {item.id: item for item in profiles.list_profiles(work.tx, campaign.id)}
    known = visibility.see_saved(work.tx, viewer, saved.values(), fields)
    before, seen = saved[number], next(item for item in known if item.id == number)
    require_editor(viewer, before)
    typed, own = (
        read_fields(given, fields, before.fields),
        {name: item.label for name, item in fields.items() if item.own},
    )
    if not {*given, *typed} <= {"squad", validation.FIELDS, *own}:
        what = f"change anything of a character except {join_words(['squad', *own.values(), 'traits'])}"
        permissions.require_game_master(work.person, campaign, what)
    after = replace(seen, **_read_fields(work, given), fields=before.with_fields(typed).fields)
    if after.is_character != before.is_character:
        was, new = map(profiles.name_kind_with_article, (before.kind, after.kind))
        what = f"{before.name} is {was}, which can't become {new}."
        raise BadInput(what, "Save a new one with /roster add, under another name.")
    if name_key(after.squad or "") != name_key(seen.squad or ""):
        after = find_squad(after, known)
        _require_ally(viewer, after, known)
    else:  # a player doesn't see a secret squad, and stays in it
        after = replace(after, squad=before.squad, squad_id=before.squad_id)
    body = _edit_body(before, after, fields)
    if after.name != before.name or before.secret > after.secret:
        _require_free([item for item in known if item.id != before.id], after)
        for feature in embed.list_features(work.resolver):
            if feature.renaming is not None:
                feature.renaming(work.tx, campaign, after.id, after.name)
    stays = before.squad if before.squad and after.squad_id == before.squad_id else None
    units = _units(known) | ({name_key(stays): stays} if stays else {})
    units |= list_named_units(before, fields)  # units named before may have been removed since
    require_sound(replace(after, traits={}), {}, units, fields)  # traits are checked when they are picked
    changes = respell(Subject(before.id, before.name), after.name)
    if after.value() != before.value():
        changes = [*changes, Change(after.key, PROFILE, before.value(), after.value())]
    return Outcome(body, changes, embed.with_squads([before]))


def to_remove(
    tx: Connection, resolver: Resolver, person: permissions.Person, campaign: campaigns.Campaign, number: int
) -> embed.ProfileView:
    """Return a unit or character as it is, or refuse if it can't be removed."""
    campaigns.require_open(campaign)
    permissions.require_game_master(person, campaign, "remove units and characters")
    viewer, item, _ = find_editable(tx, person, campaign, number)
    _require_removable(state.get_whole(tx, campaign.id), item)
    return embed.view_profile(tx, resolver, viewer, item, [item])


def remove(
    tx: Connection, kernel: Kernel, person: permissions.Person, campaign_id: int, number: int, seen: int
) -> tuple[Profile, int, Sequence[Post]]:
    """Remove a profile by number; return it, the entry's number, and posts to send."""
    campaign = campaigns.open_campaign(tx, campaign_id)
    permissions.require_game_master(person, campaign, "remove units and characters")
    _, item, _ = find_editable(tx, person, campaign, number)
    _require_unchanged(tx, campaign, item, seen)
    kept = state.get_whole(tx, campaign.id)
    _require_removable(kept, item)
    body = {"deed": "remove", "name": item.name, "kind": item.kind}
    # Names and rolls stay, and spent effects, unless they reveal a secret.
    policies = [roll.policy for book in kernel.library.shipped.values() for roll in book.procedures.values()]
    lasting = () if item.secret else {EFFECT + it.spends for it in policies if it.spends is not None}
    own = (key for key in sorted(kept) if key[0] == item.key and key[1] != NAME and not key[1].startswith(ROLLED))
    changes = [Change(*key, kept[key], None) for key in own if key[1] not in lasting]
    for feature in kernel.features:
        changes += () if feature.removed is None else feature.removed(kept, item.id, ledger.next_number(tx, campaign))
    draft = ledger.EntryDraft(profiles.UNIT_ENTRY, "staff", body, tuple(changes), subjects=embed.with_squads([item]))
    entry = kernel.ledger.enter(tx, campaign, person.user_id, draft)
    profiles.forget_use(tx, campaign.id, item.key)
    return item, entry.number, [*kernel.resolver.extension.follow(tx, kernel.resolver, campaign, entry)]


def _require_unchanged(tx: Connection, campaign: campaigns.Campaign, item: Profile, seen: int) -> None:
    for entry in entries.walk_entries(tx, campaign.id, after=seen):
        changes = entry.content()["changes"]
        if any(change["subject"] == item.key and change["name"] in {PROFILE, NAME} for change in changes):
            what = f"{item.name} has changed since you looked (entry #{entry.number})."
            raise NotOpen(what, "Nothing was done. Look again first.")


def _read_fields(work: Work, given: Given) -> dict[str, object]:
    values = {field: value for field, value in given.items() if field != validation.FIELDS}
    fields: dict[str, object] = {key: tidy(value) if isinstance(value, str) else value for key, value in values.items()}
    fields |= {key: None for key, value in fields.items() if isinstance(value, str) and value.casefold() in NOTHING}
    if "name" in given:
        fields["name"] = tidy(str(given["name"])) or ""
    if "owner" in given:
        fields["owner"] = work.ledger.actor(work.tx, work.campaign, int(given["owner"])) if given["owner"] else None
    if region := fields.get("region"):
        books = (work.library.book(work.tx, work.campaign, book) for book in work.campaign.books)
        places = (book.places.get(name_key(str(region))) for book in books)
        fields["region"] = next((place[1].label for place in places if place), region)
    return fields


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
    # Secret ones may share a name: their numbers differ.
    alike = (item for item in known if name_key(item.name) == name_key(new.name))
    taken = next((item for item in alike if not (item.secret and new.secret)), None)
    if taken is not None:
        raise BadInput(
            f"There's already {profiles.name_kind_with_article(taken.kind)} called {taken.name}.", "Use another name."
        )


def _edit_body(before: Profile, after: Profile, known: Mapping[str, Field]) -> ledger.Body:
    if before.squad_id != after.squad_id and before.squad == after.squad:  # another of the same name
        before, after = (replace(item, squad=f"{item.squad} #{item.squad_id}") for item in (before, after))
    fields = profiles.list_differences(before, after)
    if not fields:
        raise BadInput(f"Nothing to change: {before.name} is already like that.", "Pick at least one thing to change.")
    return {
        "name": before.name,
        "kind": after.kind,
        "labels": {field: known[field].label for field in fields if field in known},
        "before": {field: before.get(field) for field in fields},
        "after": {field: after.get(field) for field in fields},
    }
