"""Forged capsules, each with its fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Any

from bot.core.draws import hash_salted
from bot.core.records import GENESIS
from bot.core.seeds import find_merkle_root

SECRET = "00" * 32
EXPORT = 7
Rows = list[dict[str, Any]]


def _without(name: str, members: dict[str, bytes]) -> None:
    del members[name]


def _extra(members: dict[str, bytes]) -> None:
    members["../../etc/passwd"] = b"root"


def _bomb(members: dict[str, bytes]) -> None:
    members["chronicle.html"] = bytes(2**25)


def _flip(members: dict[str, bytes]) -> None:
    members["rows/entry.jsonl"] = members["rows/entry.jsonl"].replace(b"Zaku", b"Zakx", 1)


def _newer(members: dict[str, bytes]) -> None:
    members["capsule.json"] = members["capsule.json"].replace(b'"revision": "', b'"revision": "9')


def _garble(members: dict[str, bytes]) -> None:
    members["capsule.json"] = members["capsule.json"][:-2]


def _greedy(members: dict[str, bytes]) -> None:
    members["capsule.json"] = members["capsule.json"].replace(b'"bytes": ', b'"bytes": 999999999', 1)


def _negative(members: dict[str, bytes]) -> None:
    members["capsule.json"] = members["capsule.json"].replace(b'"bytes": ', b'"bytes": -', 1)


def _shorter(members: dict[str, bytes]) -> None:
    members["capsule.json"] = members["capsule.json"].replace(b'"entries": ', b'"entries": 1')


def rows_of(table: str, change: Callable[[Rows], object]) -> Callable[[dict[str, bytes]], None]:
    """Change a table's rows and mend the manifest."""

    def forge(members: dict[str, bytes]) -> None:
        name = f"rows/{table}.jsonl"
        rows: Rows = [json.loads(line) for line in members[name].splitlines()]
        change(rows)
        members[name] = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
        manifest = json.loads(members["capsule.json"])
        manifest["parts"][name] = {"bytes": len(members[name]), "sha256": sha256(members[name]).hexdigest()}
        members["capsule.json"] = json.dumps(manifest).encode()

    return forge


def _open_epoch(rows: Rows) -> None:
    known = {"number": 2, "secret": SECRET, "root": find_merkle_root(bytes.fromhex(SECRET)), "first": EXPORT + 1}
    rows.append(known | dict.fromkeys(("last", "closed_at", "closes_at")))


def _seal(number: int, forge: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, bytes]], None]:
    def change(members: dict[str, bytes]) -> None:
        rows_of("entry", partial(_seal_anew, number, forge))(members)
        (*_, last) = members["rows/entry.jsonl"].splitlines()
        manifest = json.loads(members["capsule.json"]) | {"head": json.loads(last)["hash"]}
        members["capsule.json"] = json.dumps(manifest).encode()

    return change


def _seal_anew(number: int, forge: Callable[[dict[str, Any]], object], rows: Rows) -> None:
    before = GENESIS
    for row in rows:
        if row["number"] == number:
            body = json.loads(row["body"])
            forge(body)
            row["body"] = json.dumps(body, sort_keys=True, separators=(",", ":"))
        header = json.loads(row["header"]) | {"previous": before, "body": hash_salted(row["salt"], row["body"])}
        row["header"] = json.dumps(header, sort_keys=True, separators=(",", ":"))
        row["previous"], row["hash"] = before, sha256(row["header"].encode()).hexdigest()
        before = row["hash"]


def _value(subject: str, name: str, value: object) -> Callable[[dict[str, bytes]], None]:
    change = {"subject": subject, "name": name, "before": None, "after": value}
    return _seal(5, lambda body: body.update(changes=[change]))


def _unknown_book(members: dict[str, bytes]) -> None:
    rows_of("campaign", lambda rows: rows[0].update(books=["chess"]))(members)
    _seal(1, lambda body: body["created"].update(books=["chess"]))(members)


