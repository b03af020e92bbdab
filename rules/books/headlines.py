"""Result sentences by book, family and row text, which has no subject.

What follows a colon, semicolon or bracket in a text is kept; "" is any other text. Roles are in braces; brackets are
dropped if their role has no name.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from msgspec import convert

from rules.tables import ConsequenceKind

_AT_BASE = ", interrogated by {interrogator}[ at {base}]"
_HIDING = {"Hidden": "{actor} stays hidden from {resister}", "Seen": "{resister} sees {actor}"}
_BREAKING = {"Still held": "{actor} still held by {resister}", "Free": "{actor} breaks free of {resister}"}


def _describe_catch(what: str) -> Mapping[str, str]:
    return {
        "Caught": f"{{resister}} caught in {{actor}}'s {what}",
        "Caught, dice count double": f"{{resister}} caught in {{actor}}'s {what}, dice count double",
        "Avoided": f"{{resister}} avoids {{actor}}'s {what}",
    }


HEADLINES: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("campaign", "patrol"): {
        "Nothing is caught": "{target} not caught by {patrol}",
        "Caught, fights as if ambushed": "{target} caught by {patrol}. Fights as if ambushed",
        "Caught, but only the ambush is fought": "{target} caught by {patrol}. Only the ambush is fought",
        "The patrol attacks": "{target} caught and attacked by {patrol}",
        "Blocked, and pays 25 SP": "{target} blocked by {patrol}, and pays 25 SP",
        "Blocked without a fight": "{target} blocked by {patrol} without a fight",
        "Let through for 25 SP": "{target} let through by {patrol} for 25 SP",
        "Let through": "{target} let through by {patrol}",
    },
    ("campaign", "scouting"): {
        "Failed: the defences attack": "{scouter} failed to scout {base}, and the defences attack",
        "Failed and noticed": "{scouter} failed to scout {base} and was noticed",
        "Failed, unnoticed": "{scouter} failed to scout {base}, unnoticed",
        "Base scouted but noticed": "{scouter} scouted {base} but was noticed",
        "Base scouted, unnoticed": "{scouter} scouted {base} unnoticed",
    },
    ("campaign", "detection"): {
        "Revealed and ambushed by the detector": "{hider} found and ambushed by {detector}",
        "Revealed": "{hider} found by {detector}",
        "Not revealed, but the detector knows who's there": "{hider} not revealed, but {detector} knows who's there",
        "Not detected": "{hider} not detected by {detector}",
        "Nothing is hidden there, and the detector knows it": "{detector} finds that nothing is hidden there",
        "The detector learns nothing": "{detector} learns nothing about hidden units",
    },
    ("campaign", "interrogation"): {
        "Nothing happens": "{captive} gives nothing away" + _AT_BASE,
        "Injury 1": "{captive} gets Injury 1" + _AT_BASE,
        "The captive begins to crack": "{captive} begins to crack" + _AT_BASE,
        "The captive had already cracked": "{captive} had already cracked" + _AT_BASE,
        "The captive reveals one board password": "{captive} reveals one board password" + _AT_BASE,
        "The captive reveals every board password": "{captive} reveals every board password" + _AT_BASE,
        "The captive is accidentally killed": "{captive} is accidentally killed" + _AT_BASE,
        "The captive is accidentally seriously injured": "{captive} is accidentally seriously injured" + _AT_BASE,
        "Driven too far, the captive is accidentally killed": "{captive} is driven too far and accidentally killed"
        + _AT_BASE,
        "Injury 1, and the captive begins to crack": "{captive} begins to crack and gets Injury 1" + _AT_BASE,
        "Injury 1, and the captive had already cracked": "{captive} had already cracked, but gets Injury 1" + _AT_BASE,
        "Injury 1, and the captive reveals every board password": "{captive} reveals every board password and gets Injury 1"
        + _AT_BASE,
        "Injury 1, and every board password, cracked or not": "{captive} reveals every board password and gets Injury 1"
        + _AT_BASE,
    },
    ("campaign", "escape"): {
        "Killed in the attempt": "{captive} killed trying to escape[ from {base}]",
        "Seriously injured in the attempt": "{captive} seriously injured trying to escape[ from {base}]",
        "Injured in the attempt": "{captive} injured trying to escape[ from {base}]",
        "Failed and noticed": "{captive} failed to escape[ from {base}] and was noticed",
        "Failed, no write-up": "{captive} failed to escape[ from {base}]. No write-up",
        "Escaped": "{captive} escaped[ from {base}]",
    },
    ("campaign", "newtype"): {
        "Oldtype": "{character} is an oldtype",
        **{f"NT{level}": f"{{character}} has newtype level NT{level}" for level in range(1, 6)},
    },
    ("campaign", "complications"): {
        "Something unexpected happens": "Something unexpected happens to {side}[ ({battle})]",
        "Nothing unexpected": "Nothing unexpected for {side}[ ({battle})]",
    },
    ("campaign", "hide"): {
        "Hidden unless a detector finds them": "{hider} hides[ in {sector}] unless a detector finds them"
    },
    ("campaign", "move"): {"No patrol stops the move": "{target} moves[ through {sector}], and no patrol stops it"},
    ("campaign", "watch"): {
        "Nothing to stop came through": "{patrol} watches[ {sector}]: nothing to stop came through"
    },
    ("campaign", "assault"): {"The base is assaulted today": "{attacker} assaults {base} today"},
    ("campaign", "surprise-attack"): {
        "Surprise attack to free a captive": "{attacker} makes a surprise attack to free {target}",
    },
    ("campaign", "rescue"): {"Rescue attempt today": "{rescuer} tries to rescue {captive} today"},
    ("campaign", "resist"): {"Resists interrogation today": "{captive} resists interrogation today"},
    ("house", ""): {"": "{roller} rolls on {title}[ for {target}]: {outcome}"},
    ("roe", "roe.check"): {"Success": "{actor} succeeds", "Failed": "{actor} fails", "": "{actor} · {outcome}"},
    ("roe", "roe.hide"): _HIDING,
    ("roe", "turn.hide"): _HIDING,
    ("roe", "turn.search"): {"Found": "{actor} finds {resister}"},
    ("roe", "turn.blast"): _describe_catch("explosion"),
    ("roe", "turn.explode"): _describe_catch("grenade"),
    ("roe", "turn.grab"): {"Held": "{actor} grabs {resister}"},
    ("roe", "turn.hurl"): {"Thrown": "{actor} throws {resister}"},
    ("roe", "turn.break-by-dodge"): _BREAKING,
    ("roe", "turn.break-by-strength"): _BREAKING,
    **{
        ("total_war", family): {"Done": "", "": f"{{{role}}}: {{outcome}}"}  # its text says by itself what was done
        for role, families in {
            "force": ("move", "assign", "allot"),
            "squadron": ("follow",),
            "faction": ("build", "buy", "garrison", "research", "delegate", "found"),
            "player": ("promote", "rogue"),
        }.items()
        for family in families
    },
    ("total_war", "shoot"): {"": "{outcome}, shot at by {unit}"},
    ("total_war", "melee"): {"": "{outcome}, attacked in melee by {unit}"},
    ("total_war", "broadside"): {"": "{outcome}, under a broadside by {unit}"},
}


@cache
def load_printed_deeds() -> Mapping[str, ConsequenceKind]:
    """Return all deeds, for entries too old to include words."""
    paths = Path(__file__).parent.glob("*/deeds.toml")
    every = [item for path in paths for item in tomllib.loads(path.read_text(encoding="utf-8"))["deeds"]]
    return {item.id: item for item in convert(every, list[ConsequenceKind])}
