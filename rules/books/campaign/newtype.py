"""Newtype generation: one roll for each character, on the table of the first heading that fits.

Source: campaign-rolls, section Newtype Generation (lines 4-20).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rules.effects import AppliedConsequence, Change
from rules.facts import Known, Origin
from rules.procedure import Choice, Part, Policy, Procedure, Stage
from rules.stages import TableMethod, conclude_by_row
from rules.subjects import PROFILE

if TYPE_CHECKING:
    from rules.book import Book

PILOTS = "campaign.newtype.pilots"
ENLISTED = "campaign.newtype.enlisted"
OTHER = "campaign.newtype.other"
ZEON, ROGUE = "character.zeon", "character.rogue"

# For each affiliation its table, and whether it says who is of Zeon: None where that is asked of the character.
# The last heading comes first, since it holds where no other is known to fit (NG-3).
_HEADINGS: Mapping[str, tuple[str, bool | None]] = {
    "other EF": (OTHER, False),
    "other Zeon": (OTHER, True),
    "EF enlisted": (ENLISTED, False),
    "civilian": (ENLISTED, None),
    "rogue": (ENLISTED, None),
    "GM Juggler pilot": (PILOTS, None),
    "NT Korps pilot": (PILOTS, True),
}
AFFILIATION = Choice("affiliation", "Affiliation", tuple(_HEADINGS))
"""Under which heading a character falls; civilians, rogues and GM Juggler pilots may be of any side (NG-2, NG-3)."""


def _prepare(part: Part) -> Part:
    """Let an affiliation that names a side decide who is of Zeon (line 20), against whatever is known or ticked."""
    affiliation = part.choices.get(AFFILIATION.id) or _default_heading(part)
    part = replace(part, choices={**part.choices, AFFILIATION.id: affiliation})
    zeon = _HEADINGS[affiliation][1]
    if zeon is None:
        return part
    facts = {fact: known for fact, known in part.facts.items() if fact != ZEON}
    if zeon:
        facts[ZEON] = Known(1, Origin("choice", f"affiliation {affiliation}"))
    return replace(part, facts=facts, marks={mark: count for mark, count in part.marks.items() if mark != ZEON})


def _default_heading(part: Part) -> str:
    """Return the heading where none is named: a rogue's own (line 9), or that of everybody else on the character's side."""
    if ROGUE in part.facts:
        return "rogue"
    return "other Zeon" if ZEON in part.facts else AFFILIATION.options[0]


def _plan(part: Part, book: Book) -> Stage:
    return Stage(book.table(_HEADINGS[part.choices[AFFILIATION.id]][0]))


def _set_newtype(applied: AppliedConsequence) -> Iterator[Change]:
    """Write the level into what is saved of the character, and by which entry it was rolled."""
    saved = applied.kept.get(PROFILE)
    if saved is not None:
        level = {"newtype": applied.consequence.amount, "newtype_from": applied.moment.entry}
        yield applied.name, PROFILE, {**saved, **level}


PROCEDURE = Procedure(
    family="newtype",
    title="Newtype generation",
    actor="character",
    subject="character",
    headline="Newtype level of {character}",
    method=TableMethod((PILOTS, ENLISTED, OTHER), conclude_by_row("results"), _plan),
    choices=(AFFILIATION,),
    prepare=_prepare,
    version=2,
    policy=Policy(again="ever", needs=(("character", "profile"),), writes="newtype"),
    settles={"set-newtype": _set_newtype},
)