def _more(body: dict[str, Any]) -> None:
    body["parts"][0]["steps"][0]["total"] += 1


JOB = dict.fromkeys(("remind", "remind_at", "ahead", "ahead_at", "start")) | {
    "rule": "FREQ=DAILY",
    "deed": "weather",
    "at": "18:00",
    "catch_up": "roll",
    "next_at": "2026-01-01T18:00:00+00:00",
    "reached": 0,
    "missed": [],
}


def job_of(**values: object) -> Callable[[dict[str, bytes]], None]:
    """Add a schedule with these values."""
    return rows_of("job", lambda rows: rows.append(JOB | values))


FORGED: dict[str, tuple[Callable[[dict[str, bytes]], None], str]] = {
    "no manifest": (lambda members: _without("capsule.json", members), "it has no capsule.json"),
    "a part less": (
        lambda members: _without("rows/epoch.jsonl", members),
        "'rows/epoch.jsonl' is missing or unexpected",
    ),
    "a path": (_extra, "'../../etc/passwd' is missing or unexpected"),
    "a bomb": (_bomb, "'chronicle.html' isn't the one that was exported"),
    "a letter": (_flip, "'rows/entry.jsonl' isn't the one that was exported"),
    "half a manifest": (_garble, "its capsule.json can't be read"),
    "a greedy manifest": (_greedy, "it would unpack to more than the limit"),
    "less than nothing": (_negative, "its capsule.json can't be read"),
    "another end": (_shorter, "Its newest entry is another one than it says."),
    "a newer schema": (_newer, "is from a newer version"),
    "a body": (rows_of("entry", lambda rows: rows[1].update(body="{}")), "isn't valid: Entry 2"),
    "a row less": (rows_of("entry", lambda rows: rows.pop()), "isn't valid: "),
    "another order": (rows_of("entry", lambda rows: rows[1].update(number="two")), "number isn't a whole number"),
    "a seed": (rows_of("epoch", _open_epoch), "the secret of an open dice set, so its dice could be predicted"),
    "a secret": (rows_of("epoch", lambda rows: rows[0].update(secret=SECRET)), "its root is not that of its secret"),
    "another campaign": (rows_of("campaign", lambda rows: rows[0].update(uuid="x" * 36)), "isn't valid: "),
    "a book": (_unknown_book, "books that this bot doesn't have: chess"),
    "a right": (
        rows_of("campaign", lambda rows: rows[0].update(players_may=["patrol"])),
        "Its setting players_may is ['patrol']",
    ),
    "a total": (_seal(2, _more), "its body says something else about the dice"),
    "a card": (
        rows_of("card", lambda rows: rows[0].update(request={"now": {}})),
        "I can't read a setting, group, schedule, card or waiting roll",
    ),
    "an entry that says nothing": (_seal(5, lambda body: body.update(names={"a": 1})), "its entries can't be read"),
    "a value of no entry": (_value("entry:x", "publish_at", {"at": "0", "by": 1}), "'entry:x', which doesn't exist"),
    "a circle": (_value("entry:5", "voided", {"by": 5, "amended": True}), "by 5, which isn't a later entry"),
    "a group": (_value("subject:1", "group", {"members": 7}), "I can't read a setting"),
    "a job": (job_of(deed="chess"), "nothing is done as 'chess'"),
    "a day": (job_of(rule="FREQ=DAILY;BYDAY=MO"), "by 'FREQ=DAILY;BYDAY=MO' at '18:00'"),
    "a rule": (job_of(rule="FREQ=SECONDLY"), "'FREQ=SECONDLY' is not a rule"),
    "a count from nowhere": (job_of(rule="FREQ=DAILY;INTERVAL=2"), "nothing is done as 'weather'"),
    "a way to catch up": (job_of(catch_up="never"), "Invalid enum value 'never'"),
}
