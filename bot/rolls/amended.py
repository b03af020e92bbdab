"""The roll that another one amends: its request, its dice, and its changes, which move to the new roll."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, structs
from sqlalchemy import Connection

from bot.core import campaigns, entries, ledger, scenes, state, voiding
from bot.core.records import NAME_TEXT, Change, Entry, Json
from bot.rolls.entry_body import dice_body, entry_audience, list_thrown
from bot.rolls.request import AmendedEntry, PartRequest, RollRequest, TypedAdjustment
from rules import effects, orders, stages
from rules.book import Book
from rules.dice import Dice, KeptDice
from rules.procedure import Procedure
from rules.subjects import NAME, PROFILE, name_key, names_of


class AmendedRoll(Struct, frozen=True):
    """A roll that is amended, its body, and its publication if it has one."""

    entry: Entry
    body: Mapping[str, Json]
    published: Mapping[str, Json]

    @property
    def request(self) -> RollRequest:
        """The request that the roll was made by, rebuilt from its entry."""
        return rebuild_request(self.entry)

    def dice(self, others: Sequence[Dice]) -> list[KeptDice]:
        """Return each part's dice as they fell. `others` throw what is missing."""
        return [KeptDice(list_thrown(part), new) for part, new in zip(self.body["parts"], others, strict=True)]

    def publish(self, draft: ledger.EntryDraft, private: Collection[int]) -> ledger.EntryDraft:
        """Keep public what became public before, except `private` parts (places).

        An unrolled part names who stopped it in another part, so it's private as soon as one part is. Private parts go to the staff.
        """
        hidden = {
            place
            for place, part in enumerate(draft.body["parts"])
            if place in private or (private and part["unrolled"])
        }
        if self.entry.audience != "results" or len(hidden) == len(draft.body["parts"]):
            return draft
        for place, (part, old) in enumerate(zip(draft.body["parts"], self.body["parts"], strict=True)):
            if place in hidden:
                part["audience"] = "staff"
            elif old["audience"] != "results" or "published" in old:
                part |= {"audience": "results", "published": old.get("published", self.published)}
        return structs.replace(draft, audience=entry_audience(draft.body))

    def undo(self, tx: Connection, campaign_id: int, draft: ledger.EntryDraft) -> ledger.EntryDraft:
        """Add to a draft what undoes this roll: what only this roll changed becomes as it was before."""
        undone = (item for item in voiding.list_changes(self.entry) if item.name != state.VOIDED)
        changed = [item for item in undone if not item.name.startswith(state.UPKEEP)]  # what was due was done
        left = {(item.subject, item.name) for item in changed} - {(item.subject, item.name) for item in draft.changes}
        then = state.get_values_named(tx, campaign_id, {subject for subject, _ in left}, {name for _, name in left})
        more = (Change(*key, then.get(key), then.get(key)) for key in sorted(left))
        return structs.replace(draft, changes=(*draft.changes, *more))

    def amend(  # noqa: PLR0913, PLR0917 - what is moved, and where
        self,
        tx: Connection,
        campaign_id: int,
        draft: ledger.EntryDraft,
        by: int,
        dice: Sequence[KeptDice],
        limits: voiding.Limits,
    ) -> ledger.EntryDraft:
        """Move the draft of `undo` into today's state and mark this roll as amended by entry `by`.

        A value that the roll hadn't changed, and that something else changed since, stays: its subject is `overtaken`. What has
        begun again in a later update or ended with its turns stays too. Turns that have passed stay counted.
        """
        mine = voiding.list_left(self.entry)
        subjects, names = {item.subject for item in draft.changes}, {item.name for item in draft.changes}
        now = state.get_values_named(tx, campaign_id, subjects, names)
        made: list[Change] = []
        own = self._list_numbers(tx, campaign_id)
        late: set[str] = set()
        for item in self._drop_ended(tx, campaign_id, draft.changes):
            key = (item.subject, item.name)
            if key in now and (moved := self._move_numbers(item, now[key], own, limits)) is not None:
                made.append(moved)
                continue
            renewed = voiding.has_begun_again(item.name, mine.get(key) or item.after, now.get(key))
            if item.name.startswith(effects.ORDERED) and (
                now.get(key) is None or (item.after is not None and now[key]["entry"] != item.after["entry"])
            ):
                made += _follow(tx, campaign_id, item)
                continue
            if renewed or voiding.has_ended(item.name, mine.get(key), now.get(key)):
                continue
            if key in mine or item.name == NAME or now.get(key) == item.before:
                effect = item.name.startswith(effects.EFFECT)
                after = effects.resume_turns(item.after, now.get(key)) if effect else item.after
                made.append(structs.replace(item, before=now.get(key), after=after))
            else:
                late.add(item.subject)
        mark = Change(f"entry:{self.entry.number}", state.VOIDED, None, {"by": by, state.AMENDED: True})
        body: dict[str, Json] = {
            **draft.body,
            "amends": self.entry.number,
            "since": find_first_number(self.entry.number, self.body),
        }
        body |= {"overtaken": sorted(late)} | ({"by": self.body["by"]} if "by" in self.body else {})
        body |= {} if self.entry.audience in {"results", "mixed"} else {"amends_private": True}
        for part, old, kept in zip(body["parts"], self.body["parts"], dice, strict=True):
            known = "results" in {self.entry.audience, old["audience"]}
            # die and sum would show what counted before, or a die that only the staff knew
            part["secret"] |= old["secret"] or (part["audience"] == "results" and not known)
            part["unused"] = [dice_body(roll) for roll in kept.spare_dice]
        return structs.replace(draft, body=body, changes=(*made, mark))

    def _move_numbers(self, item: Change, now: Json, own: Sequence[Change], limits: voiding.Limits) -> Change | None:
        mine = [change for change in own if change.subject == item.subject]
        if item.name != PROFILE or not (mine or voiding.find_differences(self.entry, item)):
            return None
        after = now
        for change in mine:
            after = voiding.apply_edit(after, change.after, change.before, limits)
        return Change(item.subject, item.name, now, voiding.apply_edit(after, item.before, item.after, limits))

    def _list_numbers(self, tx: Connection, campaign_id: int) -> list[Change]:
        found, entry = list[Change](), self.entry
        while True:  # what it amended, too: each has only the difference to the one before
            found += [item for item in voiding.list_changes(entry) if voiding.find_differences(entry, item)]
            older = entries.get_entry(tx, campaign_id, entry.content().get("amends", 0))
            if older is None:
                return found
            entry = older

    def _drop_ended(self, tx: Connection, campaign_id: int, changes: Iterable[Change]) -> Iterator[Change]:
        first = find_first_number(self.entry.number, self.body)
        for item in changes:
            scene = voiding.find_ending_scene(item.name, item.after)
            header = scenes.find_header(tx, campaign_id, scene) if scene else None
            over = header is not None and (header.over or header.entry > first)
            yield structs.replace(item, after=None) if over else item


