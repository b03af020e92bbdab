from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import NamedTuple

from bot.core.records import encode_canonical
from bot.core.seeds import make_commitment
from bot.rolls.fairness.draw import ASKED
from tests.rolls.fairness.making import (
    File,
    Made,
    chain_again,
    change_part,
    entry,
    forge_file,
    hashes_of,
    other,
    part_of,
    redrawn,
)


class Forgery(NamedTuple):
    """A forged file, what is pasted, and the fault's beginning."""

    file: File
    pasted: str
    named: str


class Way(NamedTuple):
    """A forgery: change, whose file, fault, and whether only the thread shows it."""

    change: Callable[[File], object]
    named: str
    leads: bool = False
    hidden: bool = False


def forgeries(made: Made) -> dict[str, Forgery]:
    """Return all forgeries by name."""
    forged_files = {
        name: Forgery(forge_file(made.leader if way.leads else made.player, way.change), made.thread, way.named)
        for name, way in WAYS.items()
    }
    alone = {
        f"{name} alone": made_up._replace(pasted="") for name, made_up in forged_files.items() if not WAYS[name].hidden
    }
    return {**forged_files, **alone, **_threads(made)}


def _threads(made: Made) -> dict[str, Forgery]:
    file, thread = made.player, made.thread
    node = next(line for line in thread.splitlines() if line.startswith("reveal 2-3 "))
    head = f"campaign {file['campaign']}\n"
    epoch, last = file["epoch"], file["entries"][-1]["hash"]
    secret = entry(file, 5)["hash"]
    changed = {
        "thread of another campaign": ((file["campaign"], file["campaign"][:-1] + "9"), "The dice proof thread is another"),
        "thread with another commitment": ((epoch["commitment"], other(epoch["commitment"])), "The dice proof thread has another commitment"),
        "thread with another head": ((f"head {last}", f"head {other(last)}"), "The dice proof thread has other entries"),
        "thread with other entries": ((hashes_of(file), other(hashes_of(file))), "The dice proof thread has other entries"),
        "thread with another end": (("entries 1-6", "entries 1-7"), "The dice proof thread has entries 1 to 7"),
        "thread with another secret": ((f"secret 5 {secret}", f"secret 5 {other(secret)}"), "The dice proof thread has another hash of entry 5"),
        "thread with another seed": ((node, other(node)), "Entry 3: the dice proof thread reveals another seed"),
        "thread with a second seed": ((node, f"{node}\nreveal 2-2 {'0' * 64}\n{node}"), "Entry 3: the dice proof thread reveals another seed"),
        "thread with a gap before": ((node, f"{node}\nepoch 0\nentries 1-3"), "The dice proof thread ends dice set 0 with entry 3, and dice set 1 begins with 1"),
        "thread with a gap behind": ((node, f"{node}\nepoch 2\nentries 8-9"), "The dice proof thread begins dice set 2 with entry 8, and dice set 1 ends with 6"),
        "thread that begins elsewhere": (("after 0 ", "after 1 "), "The dice proof thread commits to dice set 1 after entry 1, and the file begins it with 1"),
        "thread with another beginning": ((f"after 0 {'0' * 64}", f"after 0 {'1' * 64}"), "The dice proof thread has another hash of entry 0"),
    }  # fmt: skip
    said = {name: Forgery(file, thread.replace(*words), named) for name, (words, named) in changed.items()}
    later = f"{made.opening}\n{head}epoch 2\nentries 7-8"
    stale = {"file of an open dice set": thread, "file of a dice set that was open long ago": later}
    return {
        **said,
        **{
            name: Forgery(made.early, text, "The file is from before dice set 1 was closed")
            for name, text in stale.items()
        },
    }


def _die(file: File) -> None:
    change_part(file, 3, lambda part: part["dice"][0].__setitem__(1, 3))


