"""A campaign's state: named values per subject, the sum of the ledger's changes."""

import sys
from collections.abc import Collection, Iterator
from operator import itemgetter

import sqlalchemy as sa
from sqlalchemy import Connection

from bot.core import transactions
from bot.core.records import Change, Json
from bot.core.schema import state, subject
from rules.subjects import NAME, name_key, number_of, subject_key, subject_number

State = dict[tuple[str, str], Json]

CAMPAIGN_STATE = "campaign"
WEATHER = "weather"
"""The subject of all weather; as a name of the campaign, which weeks exist."""
UPKEEP = "upkeep."
"""How names of the campaign begin that say which upkeep was carried out."""
AUDIENCE, VOIDED, PUBLISHED = "audience", "voided", "published"
"""Names of an entry's values: who reads it now, what undid or published it."""
PUBLISH_AT = "publish_at"
"""Name of an entry's value: when it becomes public."""
AMENDED = "amended"
"""In a void mark: the entry that voids it replaces it."""

_MINE = state.c.campaign_id == sa.bindparam("campaign")
_AMONG = state.c.subject.in_(sa.bindparam("subjects", expanding=True))
_OF = (state.c.subject, state.c.name)
"""Order of rows, by an index: the same on both databases."""
_VALUES = sa.select(*_OF, state.c.value).where(_MINE, _AMONG).order_by(*_OF)
_NAMED = _VALUES.where(state.c.name.in_(sa.bindparam("names", expanding=True)))
_ANYWHERE = sa.select(*_OF, state.c.value).where(_MINE, state.c.name.in_(sa.bindparam("anywhere", expanding=True)))
_ANYWHERE = _ANYWHERE.order_by(*reversed(_OF))
_BEGIN = (state.c.name >= sa.bindparam("prefix"), state.c.name < sa.bindparam("end"))
_BEGINNING = _VALUES.where(*_BEGIN)
_BUT = _VALUES.where(sa.not_(sa.and_(*_BEGIN)) | state.c.name.in_(sa.bindparam("names", expanding=True)))
_BUT_AND_ANYWHERE = sa.union_all(_BUT.order_by(None), _ANYWHERE.order_by(None))
_NAMING = sa.select(*_OF, state.c.value).where(_MINE, *_BEGIN).order_by(*reversed(_OF))
_BOUND = state.c.value["update"].as_integer()
_IN_FORCE = _NAMING.where(sa.or_(_BOUND.is_(None), sa.bindparam("update") == _BOUND))
_OF_NAME = (
    sa.select(state.c.subject, state.c.value)
    .where(_MINE, state.c.name == sa.bindparam("named"))
    .order_by(state.c.subject)
)
_KEY = (_MINE, state.c.subject == sa.bindparam("of"), state.c.name == sa.bindparam("named"))
_ONE = sa.select(state.c.value).where(*_KEY)
_DELETE = state.delete().where(*_KEY)
_SUBJECTS = subject.c.campaign_id == sa.bindparam("campaign")
# As text, which both databases accept: importing their dialects' insert builders costs each start 0.05 s.
_PUT = sa.text(
    """
    INSERT INTO state (campaign_id, subject, name, value) VALUES (:campaign, :of, :named, :value)
    ON CONFLICT (campaign_id, subject, name) DO UPDATE SET value = excluded.value
    """
).bindparams(sa.bindparam("value", type_=state.c.value.type))
_CALL = sa.text(
    """
    INSERT INTO subject (campaign_id, id, name, name_key) VALUES (:campaign, :number, :name, :key)
    ON CONFLICT (campaign_id, id) DO UPDATE SET name = excluded.name, name_key = excluded.name_key
    """
)
_FORGET = subject.delete().where(_SUBJECTS, subject.c.id == sa.bindparam("number"))
_BATCH = 1000


def get_value(tx: Connection, campaign_id: int, subject: str, name: str) -> Json:
    """Return one value, None if not set."""
    whole = transactions.find_rows(tx, _VALUES, {"campaign": campaign_id, "subjects": [subject]})
    if whole is not None:
        return next((row.value for row in whole if row.name == name), None)
    found = transactions.read_rows(tx, _ONE, {"campaign": campaign_id, "of": subject, "named": name})
    return found[0].value if found else None


def get_values_named(tx: Connection, campaign_id: int, subjects: Collection[str], names: Collection[str]) -> State:
    """Return these subjects' values of these names."""
    asked = {"campaign": campaign_id, "subjects": list(subjects)}
    whole = transactions.find_rows(tx, _VALUES, asked)
    rows = transactions.read_rows(tx, _NAMED, {**asked, "names": list(names)}) if whole is None else whole
    return {(subject, name): value for subject, name, value in rows if name in names}


def find_values_named(tx: Connection, campaign_id: int, names: Collection[str]) -> State:
    """Return all subjects' values of these names."""
    key = {"campaign": campaign_id, "anywhere": list(names)}
    rows = transactions.read_rows(tx, _ANYWHERE, key) if names else ()
    return {(subject, name): value for subject, name, value in rows}


def get_values(tx: Connection, campaign_id: int, subjects: Collection[str]) -> State:
    """Return all values of these subjects."""
    rows = transactions.read_rows(tx, _VALUES, {"campaign": campaign_id, "subjects": list(subjects)})
    return {(subject, name): value for subject, name, value in rows}


