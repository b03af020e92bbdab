"""What the campaign book brings: its smaller rolls, on one table each, and all others (campaign-rolls)."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from rules import effects, modifiers, subjects
from rules.book import Book
from rules.books.campaign import captivity, orders, weather
from rules.books.campaign.orders import PAIRING
from rules.procedure import Choice, Conclusion, Part, Policy, Procedure, Stage
from rules.stages import TableMethod, conclude_by_row
from rules.tables import AppliedConsequence, Consequence, TableRow

# Newtype generation (lines 4-20): one roll for each character, on the table of the first heading that fits.
PILOTS = "campaign.newtype.pilots"
ENLISTED = "campaign.newtype.enlisted"
OTHER = "campaign.newtype.other"
ZEON, ROGUE = "character.zeon", "character.rogue"

# For each affiliation its table, and whether it says who is of Zeon: None where that is asked of the character.
# The last heading comes first: it's used where no other is known to fit (NG-3).
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
"""Civilians, rogues and GM Juggler pilots may be of any side (NG-2, NG-3)."""


def _prepare_newtype(part: Part) -> Part:
    default = "other Zeon" if ZEON in part.facts else AFFILIATION.options[0]
    affiliation = part.choices.get(AFFILIATION.id) or ("rogue" if ROGUE in part.facts else default)
    part = replace(part, choices={**part.choices, AFFILIATION.id: affiliation})
    zeon = _HEADINGS[affiliation][1]
    if zeon is None:
        return part
    facts = {fact: known for fact, known in part.facts.items() if fact != ZEON}
    if zeon:
        facts[ZEON] = modifiers.KnownFact(1, modifiers.Origin("choice", f"affiliation {affiliation}"))
    return replace(part, facts=facts, marks={mark: count for mark, count in part.marks.items() if mark != ZEON})


def _plan_newtype(part: Part, book: Book) -> Stage:
    return Stage(book.table(_HEADINGS[part.choices[AFFILIATION.id]][0]))


def _set_newtype(applied: AppliedConsequence) -> Iterator[effects.Change]:
    saved = applied.kept.get(subjects.PROFILE)
    if saved is not None:
        level = {"newtype": applied.consequence.amount, "newtype_from": applied.moment.entry}
        yield applied.name, subjects.PROFILE, {**saved, **level}


NEWTYPE = Procedure(
    family="newtype",
    title="Newtype generation",
    actor="character",
    subject="character",
    headline="Newtype level of {character}",
    method=TableMethod((PILOTS, ENLISTED, OTHER), conclude_by_row("results"), _plan_newtype),
    choices=(AFFILIATION,),
    prepare=_prepare_newtype,
    version=2,
    policy=Policy(again="ever", needs=(("character", "profile"),), writes="newtype"),
    settles={"set-newtype": _set_newtype},
)


# One roll for each character who scouts (lines 81-125).
SCOUTING = Procedure(
    family="scouting",
    title="Scouting",
    actor="scouter",
    subject="base",
    headline="{scouter} scouts {base}",
    method=TableMethod(("campaign.scouting",), conclude_by_row("staff")),
)


# Detection (lines 126-165): the hider rolls, once per pair of hidden and detecting player.
_DETECTION_TABLE = "campaign.detection"


def _plan_detection(part: Part, book: Book) -> Stage:
    table = book.table(_DETECTION_TABLE)
    return Stage(table, None if "hider" in part.subjects else table.readings["nobody-hidden"])


def _conclude_detection(part: Part, rows: Sequence[TableRow]) -> Conclusion:
    row = rows[-1]
    if "hider" in part.subjects:
        return Conclusion(row.outcome, row.text, row.tone, "staff", row.then)
    then = tuple(item for item in row.then if item.to != "hider")
    text = "Nothing is hidden there, and the detector knows it" if then else "The detector learns nothing"
    return Conclusion(row.outcome, text, row.tone, "staff", then)


DETECTION = Procedure(
    family="detection",
    title="Detection",
    actor="detector",
    subject="hider",
    headline="{hider} hides from {detector}",
    headline_alone="{detector} looks for hidden units",
    method=TableMethod((_DETECTION_TABLE,), _conclude_detection, _plan_detection),
    policy=Policy(played=("detector", "hider")),
    version=2,
)


# Unexpected complications (lines 267-282): one roll for each side of a battle.
DEFENDS = "side.defends-base"
COMPLICATIONS = Procedure(
    family="complications",
    title="Unexpected complications",
    actor="side",
    subject="battle",
    headline="{side} ({battle})",
    headline_alone="{side}",
    method=TableMethod(("campaign.complications",), conclude_by_row("staff"), manual_facts=(DEFENDS,)),
    policy=Policy(played=()),
)


# Interrogation (lines 283-314): what breaks a captive has other results before and after the captive has cracked, which is
# one state (IN-2).
_BREAKING = frozenset({"crack", "crack-or-reveal"})
_PASSWORDS = {None: ("all", "every board password"), 1: ("one", "one board password")}


def _conclude_interrogation(part: Part, rows: Sequence[TableRow]) -> Conclusion:
    row = rows[-1]
    cracked = "captive.cracked" in part.facts
    breaking = next((item for item in row.then if item.do in _BREAKING), None)
    if breaking is None or (breaking.do == "crack" and not cracked):
        return Conclusion(row.outcome, row.text, row.tone, "staff", row.then)
    others = tuple(item for item in row.then if item is not breaking)
    outcome, words, consequences = _find_breaking_effect(breaking, cracked=cracked)
    text, tone = f"The captive {words}", row.tone if consequences else "neutral"
    for item in others:
        if item.do == "injure":
            outcome, text = f"injured-{outcome}", f"Injury {item.amount}, and the captive {words}"
            tone = row.tone if consequences else "failure"
    return Conclusion(outcome, text, tone, "staff", (*others, *consequences))


def _find_breaking_effect(breaking: Consequence, *, cracked: bool) -> tuple[str, str, tuple[Consequence, ...]]:
    if not cracked:
        return "cracks", "begins to crack", (Consequence("crack", breaking.to),)
    if breaking.do == "crack":
        return "cracked-already", "had already cracked", ()
    count, passwords = _PASSWORDS.get(breaking.amount, (str(breaking.amount), f"{breaking.amount} board passwords"))
    return f"reveals-{count}", f"reveals {passwords}", (Consequence("reveal-passwords", breaking.to, breaking.amount),)


INTERROGATION = Procedure(
    family="interrogation",
    title="Interrogation",
    actor="captive",
    subject="base",
    headline="{captive} is interrogated by {interrogator} at {base}",
    headline_alone="{captive} is interrogated by {interrogator}",
    method=TableMethod(("campaign.interrogation",), _conclude_interrogation),
    policy=Policy(again="update", needs=(("captive", "captive"),), played=("interrogator",)),
    settles=captivity.SETTLES,
)


# Lines 315-352. Unlike an interrogation its result is public; where a secret fact counted, such as a scouted base, its die and
# modifiers are withheld as everywhere.
ESCAPE = Procedure(
    family="escape",
    title="Escape",
    actor="captive",
    subject="base",
    headline="{captive} tries to escape from {base}",
    headline_alone="{captive} tries to escape",
    method=TableMethod(("campaign.escape",), conclude_by_row("results")),
    policy=Policy(again="update", needs=(("captive", "captive"),)),
    settles=captivity.SETTLES,
)


__all__ = ["PAIRING", "PROCEDURES"]

PROCEDURES = (NEWTYPE, orders.PATROL, SCOUTING, DETECTION, weather.PROCEDURE, COMPLICATIONS, INTERROGATION, ESCAPE)