def _die_and_its_reading(file: File) -> None:
    def change(part: File) -> None:
        part["dice"][0][1] = part["steps"][0]["dice"][0]["faces"][0] = part["steps"][0]["total"] = 19

    chain_again(change_part(file, 3, change))


def _read_die(file: File) -> None:
    chain_again(change_part(file, 3, lambda part: part["steps"][0]["dice"][0].update(faces=[3])))


def _step(**changed: object) -> Callable[[File], object]:
    return lambda file: chain_again(change_part(file, 3, lambda part: part["steps"][0].update(changed)))


def _of_part(name: str, value: object) -> Callable[[File], object]:
    return lambda file: chain_again(change_part(file, 3, lambda part: part.update({name: value})))


def _draw_for(name: str, value: object) -> Callable[[File], object]:
    return lambda file: chain_again(redrawn(file, 3, lambda draw: draw.update({name: value})))


def _swap_parts(file: File) -> None:
    first, second = (part_of(file, 6, at)["place"] for at in range(2))
    change_part(file, 6, lambda part: part.update(place=second))
    chain_again(change_part(file, 6, lambda part: part.update(place=first), at=1))


def _swap_what_was_asked(file: File) -> None:
    parts = entry(file, 6)["draw"]["parts"]
    asked = [part_of(file, 6, at)["part"] for at in range(2)]
    parts[0]["asked"], parts[1]["asked"] = parts[1]["asked"], parts[0]["asked"]
    change_part(file, 6, lambda part: part.update(part=asked[1]))
    chain_again(change_part(file, 6, lambda part: part.update(part=asked[0]), at=1))


def _part_twice(file: File) -> None:
    parts = entry(file, 6)["draw"]["parts"]
    parts[1] = dict(parts[0])


def _part_of_another(file: File) -> None:
    entry(file, 6)["draw"]["parts"][0] = dict(entry(file, 3)["draw"]["parts"][0])


def _part_at_an_empty_place(file: File) -> None:
    parts = entry(file, 6)["draw"]["parts"]
    place = part_of(file, 6)["place"]
    parts.insert(0, {**parts[0], "text": parts[0]["text"].replace(f'"place":{place}', f'"place":{place ^ 1}')})


def _part_made_up(file: File) -> None:
    _part_at_an_empty_place(file)
    chain_again(file)


def _header(file: File) -> None:
    held = entry(file, 3)
    held["header"] = encode_canonical(json.loads(held["header"]) | {"at": "2026-03-01T13:00:00+00:00"})


def _header_resealed(file: File) -> None:
    _header(file)
    chain_again(file)


def _swap(file: File) -> None:
    second, third = file["entries"][1:3]
    file["entries"][1:3] = third, second


def _swap_seeds(file: File) -> None:
    second, third = entry(file, 2), entry(file, 3)
    second["seed"], third["seed"] = third["seed"], second["seed"]


def _swap_seeds_and_proofs(file: File) -> None:
    _swap_seeds(file)
    second, third = entry(file, 2), entry(file, 3)
    second["proof"], third["proof"] = third["proof"], second["proof"]


def _no_seed(file: File) -> None:
    for name in ("seed", "proof"):
        del entry(file, 3)[name]


def _no_seeds(file: File) -> None:
    for item in file["entries"]:
        item.pop("seed", None)
        item.pop("proof", None)


def _deeper(file: File) -> None:
    epoch, beside = file["epoch"], "0" * 64
    epoch["root"] = hashlib.sha256(b"\x01" + bytes.fromhex(epoch["root"]) + bytes.fromhex(beside)).hexdigest()
    epoch["commitment"] = make_commitment(file["campaign"], epoch["number"], epoch["root"])
    for item in file["entries"]:
        if "proof" in item:
            item["proof"].append(beside)


def _drop_and_renumber(file: File) -> None:
    del file["entries"][2]
    for place, item in enumerate(file["entries"]):
        item["number"] = place + 1
    file["about"] = file["epoch"]["last"] = 5
    chain_again(file)