def get_all_but(  # noqa: PLR0913, PLR0917 - which subjects and names
    tx: Connection,
    campaign_id: int,
    subjects: Collection[str],
    prefix: str,
    names: Collection[str],
    anywhere: Collection[str],
) -> State:
    """Return these subjects' values (names with this prefix: only `names`), and all subjects' of `anywhere`."""
    lists = {"subjects": list(subjects), "names": list(names), "anywhere": list(anywhere)}
    rows = transactions.read_rows(tx, _BUT_AND_ANYWHERE, {"campaign": campaign_id, **lists, **_range(prefix)})
    return {(subject, name): value for subject, name, value in sorted(rows, key=itemgetter(0, 1))}


def get_values_beginning(tx: Connection, campaign_id: int, subjects: Collection[str], prefix: str) -> State:
    """Return these subjects' values whose names begin with a prefix."""
    parameters = {"campaign": campaign_id, "subjects": list(subjects), **_range(prefix)}
    return {(subject, name): value for subject, name, value in transactions.read_rows(tx, _BEGINNING, parameters)}


def find_values_beginning(tx: Connection, campaign_id: int, prefix: str) -> State:
    """Return all subjects' values whose names begin with a prefix."""
    parameters = {"campaign": campaign_id, **_range(prefix)}
    return {(subject, name): value for subject, name, value in transactions.read_rows(tx, _NAMING, parameters)}


def find_in_force(tx: Connection, campaign_id: int, prefix: str, update: int) -> State:
    """Return values whose names begin with a prefix, and which last for this update (number) or any."""
    parameters = {"campaign": campaign_id, **_range(prefix), "update": update}
    return {(subject, name): value for subject, name, value in transactions.read_rows(tx, _IN_FORCE, parameters)}


def find_values_of_name(tx: Connection, campaign_id: int, name: str) -> dict[str, Json]:
    """Return the values of one name by subject."""
    return dict(transactions.read_rows(tx, _OF_NAME, {"campaign": campaign_id, "named": name}))


def get_whole(tx: Connection, campaign_id: int) -> State:
    """Return a campaign's whole state, names included."""
    return dict(each_value(tx, campaign_id))


def each_value(tx: Connection, campaign_id: int) -> Iterator[tuple[tuple[str, str], Json]]:
    """Yield (subject, name) and value of a campaign's whole state; the subjects' names come last."""
    query = sa.select(state.c.subject, state.c.name, state.c.value).where(state.c.campaign_id == campaign_id)
    for subject_name, name, value in tx.execute(query.execution_options(yield_per=_BATCH)):
        yield (subject_name, name), value
    called = sa.select(subject.c.id, subject.c.name).where(subject.c.campaign_id == campaign_id)
    for number, name in tx.execute(called.execution_options(yield_per=_BATCH)):
        yield (subject_key(number), NAME), name


def apply_changes(tx: Connection, campaign_id: int, changes: Collection[Change]) -> None:
    """Apply changes; the last one to a value counts."""
    final = {(item.subject, item.name): item.after for item in changes}
    gone = [key for key, value in final.items() if value is None and not _is_name(key)]
    if gone:
        rows = [{"campaign": campaign_id, "of": subject, "named": name} for subject, name in gone]
        transactions.write(tx, _DELETE, rows)
    set_values(tx, campaign_id, {key: value for key, value in final.items() if value is not None})


def set_values(tx: Connection, campaign_id: int, new: State) -> None:
    """Set values; a value called `NAME` names a subject, and adds it if it's new."""
    values, names = [], []
    for key, value in new.items():
        if _is_name(key):
            called = {"number": number_of(key[0]), "name": value, "key": name_key(value)}
            names.append({"campaign": campaign_id, **called})
        else:
            values.append({"campaign": campaign_id, "of": key[0], "named": key[1], "value": value})
    for statement, rows in ((_PUT, values), (_CALL, names)):
        if rows:
            transactions.write(tx, statement, rows)


def replace_state(tx: Connection, campaign_id: int, whole: State) -> None:
    """Replace the whole state."""
    for statement in (state.delete().where(_MINE), subject.delete().where(_SUBJECTS)):
        transactions.write(tx, statement, {"campaign": campaign_id})
    set_values(tx, campaign_id, whole)


def mend_state(tx: Connection, campaign_id: int, right: State) -> None:
    """Set values and subjects' names; None deletes the value or the subject."""
    apply_changes(tx, campaign_id, [Change(*key, None, value) for key, value in right.items()])
    gone = [number_of(key[0]) for key, value in right.items() if _is_name(key) and value is None]
    if gone:
        transactions.write(tx, _FORGET, [{"campaign": campaign_id, "number": number} for number in gone])


def _range(prefix: str) -> dict[str, str]:
    """Bound a prefix: an index serves this, but not LIKE."""
    return {"prefix": prefix, "end": prefix[:-1] + chr(ord(prefix[-1]) + 1) if prefix else chr(sys.maxunicode)}


def _is_name(key: tuple[str, str]) -> bool:
    return key[1] == NAME and subject_number(key[0]) is not None
