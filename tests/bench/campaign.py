"""A campaign with a long past: real entries first, then copies of real ones, written in bulk and chained as the bot does.

Units, effects, captives, battles and weather are entered by the services. The rest are patrols of these units, in public
and in private, closings of updates and entries that were taken back: the bodies of real ones, with other numbers and names.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from msgspec.structs import asdict, replace
from sqlalchemy import Connection

from bot.actions import perform
from bot.cogs.battles import service as battles
from bot.cogs.captives.actions import Take
from bot.cogs.effects import SetEffect
from bot.cogs.roster.service import AddProfile
from bot.cogs.weather.rollover import roll_next
from bot.core import draws, entries, epochs, state
from bot.core.campaigns import UPDATE
from bot.core.draws import SystemDice, draw_face, hash_salted
from bot.core.epochs import EpochStart
from bot.core.ledger import Epoch, find_link_and_epoch, is_full
from bot.core.records import DRAW, Change, Entry, Link, encode_canonical
from bot.core.schema import card, entry, entry_text, post, search
from bot.core.search_index import list_words, make_term, mark_staff_word, row_id, split_words
from bot.core.seeds import DRAWN_FROM, PART_HASH
from bot.core.state import CAMPAIGN_STATE, VOIDED, State
from bot.rolls.card.service import open_card
from bot.rolls.consequences import name_roll_mark
from bot.rolls.fairness.draw import ASKED, DRAWN, read_part, situation
from rules.effects import ROLLED
from rules.subjects import NAME, number_of, subject_key
from tests.support.backend import GM, House, opened, patrol

UNITS, TRAITS, CAPTIVES, BATTLES, WEEKS = 500, ("hidden", "scouted"), 20, 5, 20
BEARERS = 100
UPDATE_OF, SINCE = 100, 60
"""How many entries an update has, and how many lie between the last closing and the end, however long the past is."""

STRANGERS = 100
"""Of how many rolls one is against somebody who was never heard of before, and never is again."""

VOIDING = 38
"""At which place of an update a roll in private is taken back."""

SIDES = 20
"""Those of the one die whose face a copy has drawn."""

BATCH = 10_000
"""How many entries are written in one transaction."""


async def build(url: str, size: int, units: int = UNITS) -> None:
    """Make a campaign named Iron Sea of so many entries and units in a new database."""
    async with opened(url) as house:
        house.dice.roll = SystemDice().roll  # type: ignore[method-assign]
        house.campaign = await house.edit({"books": "battlesystem"})
        await house.database.write(_people, house, units)
        await house.database.write(_deeds, house, min(units, BEARERS))
        samples = await _samples(house)
        past = await house.database.read(_Past.after, house, samples)
        while past.link.number < size:
            await house.database.write(past.go_on, size)


def _people(tx: Connection, house: House, units: int) -> None:
    squads = [AddProfile(name=f"Unit {number:03}", what="squad", side=f"Side {number % 5}") for number in range(units)]
    pilots = [AddProfile(name=f"Pilot {number:03}", what="npc", side="Zeon") for number in range(CAPTIVES)]
    for action in (*squads, *pilots):
        perform(tx, house.resolver, GM, house.campaign.id, action)


def _deeds(tx: Connection, house: House, bearers: int) -> None:
    campaign = house.campaign
    for number in range(bearers):
        for trait in TRAITS:
            perform(
                tx, house.resolver, GM, campaign.id, SetEffect(who=f"Unit {number:03}", effect=trait, until="cleared")
            )
    for number in range(CAPTIVES):
        taken = Take(captive=f"Pilot {number:03}", by=f"Unit {number:03}", at=f"Unit {number + 20:03}")
        perform(tx, house.resolver, GM, campaign.id, taken)
    for number in range(BATTLES):
        battles.start(tx, house.resolver, GM, campaign.id, f"Battle {number}", "Red, Blue")
    for _ in range(WEEKS):
        roll_next(tx, house.resolver, campaign, GM.user_id)


@dataclass(frozen=True, slots=True)
class Samples:
    """Real entries of each kind, a post and a card, of which copies are made."""

    kinds: Mapping[str, Entry]
    words: Mapping[str, str]
    post: Mapping[str, Any]
    card: Mapping[str, Any]


async def _samples(house: House) -> Samples:
    """Make one entry of each kind."""
    asked = patrol("Unit 001", by="Unit 000", reason=None)
    staff = await house.roll_as_they_fall(replace(asked, to="staff"))
    mine = await house.roll_as_they_fall(replace(patrol("Unit 003", by="Unit 002"), to="me"))
    public = await house.roll_as_they_fall(replace(patrol("Unit 005", by="Unit 004"), to="results"))
    view = await house.database.write(open_card, house.resolver, GM, house.campaign, asked)
    void = (await house.take_back(mine.entry.number)).pairs[0][1]
    closed = await house.close_update()
    update = next(item for item in await house.entries() if item.number == closed.entry)
    kinds = {"staff": staff.entry, "person": mine.entry, "results": public.entry, "void": void, "update": update}
    return Samples(
        kinds,
        {kind: list_words(house.kernel.kinds, item) for kind, item in kinds.items()},
        asdict(staff.posts[0]),
        asdict(view.card),
    )


@dataclass(slots=True)
class _Past:
    """What happens after the samples: entries chained to the newest one, and what they add up to."""

    house: House
    samples: Samples
    link: Link
    bodies: Mapping[str, Mapping[str, Any]]
    stencils: Mapping[str, str]
    units: list[tuple[str, str]]
    state: State
    marks: set[tuple[str, str]]
    epoch: Epoch
    rows: dict[sa.Table, list[dict[str, Any]]] = field(default_factory=dict)

    @classmethod
    def after(cls, tx: Connection, house: House, samples: Samples) -> _Past:
        """Begin behind the newest entry."""
        kept = state.get_whole(tx, house.campaign.id)
        units = [(key, name) for (key, word), name in kept.items() if word == NAME and name.startswith("Unit")]
        bodies = {kind: item.content() for kind, item in samples.kinds.items()}
        stencils = {kind: _stencil(body) for kind, body in bodies.items()}
        marks = {key for key in kept if key[1].startswith(ROLLED)}
        newest, epoch = find_link_and_epoch(tx, house.campaign.id, house.campaign.uuid)
        assert epoch is not None
        return cls(house, samples, newest, bodies, stencils, units, kept, marks, epoch)

    def go_on(self, tx: Connection, size: int) -> None:
        """Add a batch of entries, up to `size` in all."""
        self.rows = {entry: [], entry_text: [], post: [], card: [], search: []}
        before = dict(self.state)
        for number in range(self.link.number + 1, min(self.link.number + BATCH, size) + 1):
            if is_full(self.epoch, number):
                now = self.house.ledger.now()
                begun = EpochStart(number, now, self.house.ledger.randomness)
                _, self.epoch, _ = epochs.close_epoch(tx, self.house.campaign.id, self.epoch, now, begun)
            self._happen(number, size - number)
        for table, rows in self.rows.items():
            if rows:
                tx.execute(table.insert(), rows)
        changed = {key: value for key, value in self.state.items() if before.get(key) != value}
        changed |= dict.fromkeys(before.keys() - self.state.keys())
        state.apply_changes(tx, self.house.campaign.id, [Change(*key, None, value) for key, value in changed.items()])
        tx.execute(post.update().values(state="sent", payload=None, message_id=1).where(post.c.state == "queued"))

    def _happen(self, number: int, left: int) -> None:
        """Let an update close, a roll be taken back or made in private, or a patrol be rolled."""
        place = left % UPDATE_OF
        if place == SINCE:
            now = self.state[CAMPAIGN_STATE, UPDATE]
            then = {**now, "number": now["number"] + 1, "name": f"Update {now['number'] + 1}"}
            marks = [Change(*key, self.state[key], None) for key in sorted(self.marks & self.state.keys())]
            self.marks.clear()
            numbers = {number_of(item.subject) for item in marks}
            names = {str(number): self.state[subject_key(number), NAME] for number in numbers}
            turned = Change(CAMPAIGN_STATE, UPDATE, now, then)
            self._enter("update", [turned, *marks], names, closed=now, opened=then)
        elif place == VOIDING:
            taken = self.rows[entry][-1]["body"] if self.rows[entry] else self.samples.kinds["person"].body
            self._take_back(number - 1, json.loads(taken))
        else:
            self._roll("person" if place % 10 == VOIDING % 10 + 1 else "staff", number)

    def _roll(self, kind: str, number: int) -> None:
        """Let a unit patrol against another, or now and then against somebody whose name is typed that once."""
        place = number % len(self.units)
        step = 1 + number // len(self.units) % (len(self.units) - 1)
        (actor, by), (target, against) = self.units[place], self.units[(place + step) % len(self.units)]
        changes = []
        if number % STRANGERS == 0:
            target, against = subject_key(len(self.units) + CAPTIVES + number), f"Stranger {number}"
            changes.append(Change(target, NAME, None, against))
        update = self.state[CAMPAIGN_STATE, UPDATE]
        key = (target, name_roll_mark("patrol", number_of(actor)))
        self.marks.add(key)
        changes.append(Change(*key, self.state.get(key), {"entry": number, "update": update["number"]}))
        asked = {"key": against, "subjects": {"patrol": by, "target": against}}
        fallen, draw = _drawn(self.samples.kinds[kind], self.bodies[kind], asked, self.epoch, number)
        self._enter(
            kind,
            changes,
            {str(number_of(actor)): by, str(number_of(target)): against},
            draw,
            update={"number": update["number"], "name": update["name"]},
            **asked,
            **fallen,
        )

    def _take_back(self, number: int, body: Mapping[str, Any]) -> None:
        undone = [Change(item["subject"], item["name"], item["after"], item["before"]) for item in body["changes"]]
        mark = Change(f"entry:{number}", VOIDED, None, {"by": number + 1})
        self._enter("void", [*undone, mark], body["names"], entry=number)

    def _enter(
        self,
        kind: str,
        changes: list[Change],
        names: Mapping[str, str],
        draw: str | None = None,
        **fields: Any,  # noqa: ANN401 - any JSON value
    ) -> None:
        """Seal a copy of a sample with other values and the record of its dice, and note what it changes."""
        fields |= {"changes": [item.record() for item in changes], "names": names}
        body = self.stencils[kind]
        for name, value in fields.items():
            body = body.replace(f'"@{name}"', encode_canonical(value))
        sealed = _sealed(self.samples.kinds[kind], body, draw, self.link)
        self.link = Link(self.link.campaign, sealed.number, sealed.hash)
        for item in changes:
            self.state.pop((item.subject, item.name), None)
            if item.after is not None:
                self.state[item.subject, item.name] = item.after
        self._note(kind, sealed, names)

    def _words(self, kind: str, names: Mapping[str, str]) -> dict[str, Any]:
        """Return the words of a sample with the names of others, as what finds it has them."""
        sample = self.samples.words[kind]
        others = [
            *(make_term("unit", number) for number in names),
            *(word for name in names.values() for word in split_words(name)),
        ]
        hidden = sample.startswith(mark_staff_word(""))
        return {
            "words": " ".join([sample, *(mark_staff_word(word) if hidden else word for word in dict.fromkeys(others))])
        }

    def _note(self, kind: str, sealed: Entry, names: Mapping[str, str]) -> None:
        """Keep the rows of an entry, with a post that was sent and now and then a card that was rolled."""
        key = {"campaign_id": self.house.campaign.id, "number": sealed.number}
        values = {column.name: getattr(sealed, column.name) for column in entries.COLUMNS if column.name not in key}
        self.rows[entry].append(key | values)
        for name, item in sealed.texts.items():
            self.rows[entry_text].append({**key, "name": name, "salt": item.salt, "text": item.text})
        number = sealed.number
        self.rows[search].append(
            {
                "id": row_id(self.house.campaign.id, number),
                "campaign_id": self.house.campaign.id,
                **self._words(kind, names),
            }
        )
        done: dict[str, Any] = {"entry_number": number, "state": "sent", "payload": None, "message_id": number}
        sent = {name: value for name, value in self.samples.post.items() if name != "id"}
        self.rows[post].append({**sent, **done, "nonce": f"{number:025}"})
        if number % 10 == 0:
            rolled = {"id": f"{number:016}", "state": "rolled", "entry_number": number}
            self.rows[card].append({**self.samples.card, **rolled})


def _stencil(body: Mapping[str, Any]) -> str:
    """Return a body as text, with marks in the places of what differs from entry to entry."""
    marks = ("changes", "names", "update", "closed", "opened", "entry", ASKED)
    marked = {name: f"@{name}" if name in marks else value for name, value in body.items()}
    if "parts" not in body:
        return encode_canonical(marked)
    (part,) = body["parts"]
    (step,) = part["steps"]
    assert step["sum"] + SIDES <= step["row"]["max"], "another face would have another outcome"
    step = {**step, "drawn": DRAWN, "faces": "@faces", "total": "@total"}
    return encode_canonical({**marked, "parts": [{**part, "key": "@key", "subjects": "@subjects", "steps": [step]}]})


def _drawn(
    sample: Entry, body: Mapping[str, Any], asked: Mapping[str, Any], epoch: Epoch, number: int
) -> tuple[dict[str, Any], str]:
    """Return how a roll like a sample falls as an entry of this number, for another key and subjects (`asked`): what its body has of that, and the record of its dice.

    Its one die follows from the seed.
    """
    assert sample.draw is not None
    kept, drawn = body[ASKED], draws.read_record(sample.draw)
    kept = {**kept, "parts": [{**item, **asked} for item in kept["parts"]]}
    fixed, (line,) = situation(kept), drawn.parts
    of_all = {**json.loads(drawn.of_all), "entry": number, "epoch": epoch.number, "slot": epoch.slot(number)}
    of_all["situation"] = fixed.placed.root
    hashed = fixed.part(line.place)
    fallen = draw_face(epoch.seed(number), {**{name: of_all[name] for name in DRAWN_FROM}, PART_HASH: hashed}, 0, SIDES)
    (step,) = body["parts"][0]["steps"]
    differs = {"faces": [fallen], "total": step["sum"] + fallen}
    read = read_part({"key": asked["key"], "steps": [{**step, "drawn": DRAWN, **differs}]})
    text = encode_canonical({"place": line.place, PART_HASH: hashed, "dice": [(SIDES, fallen)], **read})
    return {ASKED: kept, **differs}, draws.format_record(encode_canonical(of_all), [line._replace(text=text)])


def _sealed(sample: Entry, body: str, draw: str | None, link: Link) -> Entry:
    """Return an entry like a sample, with another body and record of its dice, chained to the one before."""
    number, header = link.number + 1, json.loads(sample.header)
    header |= {"number": number, "previous": link.hash, "body": hash_salted(sample.salt, body)}
    if draw is not None:
        header["texts"] = {**header["texts"], DRAW: draws.hash_record(sample.draw_salt or "", draw)}
    text = encode_canonical(header)
    return replace(
        sample,
        number=number,
        previous=link.hash,
        hash=hashlib.sha256(text.encode()).hexdigest(),
        header=text,
        body=body,
        draw=draw,
    )