def _cut(file: File) -> None:
    del file["entries"][-2:]
    file["about"] = 4


def _cut_and_said(file: File) -> None:
    _cut(file)
    file["epoch"]["last"] = 4


def _book(file: File) -> None:
    for name, text in file["books"].items():
        file["books"][name] = text.replace('"min":', '"min": ', 1)


def _insert(file: File) -> None:
    file["entries"].insert(3, dict(entry(file, 3)))


def _body(file: File) -> None:
    entry(file, 3)["body"]["text"] += " "


def _change_asked(file: File) -> None:
    chain_again(redrawn(file, 3, lambda body: body[ASKED]["parts"][0].update(key="other"), "body"))


def _change_body(number: int, change: Callable[[list[File]], object]) -> Callable[[File], object]:
    return lambda file: chain_again(redrawn(file, number, lambda body: change(body["parts"]), "body"))


def _swap_steps(parts: list[File]) -> None:
    parts[0]["steps"], parts[1]["steps"] = parts[1]["steps"], parts[0]["steps"]


def _add_spaces(file: File) -> None:
    part = entry(file, 3)["draw"]["parts"][0]
    part["text"] = part["text"].replace('"sum":0', '"sum":0.0')
    chain_again(file)


def _withheld(file: File, *names: str) -> None:
    for name in names:
        del entry(file, 3)[name]


