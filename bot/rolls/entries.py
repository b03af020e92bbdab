"""Entries about rolls: as lines, how private they were, and the buttons under them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, takewhile
from typing import Any, TypedDict, cast

import sqlalchemy as sa
from discord import ui
from msgspec import Struct
from msgspec.json import Decoder
from sqlalchemy import Connection

from bot.core import campaigns, entries, erasing, schema, voiding
from bot.core.ledger import About, Body, EntryKind, Publication, View
from bot.core.records import Entry, Json, mark_role, read_body
from bot.outbox.queue import Post
from bot.rolls import amended, embed, entry_body
from bot.ui.receipt import MANY
from bot.ui.reply import IdTemplate
from bot.ui.text import DOT, Controls, plain, shorten
from rules.procedure import SUMMARY, Procedure
from rules.subjects import name_key, names_of

MAX_LINE = 180


def _sentence(body: Body, view: View) -> str:
    title, outcomes = plain(body["title"]), "; ".join(_list_outcomes(body, view))
    words = outcomes if outcomes.startswith(f"{title} ") else f"{title}{DOT}{outcomes}"  # "A ruling in First days"
    return shorten(f"{words}{_amends(body, view)}", MAX_LINE)


def _results(body: Body, view: View) -> Sequence[str]:
    return [f"{outcome}{_amends(body, view)}" for outcome in _list_outcomes(body, view, whole=True)]


def _amends(body: Body, view: View) -> str:
    shown = "amends" in body and (view == "staff" or not body.get("amends_private"))
    return f" (amends #{body['amends']})" if shown else ""


def _list_outcomes(body: Body, view: View, *, whole: bool = False) -> Iterator[str]:
    for part in _visible_parts(body, view):
        more = (step["text"] for step in part["steps"] if whole and step.get("title") == "")
        words = [part["outcome"]["text"] if part["outcome"] else "not rolled", *more]
        yield entry_body.outcome_line(body, part, plain(" ".join(words)), mark="")


def _visible_parts(body: Body, view: View) -> Iterator[Body]:
    everything = (
        view == "staff"
        or body.get("public")
        or entry_body.entry_audience(body) == "results"
        or entry_body.is_makers(body)
    )
    return (part for part in body["parts"] if everything or entry_body.is_shared(part))


def about(body: Body, view: View) -> Iterator[About]:
    """Yield search words of a roll: family, place, week, outcomes and units that this view shows."""
    parts = list(_visible_parts(body, view))
    if parts:
        yield "family", body["family"]
        regions = dict.fromkeys(part.get("region", body.get("region")) for part in parts)
        yield from (("region", region) for region in regions if region)
        if body.get("week") is not None:
            yield "week", body["week"]
    yield from (("outcome", part["outcome"]["text"]) for part in parts if part["outcome"])
    named = {name for part in parts for name in part["subjects"].values()}
    called = body.get("names", {})
    yield from (("unit", int(number)) for number, name in called.items() if view == "staff" or name in named)


ROLL = EntryKind("roll", entry_body.entry_audience, _sentence, embed.result_pages, results=_results, about=about)

Same = Mapping[str, frozenset[int | str]]
"""Who is in each role of a part: numbers of subjects, keys of the names of others, pseudonyms of people."""


def publication_of(tx: Connection, campaign: campaigns.Campaign, entry: Entry) -> Publication:
    """Return how private a roll was before it became public.

    An amended roll counts as one roll, made when its dice fell. If it's about something else now, it counts since then.
    """
    first = entries.get_entry(tx, campaign.id, amended.find_first_number(entry.number, entry.content())) or entry
    update = _update_number(first)
    before, after = ([*_keep_update(side, update)] for side in entries.walk_around(tx, campaign.id, first))
    alike = {
        other: pseudonym
        for pseudonym in entry_body.find_rollers(first).values()
        for other in erasing.find_all_pseudonyms(tx, campaign.id, pseudonym)
    }
    same, by_now = ([*_same_of(roll, alike)] for roll in (first, entry))
    meanwhile = [other for other in after if other.number < entry.number and by_now != same]
    tries = sum(any(part in same or part in by_now for part in _list_private_tries(other, alike)) for other in before)
    tries += sum(any(part in by_now for part in _list_private_tries(other, alike)) for other in meanwhile)
    if not entry_body.was_kept_private(first.content()):
        return Publication(update, tries=tries)
    maker = erasing.find_all_pseudonyms(tx, campaign.id, first.actor)
    kept = (other.actor in maker and entry_body.was_kept_private(other.content()) for other in (*before, *after))
    return Publication(update, 1 + sum(kept), tries)


def _keep_update(rolls: Iterator[Entry], update: int) -> Iterator[Entry]:
    there = takewhile(lambda roll: "amends" in roll.content() or _update_number(roll) == update, rolls)
    return (roll for roll in there if "amends" not in roll.content())


def _list_private_tries(roll: Entry, alike: Mapping[str, str]) -> Iterator[tuple[str, Same]]:
    parts = roll.content()["parts"]
    return _same_of(roll, alike, [part for part in parts if part["audience"] != "results" and part["unrolled"] is None])


def _same_of(roll: Entry, alike: Mapping[str, str], parts: list[Any] | None = None) -> Iterator[tuple[str, Same]]:
    # `alike` maps erased pseudonyms: new names make no other try.
    body = roll.content()
    numbers = {name_key(name): number for number, name in roll.names().items()}
    people = {mark_role(role): alike.get(who, who) for role, who in entry_body.find_rollers(roll).items()}

    for part in body["parts"] if parts is None else parts:
        yield (
            body["family"],
            {
                role: frozenset(
                    people[name] if name in people else numbers.get(name_key(name), name_key(name))
                    for name in names_of(names)
                )
                for role, names in part["subjects"].items()
            },
        )


def _update_number(roll: Entry) -> int:
    return int(roll.content()["update"]["number"])


class _Update(Struct, frozen=True):
    number: int


class _Roll(Struct, frozen=True):
    # The only part of a roll's body that is read here, since parsing it costs much.

    update: _Update


_UPDATE = Decoder(_Roll)
_BATCH = MANY + 1


def rolls_since(tx: Connection, campaign_id: int, update: int, allowed: entries.AudienceFilter) -> Iterator[Entry]:
    """Yield valid rolls since an update, newest first, without texts. Reads only what is asked for."""
    begun = campaigns.find_update_entry(tx, campaign_id, update)
    rolls = entries.walk_back(tx, campaign_id, ROLL.name, allowed, after=begun)
    while some := list(islice(rolls, _BATCH)):
        void = voiding.find_voided(tx, campaign_id, [entry.number for entry in some])
        for entry in some:
            # What is amended is of the update in which its dice fell.
            if entry.number not in void and _UPDATE.decode(entry.body).update.number >= update:
                yield entry


def roll_lines(tx: Connection, campaign_id: int, rolls: Sequence[Entry]) -> Iterator[str]:
    """Yield a staff line for each of these rolls, with all of its parts."""
    whole = entries.get_entries(tx, campaign_id, {roll.number for roll in rolls})
    for roll in rolls:
        yield f"\N{BULLET} #{roll.number} {ROLL.sentence(read_body(whole[roll.number]), 'staff')}"


class _Summary(TypedDict):
    phase: str
    lines: Sequence[str]


def summary_of(part: Mapping[str, Json]) -> _Summary | None:
    """Return the summary that replaces a part's outcome; None if it has none."""
    return cast("_Summary | None", part["record"].get(SUMMARY))