def _follow(tx: Connection, campaign_id: int, change: Change) -> Iterator[Change]:
    if change.after is None:  # the one to carry it out is gone
        return
    name = orders.name_replaced_order(change.name, change.after["entry"])
    before = state.get_value(tx, campaign_id, change.subject, name)
    if before is not None:
        after = None if orders.is_unresolved(change.after) else {**before, **change.after}
        yield structs.replace(change, name=name, before=before, after=after)


def find_first_number(number: int, body: Mapping[str, Json]) -> int:
    """Return the entry (number) in which a roll's dice fell: an amendment may amend another."""
    first: int = body.get("since", number)
    return first


class KeptOutcome(Struct, frozen=True):
    """An amended roll's faces and outcomes now, by part. `outcomes` is None if a part needs more dice."""

    faces: tuple[tuple[int, ...], ...]
    outcomes: tuple[str, ...] | None


def find_amended(tx: Connection, campaign: campaigns.Campaign, number: int) -> AmendedRoll | None:
    """Return the roll of an entry (number), to amend; None if unknown. Refuse a void one."""
    mark = voiding.find_mark(tx, campaign.id, number)
    if mark is not None:
        raise voiding.refuse_void(number, mark)
    entry = entries.get_entry(tx, campaign.id, number)
    published = state.get_value(tx, campaign.id, f"entry:{number}", state.PUBLISHED) or {}
    kept = {name: published[name] for name in ledger.Publication.__struct_fields__ if name in published}
    return None if entry is None else AmendedRoll(entry, entry.content(), kept)


def is_too_low(body: Mapping[str, Json], procedure: Procedure, book: Book, *, secrets: bool) -> bool:
    """Return whether a roll has a pool that can be pushed."""
    first, *others = procedure.method.tables
    resisters = {contest.resister for contest in book.contests.values()}  # they aren't pushed
    tables = [book.tables[name] for name in (first, *others) if name == first or name not in resisters]
    pushes = {table.id: table.pool.push for table in tables if table.pool and table.pool.push}
    return any(
        step["total"] < push.below and not {*step["faces"]} <= {*push.keep}
        for part in body["parts"]
        if part["choices"].get(stages.PUSH.id) != stages.PUSH.options[1] and (secrets or not part["secret"])
        for step in part["steps"]
        if (push := pushes.get(step.get("table")))
    )


def rebuild_request(entry: Entry, amends: AmendedEntry | None = None) -> RollRequest:
    """Rebuild a roll's request from its entry, for a game master to amend."""
    body = entry.content()
    numbers = {name_key(name): number for number, name in entry.names().items()}
    people = {
        name.removeprefix(NAME_TEXT): entry.text(name, body) or ""
        for name in body["texts"]
        if name.startswith(NAME_TEXT)
    }
    return RollRequest(
        book=body["book"],
        family=body["family"],
        parts=tuple(_part(entry, body, part, numbers, people) for part in body["parts"]),
        region=body["region"],
        week=body.get("week"),
        note=entry.text("note", body),
        to=body.get("to", "auto"),
        here=int(body["here"]) if "here" in body else None,
        reason=entry.text("reason", body),
        scene=body.get("scene"),
        led=True,
        amends=amends,
    )


def _part(
    entry: Entry,
    body: Mapping[str, Json],
    part: Mapping[str, Json],
    numbers: Mapping[str, int],
    people: Mapping[str, str],
) -> PartRequest:
    own = {role: name for role, name in people.items() if role in part["subjects"]}
    return PartRequest(
        subjects=part["subjects"],
        people=own,
        ids={
            role: tuple(numbers.get(name_key(name)) for name in names_of(names))
            for role, names in part["subjects"].items()
            if role not in own
        },
        choices=part["choices"],
        marks=part["marks"],
        inputs=part["inputs"],
        region=part.get("region"),
        adjustments=tuple(
            TypedAdjustment(
                value=item["value"],
                reason=entry.text(item["text"], body) or "reason erased",
                table=item["table"],
                private=item.get("private", False),
            )
            for item in _list_adjustments(part)
        ),
    )


def _list_adjustments(part: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """Yield a part's adjustments. Older entries keep only those that counted."""
    if "adjustments" in part:
        yield from part["adjustments"]
        return
    for step in part["steps"]:
        yield from ({**item, "table": step["table"]} for item in step.get("adjustments", ()))