WAYS = {
    "die": Way(_die, "Entry 3: its draw doesn't match"),
    "die and its reading": Way(_die_and_its_reading, "Entry 3: at place 39, die 1, a d20, shows 19, and its seed gives 18"),
    "read die": Way(_read_die, "Entry 3: at place 39, the dice that were read aren't"),
    "total": Way(_step(total=13), "Entry 3: at place 39, on campaign.patrol.catch the total is 18"),
    "sum": Way(_step(sum=4, total=24), "Entry 3: at place 39, on campaign.patrol.catch what counted adds up to +0"),
    "value of a modifier": Way(_step(modifiers=[["patrol.newtype", 5, 1]], sum=5, total=25), "Entry 3: at place 39, on campaign.patrol.catch patrol.newtype has the value 5, and the book's is 1"),
    "count of a modifier": Way(_step(modifiers=[["patrol.newtype", 1, 3]], sum=3, total=23), "Entry 3: at place 39, on campaign.patrol.catch patrol.newtype counts 3 times"),
    "modifier twice": Way(_step(modifiers=[["patrol.newtype", 1, 1]] * 2, sum=2, total=22), "Entry 3: at place 39, on campaign.patrol.catch patrol.newtype is listed twice"),
    "held by no cap": Way(_step(uncapped=0, sum=4, total=24), "Entry 3: at place 39, on campaign.patrol.catch what counted is capped at +0, not at +4"),
    "read against something": Way(_step(reads="reach", value=0), "Entry 3: at place 39, on campaign.patrol.catch the total is read differently from the book"),
    "two dice": Way(_step(dice=[{"die": "2d20", "faces": [20], "drawn": "seed"}]), "Entry 3: at place 39, a die was read in a way it can't fall"),
    "no die": Way(_step(dice=[{"die": "0d20", "faces": [], "drawn": ""}], total=0), "Entry 3: at place 39, the dice that were read aren't"),
    "typed face that there is not": Way(_step(dice=[{"die": "1d20", "faces": [21], "drawn": "by hand"}]), "Entry 3: at place 39, a die was read in a way it can't fall"),
    "face that decides alone": Way(_step(natural=True), "Entry 3: at place 39, on campaign.patrol.catch the face doesn't decide alone"),
    "yes for a number": Way(_draw_for("entry", value=True), "Entry 3: the record of its dice can't be read"),
    "nested too deep": Way(_step(text=json.loads("[" * 80 + "]" * 80)), "Entry 3: the record of its dice can't be read"),
    "not canonical": Way(_add_spaces, "Entry 3: the record of its dice can't be read"),
    "public entry withheld": Way(lambda file: _withheld(file, "header", "draw", "seed", "proof"), "Entry 3: the dice proof thread reveals its seed, so it's public", hidden=True),
    "public dice withheld": Way(lambda file: _withheld(file, "draw", "seed", "proof"), "Entry 3: the dice proof thread reveals its seed, so its dice are public", hidden=True),
    "outcome": Way(_step(outcome="no-catch"), "Entry 3: at place 39, on campaign.patrol.catch 18 gives"),
    "outcome of no name": Way(_step(outcome="constructor"), "Entry 3: at place 39, on campaign.patrol.catch 18 gives"),
    "table": Way(_step(table="toString"), "Entry 3: at place 39, the book has no table toString"),
    "step without dice": Way(_step(dice=None), "Entry 3: the record of its dice can't be read"),
    "drawn for another entry": Way(_draw_for("entry", 2), "Entry 3: its dice were drawn for entry 2, not 3"),
    "drawn for another slot": Way(_draw_for("slot", 9), "Entry 3: its dice were drawn for slot 9, not 2"),
    "drawn by another book": Way(_draw_for("book", "0" * 64), "Entry 3: its dice were drawn for book"),
    "drawn for another situation": Way(_draw_for("situation", "0" * 64), "Entry 3: at place 39, what was asked for isn't part"),
    "drawn for nothing": Way(_of_part("dice", 7), "Entry 3: the record of its dice can't be read"),
    "dice without sides": Way(_of_part("dice", [[0, 1]]), "Entry 3: the record of its dice can't be read"),
    "dice of too many sides": Way(_of_part("dice", [[2**33, 1]]), "Entry 3: the record of its dice can't be read"),
    "part of no name": Way(_of_part("part", "no hash"), "Entry 3: the record of its dice can't be read"),
    "part of another name": Way(_of_part("part", "0" * 64), "Entry 3: at place 39, what was asked for isn't part"),
    "part at another place": Way(_of_part("place", 5), "Entry 3: at place 5, what was asked for isn't part"),
    "part at no place": Way(lambda file: change_part(file, 3, lambda part: part.update(place=64)), "Entry 3: its draw doesn't match"),
    "parts swapped": Way(_swap_parts, "Entry 6: at place"),
    "what was asked swapped": Way(_swap_what_was_asked, "Entry 6: at place 21, what was asked for isn't part"),
    "part twice": Way(_part_twice, "Entry 6: its draw has a part twice"),
    "part of another roll": Way(_part_of_another, "Entry 6: its draw doesn't match"),
    "part at an empty place": Way(_part_at_an_empty_place, "Entry 6: its draw doesn't match"),
    "part made up": Way(_part_made_up, "Entry 6: at place 20, what was asked for isn't part"),
    "part dropped": Way(lambda file: entry(file, 6)["draw"]["parts"].pop(), "Entry 6: the dice of 1 of its parts aren't in the file", leads=True),
    "part made up beside the body": Way(_part_made_up, "Entry 6: it has dice for something that isn't one of its parts", leads=True),
    "no part": Way(lambda file: entry(file, 6)["draw"]["parts"].clear(), "Entry 6: its draw has no part"),
    "proof of a part": Way(lambda file: entry(file, 6)["draw"]["parts"][0]["proof"].__setitem__(2, "0" * 64), "Entry 6: its draw doesn't match"),
    "short proof of a part": Way(lambda file: entry(file, 6)["draw"]["parts"][0]["proof"].pop(), "Entry 6: its draw doesn't match"),
    "proof of what was asked": Way(lambda file: entry(file, 6)["draw"]["parts"][0]["asked"].pop(), "Entry 6: at place 21, what was asked for isn't part"),
    "header": Way(_header, "Entry 3: the header doesn't match its hash"),
    "header sealed anew": Way(_header_resealed, "The dice proof thread has other entries", hidden=True),
    "no header": Way(lambda file: entry(file, 3).pop("header"), "Entry 3: its content can't be checked"),
    "body": Way(_body, "Entry 3: its body doesn't match", leads=True),
    "what was asked": Way(_change_asked, "Entry 3: what was asked for isn't what", leads=True),
    "outcomes swapped in the body": Way(_change_body(6, _swap_steps), "Entry 6: at place 2", leads=True),
    "face in the body": Way(_change_body(3, lambda parts: parts[0]["steps"][0].update(faces=[3])), "Entry 3: at place 39, its body says something else about the dice", leads=True),
    "outcome in the body": Way(_change_body(3, lambda parts: parts[0]["steps"][0]["row"].update(outcome="no-catch")), "Entry 3: at place 39, its body says something else about the dice", leads=True),
    "part of the body": Way(_change_body(6, list.pop), "Entry 6: its body has other parts than were asked for", leads=True),
    "part of the body renamed": Way(_change_body(3, lambda parts: parts[0].update(key="other")), "Entry 3: its body has other parts than were asked for", leads=True),
    "part of the record renamed": Way(_of_part("key", "other"), "Entry 3: at place 39, its body says something else about the dice", leads=True),
    "hash": Way(lambda file: entry(file, 3).update(hash="0" * 64), "Entry 3: the header doesn't match its hash"),
    "hash of a secret": Way(lambda file: entry(file, 5).update(hash="0" * 64), "Entry 6: its previous is"),
    "first hash": Way(lambda file: file.update(after="1" * 64), "The dice proof thread has another hash of entry 0", hidden=True),
    "seed": Way(lambda file: entry(file, 3).update(seed="0" * 64), "Entry 3: its seed doesn't belong"),
    "no seed": Way(_no_seed, "Entry 3: its dice set is closed, and its seed is missing"),
    "no seeds": Way(_no_seeds, "Entry 2: its dice set is closed, and its seed is missing"),
    "deeper tree": Way(_deeper, "Entry 3: its seed doesn't belong"),
    "seeds swapped": Way(_swap_seeds, "Entry 2: its seed doesn't belong"),
    "seeds and proofs swapped": Way(_swap_seeds_and_proofs, "Entry 2: its seed doesn't belong"),
    "proof": Way(lambda file: entry(file, 3)["proof"].__setitem__(4, "0" * 64), "Entry 3: its seed doesn't belong"),
    "short proof": Way(lambda file: entry(file, 3)["proof"].pop(), "Entry 3: its seed doesn't belong"),
    "dropped": Way(lambda file: file["entries"].pop(2), "Entry 3 is missing: 4 is there instead"),
    "dropped and renumbered": Way(_drop_and_renumber, "Entry 3: its dice were drawn for entry 4"),
    "swapped": Way(_swap, "Entry 2 is missing: 3 is there instead"),
    "inserted": Way(_insert, "Entry 4 is missing: 3 is there instead"),
    "cut": Way(_cut, "The dice set ends with entry 6, and the file with 4"),
    "cut and said so": Way(_cut_and_said, "The dice proof thread has entries 1 to 6", hidden=True),
    "about another": Way(lambda file: file.update(about=9), "Entry 9, which the file is about, isn't in it"),
    "book": Way(_book, "Entry 2: the tables don't match their fingerprint"),
    "no book": Way(lambda file: file["books"].clear(), "Entry 2: the tables of its book aren't in the file"),
    "commitment": Way(lambda file: file["epoch"].update(commitment="0" * 64), "Dice set 1: its root doesn't match"),
    "root": Way(lambda file: file["epoch"].update(root="0" * 64), "Dice set 1: its root doesn't match"),
    "epoch": Way(lambda file: file["epoch"].update(number=2), "Dice set 2: its root doesn't match"),
    "campaign": Way(lambda file: file.update(campaign=file["campaign"][:-1] + "9"), "Entry 2: its campaign is"),
}  # fmt: skip