def _has_decided(made: Entry) -> bool:
    parts = made.content()["parts"] if made.kind == "roll" else ()
    return any(found["lines"] for part in parts if (found := summary_of(part)))


def find_decided(tx: Connection, campaign: campaigns.Campaign, numbers: range) -> list[Entry]:
    """Return valid rolls of these entries (numbers) that decided something, in order."""
    made = entries.get_entries_bare(tx, campaign.id, numbers)
    found = {number for number, entry in made.items() if _has_decided(entry)}
    return [made[number] for number in sorted(found - voiding.find_voided(tx, campaign.id, found))]


def list_elsewhere(tx: Connection, campaign: campaigns.Campaign) -> Iterator[str]:
    """Yield this update's valid rolls posted outside the results channel, as lines, newest first."""
    return filter(None, map(_describe_elsewhere, _list_made(tx, campaign)))


def list_decided_first(tx: Connection, campaign: campaigns.Campaign) -> Sequence[str]:
    """Return the lines of `list_elsewhere`, but rolls that decided something first, each oldest first."""
    made = sorted((not _has_decided(entry), entry.number, entry) for entry in _list_made(tx, campaign))
    return [line for *_, entry in made if (line := _describe_elsewhere(entry))]


def _list_made(tx: Connection, campaign: campaigns.Campaign) -> Iterator[Entry]:
    elsewhere = (
        schema.post.c.campaign_id == campaign.id,
        schema.post.c.kind == "results",
        schema.post.c.channel_id != campaign.results_channel_id,
        schema.post.c.entry_number > campaigns.find_update_entry(tx, campaign.id),
    )
    numbers = iter(sorted(set(tx.scalars(sa.select(schema.post.c.entry_number).where(*elsewhere))), reverse=True))
    while some := set(islice(numbers, _BATCH)):
        found = entries.get_entries(tx, campaign.id, some - voiding.find_voided(tx, campaign.id, some))
        yield from (found[number] for number in sorted(found, reverse=True))


