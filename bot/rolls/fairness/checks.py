"""Check a verification file, with the pasted proof thread. Pure."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct, field

from bot.core.draws import SEED_DEPTH, hash_salted
from bot.core.seeds import SLOTS, Node, follow_merkle_proof, grow_from_nodes, hash_entries, make_commitment
from bot.rolls.fairness.draw_checks import Draws, find_draw_hash, seal_faults, withholds
from bot.rolls.fairness.forms import EntryRecord, EpochRecord, VerificationFile, header_of, quote

FORMAT = "adjutant audit 1"
_HASH = r"([0-9a-f]{64})"
_NUMBER = r"([0-9]{1,9})"
_LINES = {
    "campaign": re.compile(r"campaign ([0-9a-f-]{36})"),
    "after": re.compile(rf"after {_NUMBER} {_HASH}"),
    "next": re.compile(rf"next {_NUMBER} {_HASH}"),
    "epoch": re.compile(rf"epoch {_NUMBER}"),
    "entries": re.compile(rf"entries {_NUMBER}-{_NUMBER}"),
    "head": re.compile(rf"head {_HASH}"),
    "hashes": re.compile(rf"hashes {_HASH}"),
    "commitment": re.compile(rf"commitment {_HASH}"),
    "reveal": re.compile(rf"reveal {_NUMBER}-{_NUMBER} {_HASH}"),
    "secret": re.compile(rf"secret {_NUMBER} {_HASH}"),
}


def find_verifier() -> Path:
    """Return the page that checks files."""
    # In the package, or in docs of a checkout.
    package = Path(__file__).parents[2]
    places = (package / "verify.html", package.parent / "docs" / "verify.html")
    return next(place for place in places if place.is_file())


def read_document(data: bytes) -> VerificationFile:
    """Read a file. ValueError if it is none."""
    try:
        return msgspec.json.decode(data, type=VerificationFile)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"this isn't a verification file: {error}") from error


class _Closing(Struct):
    first: int = 0
    last: int = 0
    head: str = ""
    hashes: str = ""
    commitment: str = ""
    revealed: list[Node] = field(default_factory=list)
    secret: dict[int, str] = field(default_factory=dict)


class Anchors(Struct):
    """What was pasted of one campaign. `campaigns` (UUIDs) are all pasted, `after` is the entry before epoch 1."""

    campaigns: set[str] = field(default_factory=set)
    after: int | None = None
    commitments: dict[int, str] = field(default_factory=dict)
    closed: dict[int, _Closing] = field(default_factory=dict)
    known: dict[int, str] = field(default_factory=dict)


def read_anchors(text: str, campaign: str) -> Anchors:
    """Read pasted messages of a campaign (UUID). ValueError if there are none, or they contradict each other."""
    found, current, about = Anchors(), _Closing(), None
    for name, values in _list_lines(text):
        if name == "campaign":
            about, current = values[0], _Closing()
            found.campaigns.add(about)
        elif about == campaign:
            current = _read_line(found, current, name, values)
    others = found.campaigns and campaign not in found.campaigns
    if not (found.commitments or found.closed or others):
        raise ValueError("this isn't from a dice proof thread: paste its messages whole")
    found.known |= {item.last: item.head for item in found.closed.values() if item.head and item.last}
    return found


def _list_lines(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for line in map(str.strip, text.splitlines()):
        for name, form in _LINES.items():
            if found := form.fullmatch(line):
                yield name, found.groups()


def _read_line(found: Anchors, current: _Closing, name: str, values: tuple[str, ...]) -> _Closing:
    match name:
        case "next":
            _note(found.commitments, int(values[0]), values[1], f"the commitment of dice set {int(values[0])}")
        case "after":
            if found.after not in {None, int(values[0])}:
                raise ValueError("it says two different things about where dice set 1 begins")
            found.after = int(values[0])
            _note(found.known, found.after, values[1], f"entry {found.after}")
        case "epoch":
            return found.closed.setdefault(int(values[0]), _Closing())
        case _:
            _read_closing(current, name, values)
    return current


def _read_closing(closing: _Closing, name: str, values: tuple[str, ...]) -> None:
    match name:
        case "entries":
            said = int(values[0]), int(values[1])
            if (closing.first, closing.last) not in {(0, 0), said}:
                raise ValueError("it says two different things about the entries of a dice set")
            closing.first, closing.last = said
        case "reveal":
            first, last = int(values[0]), int(values[1])
            if not first <= last < SLOTS:
                raise ValueError(f"slots {first} to {last} don't exist")
            closing.revealed.append(Node(first, last - first + 1, bytes.fromhex(values[2])))
        case "secret":
            _note(closing.secret, int(values[0]), values[1], f"entry {int(values[0])}")
        case _:
            if getattr(closing, name) not in {"", values[0]}:
                raise ValueError(f"it says two different things about the {name} of a dice set")
            setattr(closing, name, values[0])


def _note(known: dict[int, str], key: int, value: str, what: str) -> None:
    if known.setdefault(key, value) != value:
        raise ValueError(f"it says two different things about {what}")


class Verdict(Struct, frozen=True):
    """Faults, worst first, or what was checked, and whether the thread confirms it."""

    faults: tuple[str, ...]
    checked: tuple[str, ...]
    anchored: bool

    @property
    def words(self) -> str:
        """The verdict in one sentence."""
        if self.faults:
            return "This isn't valid."
        if self.anchored:
            return "This is valid, and the dice proof thread confirms it."
        return "This is consistent with itself, but not proven. Check it against the dice proof thread."


def check(document: VerificationFile, anchors: Anchors | None = None) -> Verdict:
    """Check a file with what was pasted."""
    drawn = Draws(document)
    faults = [*_number_faults(document), *_chain_faults(document), *_epoch_faults(document), *drawn.faults()]
    anchored = False
    if anchors is not None:
        faults += _find_thread_faults(document, anchors)
        anchored = document.epoch.number in anchors.closed.keys() & anchors.commitments.keys()
    lines = () if faults else (*_describe_checked(document), *drawn.describe(), *_list_missing(document, anchors))
    return Verdict(tuple(faults), lines, anchored)


def _number_faults(document: VerificationFile) -> Iterator[str]:
    first = document.epoch.first
    for place, item in enumerate(document.entries):
        if item.number != first + place:
            yield f"Entry {first + place} is missing: {item.number} is there instead."
            return
    last = first + len(document.entries) - 1
    if document.epoch.last not in {None, last}:
        yield f"The dice set ends with entry {document.epoch.last}, and the file with {last}."
    if not any(item.number == document.about for item in document.entries):
        yield f"Entry {document.about}, which the file is about, isn't in it."


def _chain_faults(document: VerificationFile) -> Iterator[str]:
    before = document.after
    for item in document.entries:
        if item.header is not None:
            yield from (
                f"Entry {item.number}: {fault}." for fault in _header_faults(document, item, item.header, before)
            )
        elif item.body is not None or item.draw is not None:
            yield f"Entry {item.number}: its content can't be checked without its header."
        before = item.hash


def _header_faults(document: VerificationFile, item: EntryRecord, header: str, before: str) -> Iterator[str]:
    if hashlib.sha256(header.encode()).hexdigest() != item.hash:
        yield "the header doesn't match its hash"
    said = header_of(item)
    if said is None:
        yield "its header can't be read"
        return
    named: Mapping[str, object] = said
    for name, value in {"campaign": document.campaign, "number": item.number, "previous": before}.items():
        if named[name] != value:
            yield f"its {name} is {quote(named[name])}, and {quote(value)} was expected"
    if item.body is not None and hash_salted(item.body.salt, item.body.text) != said["body"]:
        yield "its body doesn't match the header"
    if item.draw is not None:
        yield from seal_faults(item.draw, find_draw_hash(said))


def _epoch_faults(document: VerificationFile) -> Iterator[str]:
    epoch = document.epoch
    if make_commitment(document.campaign, epoch.number, epoch.root) != epoch.commitment:
        yield f"Dice set {epoch.number}: its root doesn't match the commitment."
    for item in document.entries:
        if item.seed is not None and _root(item, item.number - epoch.first) != epoch.root:
            yield f"Entry {item.number}: its seed doesn't belong to the commitment."
        if item.seed is None and item.draw is not None and epoch.last is not None:
            yield f"Entry {item.number}: its dice set is closed, and its seed is missing."


def _find_thread_faults(document: VerificationFile, anchors: Anchors) -> Iterator[str]:
    epoch, hashes = document.epoch, {item.number: item.hash for item in document.entries}
    if document.campaign not in anchors.campaigns:
        yield "The dice proof thread is another campaign's."
        return
    before = anchors.known.get(epoch.first - 1)
    if before not in {None, document.after}:
        yield f"The dice proof thread has another hash of entry {epoch.first - 1}."
    if anchors.commitments.get(epoch.number, epoch.commitment) != epoch.commitment:
        yield f"The dice proof thread has another commitment to dice set {epoch.number}."
    yield from _find_gaps(epoch, anchors)
    closed = anchors.closed.get(epoch.number)
    if closed is None:
        return
    yield from _seed_faults(document, closed)
    yield from _withheld_faults(document, closed)
    if closed.commitment != epoch.commitment:
        yield f"The dice proof thread has another commitment to dice set {epoch.number}."
    if epoch.last is None:
        yield f"The file is from before dice set {epoch.number} was closed. Ask for a new one."
        return
    if (closed.first, closed.last) != (epoch.first, epoch.last):
        yield f"The dice proof thread has entries {closed.first} to {closed.last} in dice set {epoch.number}."
    if hashes.get(closed.last) != closed.head or hash_entries(hashes.values()) != closed.hashes:
        yield f"The dice proof thread has other entries in dice set {epoch.number}."
    yield from (
        f"The dice proof thread has another hash of entry {number}."
        for number, value in closed.secret.items()
        if hashes.get(number) != value
    )


def _find_gaps(epoch: EpochRecord, anchors: Anchors) -> Iterator[str]:
    before, behind = (anchors.closed.get(epoch.number + step) for step in (-1, 1))
    if before is not None and before.last and before.last + 1 != epoch.first:
        yield f"The dice proof thread ends dice set {epoch.number - 1} with entry {before.last}, and dice set {epoch.number} begins with {epoch.first}."
    if epoch.number == 1 and anchors.after is not None and anchors.after + 1 != epoch.first:
        yield f"The dice proof thread commits to dice set 1 after entry {anchors.after}, and the file begins it with {epoch.first}."
    if epoch.last is None and epoch.number not in anchors.closed and epoch.number < max(anchors.closed, default=0):
        yield f"The file is from before dice set {epoch.number} was closed. Ask for a new one."
    if behind is not None and behind.first and epoch.last is not None and behind.first != epoch.last + 1:
        yield f"The dice proof thread begins dice set {epoch.number + 1} with entry {behind.first}, and dice set {epoch.number} ends with {epoch.last}."


def _seed_faults(document: VerificationFile, closed: _Closing) -> Iterator[str]:
    revealed = [grow_from_nodes([node]) for node in closed.revealed]
    for item in document.entries:
        slot, seed = item.number - document.epoch.first, bytes.fromhex(item.seed or "")
        if seed and any(seeds.get(slot, seed) != seed for seeds in revealed):
            yield f"Entry {item.number}: the dice proof thread reveals another seed."


def _withheld_faults(document: VerificationFile, closed: _Closing) -> Iterator[str]:
    revealed = grow_from_nodes(closed.revealed)
    for item in document.entries:
        if item.number - document.epoch.first in revealed:
            if item.header is None:
                yield f"Entry {item.number}: the dice proof thread reveals its seed, so it's public, but it isn't in the file."
            elif withholds(item):
                yield f"Entry {item.number}: the dice proof thread reveals its seed, so its dice are public, but they aren't in the file."


def _describe_checked(document: VerificationFile) -> Iterator[str]:
    first, last = document.entries[0].number, document.entries[-1].number
    hidden = sum(item.header is None for item in document.entries)
    yield f"Entries {first} to {last} are all there, and each is chained to the one before."
    if hidden:
        yield f"Entries hidden from you: {hidden}. The file has only their hashes."
    if any(item.seed is not None for item in document.entries):
        yield f"The seeds of dice set {document.epoch.number} match its commitment."


def _list_missing(document: VerificationFile, anchors: Anchors | None) -> Iterator[str]:
    number = document.epoch.number
    if anchors is not None and number in anchors.closed and number not in anchors.commitments:
        yield f"The earlier message with the line “next {number}” is missing: only it shows that the seeds were chosen before."


def _root(item: EntryRecord, slot: int) -> str | None:
    if not 0 <= slot < SLOTS or len(item.proof) != SEED_DEPTH:
        return None
    return follow_merkle_proof(bytes.fromhex(item.seed or ""), slot, item.proof)