def _describe_elsewhere(made: Entry) -> str:
    if made.kind != "roll" or (home := entry_body.home_of(made)) is None:
        return ""
    body = read_body(made)
    parts = [line for part in body["parts"] if (line := _describe_part(body, part))]
    return f"#{made.number} {'; '.join(part.removesuffix('.') for part in parts)}, in <#{home}>" if parts else ""


def _describe_part(body: Mapping[str, Json], part: Mapping[str, Json]) -> str:
    summary = summary_of(part)
    if summary is not None:
        return plain("".join(summary["lines"][:1]))
    return entry_body.outcome_line(body, part, plain(part["outcome"]["text"])) if part["outcome"] else ""


PUBLISH = IdTemplate("publish:{campaign:int}:{number:int}")
PUBLISH_NOW = IdTemplate("publish:{campaign:int}:{number:int}:now")
PUBLISH_ON_DATE = IdTemplate("publish-on:{campaign:int}:{number:int}")
TAKE_BACK = IdTemplate("void:{campaign:int}:{number:int}")
AMEND = IdTemplate("amend:{campaign:int}:{number:int}")
DETAILS = IdTemplate("entry:{campaign:int}:{number:int}")
VERIFY = IdTemplate("verify:{campaign:int}:{number:int}")
PUSH = IdTemplate("push:{campaign:int}:{number:int}")
NEXT = IdTemplate("next:{campaign:int}:{number:int}")
EFFECTS = IdTemplate("effect:{campaign:int}:on:{subject:int}")
"""Lists the effects on a subject; of 0, all."""

ANYWAY = "Roll anyway …"


def _entry_button(
    template: IdTemplate, usual: str, campaign_id: int, number: int, label: str = ""
) -> ui.Button[ui.LayoutView]:
    return ui.Button(label=label or usual, custom_id=template.fill(campaign=campaign_id, number=number))


publish_button = partial(_entry_button, PUBLISH, "Publish")
publish_on_date_button = partial(_entry_button, PUBLISH_ON_DATE, "Publish later …")
take_back_button = partial(_entry_button, TAKE_BACK, "Undo")
amend_button = partial(_entry_button, AMEND, "Amend")
verify_button = partial(_entry_button, VERIFY, "Verify")
push_button = partial(_entry_button, PUSH, "Push")
next_button = partial(_entry_button, NEXT, "Next")


def details_button(key: str) -> ui.Button[ui.LayoutView]:
    """Return the Details button with this custom id."""
    return ui.Button(label="Details", custom_id=key)


def follower(body: Mapping[str, Json], procedure: Procedure) -> str | None:
    """Return the one actor who can make the same roll about someone else; else None."""
    actors = {part["subjects"].get(procedure.actor) for part in body["parts"]}
    pairs = procedure.policy.on_request and procedure.policy.again == "pair" and not procedure.policy.needs
    several = not pairs or len(actors) > 1 or procedure.subject == procedure.actor
    about = all(procedure.subject in part["subjects"] for part in body["parts"])
    return None if several or not about else actors.pop()


def post_buttons(post: Post) -> ui.View | None:
    """Return Publish under staff posts, and Details under an entry's first message; None without either."""
    if post.entry_number is None:
        return None
    ref = (post.campaign_id, post.entry_number)
    publish = [publish_button(*ref)] if post.kind == "staff" else []
    details = [details_button(DETAILS.fill(campaign=ref[0], number=ref[1]))] if post.page == 1 else []
    return Controls(*publish, *details) if publish or details else None
