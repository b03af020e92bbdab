"""`/ledger` finds entries with all that's given, and nothing unread."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from bot.cogs.campaign.settings import CampaignSettings
from bot.cogs.ledger import searching
from bot.cogs.roster.service import AddProfile
from bot.cogs.weather.rollover import roll_next
from bot.core import search_index
from bot.core.campaigns import current_update
from bot.core.draws import SystemDice
from bot.core.entries import Span
from bot.core.entry_search import EntrySearch
from bot.core.errors import BadInput, NotAllowed
from bot.core.ledger import EntryKinds
from bot.core.records import Entry
from bot.core.schema import entry_text, search
from bot.core.search_index import SearchIndex, list_words, refill_index
from bot.rolls.request import TypedAdjustment
from tests.cogs.ledger.searched import find_numbers
from tests.support.backend import GM, GM_ROLE, PLAYER, PLAYER_ROLE, RESULTS, STAFF, STRANGER, House, patrol

OTHER_GM = replace(GM, user_id=GM.user_id + 20)


async def roll_mixed(house: House, **more: Any) -> int:  # noqa: ANN401 - fields of the request
    """Roll a patrol with a public catch and a private miss; return its number."""
    asked = replace(patrol("Gouf", "Zaku"), **more)
    number = (await house.roll(asked, 3, 19)).entry.number
    assert (await house.entries())[number - 1].audience == "mixed"
    return number


def erase_texts(tx: sa.Connection, house: House, number: int) -> None:
    """Erase the texts of an entry."""
    tx.execute(entry_text.update().where(entry_text.c.number == number).values(salt=None, text=None))
    SearchIndex(house.kernel.kinds).renew(tx, house.campaign.id, [number])
    begin = True
    while search_index.merge_index(tx, begin=begin):
        begin = False


def lose_words(tx: sa.Connection, house: House) -> None:
    """Remove the words of four entries, as older versions left them."""
    tx.execute(search.delete())
    search_index.set_backlog(tx, house.campaign.id, 4)


async def page_of(house: House, wanted: EntrySearch, span: Span) -> searching.SearchPage:
    """Return a player's page within a span."""
    return await house.database.read(searching.find, PLAYER, house.campaign, wanted, span)


def pages_of_index(tx: sa.Connection) -> bytes:
    """Return all that SQLite's index keeps."""
    return b"".join(tx.execute(sa.text("select block from search_words_data")).scalars())


def _secure_delete(tx: sa.Connection) -> object:
    return tx.scalar(sa.text("PRAGMA secure_delete"))


async def test_all_that_is_given_is_to_be_there(house: House) -> None:
    """Each option finds the roll, and all together; a wrong one finds nothing."""
    house.dice.roll = SystemDice().roll  # type: ignore[method-assign]
    await house.database.write(roll_next, house.resolver, house.campaign, GM.user_id)
    asked = replace(patrol("Zaku", by="Kilo"), region="Madagascar", week=1, note="Übungsflug am Morgen")
    number = (await house.roll_as_they_fall(asked)).entry.number
    await house.roll_as_they_fall(patrol("Dom", by="Lima"))
    fit: dict[str, Any] = {
        "text": "ubungsflug",
        "family": "patrol",
        "person": GM.user_id,
        "unit": "Zaku",
        "region": "madagascar",
        "week": 1,
    }
    for name, value in fit.items():
        assert number in await find_numbers(house, **{name: value}), name
    (listed,) = [item for item in await house.entries() if item.number == number]
    outcome = listed.content()["parts"][0]["outcome"]["text"]
    assert await find_numbers(house, **fit, outcome=outcome, update=1) == [number]
    for name, value in {
        "text": "abend",
        "family": "void",
        "unit": "Dom",
        "region": "Luna",
        "week": 4,
        "outcome": "x",
    }.items():
        assert await find_numbers(house, **{**fit, name: value}) == [], name
    assert await find_numbers(house, person=PLAYER.user_id) == []


NOTES = ("two frigates", "a frigate", "12 batteries", "123 torches")


async def test_a_word_is_found_by_its_beginning_and_its_plural(house: House) -> None:
    """'frigate' finds 'frigates' and the other way round."""
    made = {
        note: (await house.roll(replace(patrol("Guntank", by=name), note=note), 20)).entry.number
        for name, note in zip(("Dom", "Gouf", "Zaku", "Acguy"), NOTES, strict=True)
    }
    frigates = [made["a frigate"], made["two frigates"]]
    for text, hits in {
        "frigate": frigates,
        "Frigates": frigates,
        "frig": frigates,
        "igate": [],
        "battery": [made["12 batteries"]],
        "batteries": [made["12 batteries"]],
        "torch": [made["123 torches"]],
        "12": [made["12 batteries"]],
        "famil": [],
        "outcomes": [],
    }.items():
        assert await find_numbers(house, text=text) == await find_numbers(house, PLAYER, text=text) == hits, text


async def test_nothing_and_nobody_is_refused(house: House) -> None:
    """Searches without a word say so; a stranger finds nothing."""
    for wanted, why in (
        (EntrySearch(text="?!"), "That text has no words"),
        (EntrySearch(update=2), "hasn't begun"),
    ):
        with pytest.raises(BadInput, match=why):
            await house.database.read(searching.find, GM, house.campaign, wanted, Span())
    with pytest.raises(NotAllowed, match="Only players of Iron Sea"):
        await find_numbers(house, STRANGER, text="patrol")


async def test_the_hidden_part_of_a_roll_is_found_once_published(house: House) -> None:
    """Until then only the staff finds it by its words."""
    number = await roll_mixed(house)
    made = (await house.entries())[number - 1]
    missed, caught = (part["outcome"]["text"] for part in made.content()["parts"])
    for wanted in ({"text": "zaku"}, {"unit": "Zaku"}, {"outcome": caught}, {"family": "patrol"}):
        assert await find_numbers(house, PLAYER, **wanted) == await find_numbers(house, **wanted) == [number], wanted
    for wanted in ({"text": "gouf"}, {"unit": "Gouf"}, {"outcome": missed}, {"text": "zaku gouf"}):
        assert await find_numbers(house, PLAYER, **wanted) == [], wanted
        assert await find_numbers(house, **wanted) == [number], wanted
    secret = (await house.patrol("Dom", by="Lima", faces=(3,))).entry.number
    assert await find_numbers(house, PLAYER, text="dom") == []
    for published in (number, secret):
        await house.publish(published)
    assert number in await find_numbers(house, PLAYER, unit="Gouf")
    assert secret in await find_numbers(house, PLAYER, text="dom")


async def test_what_is_for_one_is_found_by_that_one(house: House) -> None:
    """Neither players nor other game masters find it."""
    number = (await house.roll(replace(patrol("Zaku"), to="me"), 3)).entry.number
    for who, hits in ((GM, [number]), (OTHER_GM, []), (PLAYER, [])):
        assert await find_numbers(house, who, text="zaku") == hits
        assert await find_numbers(house, who, unit="Zaku") == hits
        assert (number in await find_numbers(house, who, person=GM.user_id)) == bool(hits)


async def test_secret_units_are_nobody(house: House) -> None:
    """A secret unit and an unknown name both find nothing."""
    await house.act(AddProfile(name="Shadow", what="squad", secret=True))
    await house.patrol("Shadow", "Slip", by="Lima", faces=(3, 3))
    for name in ("Shadow", "Slip", "Nobody"):
        assert await find_numbers(house, PLAYER, unit=name) == []
        assert await find_numbers(house, PLAYER, text=name) == []
    assert [len(await find_numbers(house, unit=name)) for name in ("Shadow", "Slip", "Nobody")] == [2, 1, 0]


async def test_a_private_reason_is_found_by_the_staff_alone(house: House) -> None:
    """It isn't a word of the public roll."""
    private = TypedAdjustment(value=2, reason="Sandstorm", private=True)
    asked = replace(patrol("Zaku"), to="results")
    parts = tuple(replace(part, adjustments=(private,)) for part in asked.parts)
    number = (await house.roll(replace(asked, parts=parts), 19)).entry.number
    assert await find_numbers(house, PLAYER, text="zaku") == [number]
    assert await find_numbers(house, PLAYER, text="sandstorm") == []
    assert await find_numbers(house, text="sandstorm") == [number]


async def test_what_was_erased_is_not_found(house: House) -> None:
    """Its words are gone from the index, also on disk."""
    asked = replace(patrol("Zaku"), note="Heliotrope", to="results")
    number = (await house.roll(asked, 19)).entry.number
    assert await find_numbers(house, PLAYER, text="heliotrope") == [number]

    await house.database.write(erase_texts, house, number)
    assert await find_numbers(house, text="heliotrope") == []
    assert await find_numbers(house, PLAYER, text="zaku") == [number]
    if house.database.engine.dialect.name == "sqlite":
        assert b"heliotrop" not in await house.database.read(pages_of_index)


@pytest.mark.slow  # in the fast tier: the small index above
async def test_a_large_index_forgets_little_by_little(house: House) -> None:
    """Several short transactions remove a word, and nothing else."""
    words = {
        number: f"heliotrope {' '.join(f'w{number * place:x}' for place in range(40))}" for number in range(1, 5000)
    }
    await house.database.write(search_index.put_words, house.campaign.id, words)
    without = {number: text.removeprefix("heliotrope ") for number, text in words.items()}
    await house.database.write(search_index.put_words, house.campaign.id, without)
    steps, begin = 0, True
    while await house.database.write(search_index.merge_index, begin=begin):
        steps, begin = steps + 1, False
    if house.database.engine.dialect.name == "sqlite":
        assert steps > 3
        assert b"eliotrop" not in await house.database.read(pages_of_index)
        assert await house.database.read(_secure_delete) == 1
    assert await house.database.read(search_index.find_words, house.campaign.id, without) == without


@pytest.mark.slow
async def test_pages_lead_there_and_back(house: House) -> None:
    """Ten at a time, each once; private entries don't change players' pages."""
    public: list[int] = []
    wanted = EntrySearch(text="zaku")
    for place in range(25):
        asked = replace(patrol(f"Zaku {place}", by=f"Kilo {place}"), to="results")
        public.insert(0, (await house.roll(asked, 19)).entry.number)
        await house.roll(replace(patrol(f"Zaku {place}", by=f"Lima {place}"), to="staff"), 19)

    await find_numbers(house, text="zaku")
    page = partial(page_of, house, wanted)
    pages = [await page(Span())]
    while pages[-1].older is not None:
        pages.append(await page(Span(below=pages[-1].older)))
    seen = [[item.shown.entry.number for item in page.entries] for page in pages]
    assert seen == [public[:10], public[10:20], public[20:]]
    assert [page.newer is None for page in pages] == [True, False, False]
    back = await page(Span(above=pages[-1].newer or 0, oldest=True))
    assert [item.shown.entry.number for item in back.entries] == public[10:20]
    first = await page(Span(above=back.newer or 0, oldest=True))
    assert [item.shown.entry.number for item in first.entries] == public[:10]
    assert (first.newer, first.older) == (None, public[9])


async def test_an_update_is_what_lies_between_its_closings(house: House) -> None:
    """Each entry has one update; words narrow it."""
    for place in range(3):
        await house.patrol("Zaku", by=f"Kilo {place}", faces=(19,))
        if place < 2:
            await house.close_update()
    update = await house.database.read(current_update, house.campaign.id)
    assert update["number"] == 3
    each = [await find_numbers(house, update=number) for number in (1, 2, 3)]
    assert sorted(number for page in each for number in page) == [item.number for item in await house.entries()]
    assert [await find_numbers(house, update=number, text="zaku") for number in (1, 2, 3)] == [[2], [4], [6]]


async def test_the_past_is_read_in_bit_by_bit_and_anew(house: House) -> None:
    """Newest first; a rebuild mends changed words."""
    for place in range(3):
        await house.patrol("Zaku", by=f"Kilo {place}", faces=(19,))

    await house.database.write(lose_words, house)
    page = await house.database.read(searching.find, GM, house.campaign, EntrySearch(text="zaku"), Span())
    assert (page.entries, page.upto) == ([], 4)
    assert await house.database.write(SearchIndex(house.kernel.kinds).fill, house.campaign.id) == 4
    assert await find_numbers(house, text="zaku") == [4, 3, 2]
    assert await house.database.read(search_index.find_backlog) is None

    await house.tamper(search.update().values(words="nonsense"))
    assert await find_numbers(house, text="zaku") == []
    await refill_index(house.database, house.kernel.kinds, [house.campaign.id])
    assert await find_numbers(house, text="zaku") == [4, 3, 2]


async def test_a_campaign_that_cannot_be_read_in_keeps_back_no_other(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The failure is logged, and others are indexed."""
    second = await house.create(
        CampaignSettings("Cold Front", "campaign", "Europe/Berlin", RESULTS + 9, STAFF + 9, GM_ROLE, None)
    )
    await house.database.write(lose_words, house)
    await house.database.write(search_index.set_backlog, second.id, 1)

    def damaged(kinds: EntryKinds, made: Entry) -> str:
        if "Cold Front" not in made.body:
            raise ValueError("damaged")
        return list_words(kinds, made)

    monkeypatch.setattr("bot.core.search_index.list_words", damaged)
    client: Any = SimpleNamespace(database=house.database, kinds=house.kernel.kinds)
    await searching.index_entries(client)
    assert await house.database.read(search_index.find_backlog) == house.campaign.id
    assert await house.database.read(search_index.find_backlog, house.campaign.id) is None
    assert {record.msg for record in caplog.records if record.levelname == "ERROR"} == {"search.bug"}
    caplog.clear()


async def test_words_of_marks_are_typed_in_vain(house: House) -> None:
    """Index terms and database signs can't be typed."""
    number = (await house.patrol("Zaku", faces=(19,))).entry.number
    assert await find_numbers(house, family="patrol") == [number]
    for typed in (
        "family=patrol",
        "to=staff",
        "public : zaku",
        "zaku OR dom",
        "zaku*",
        '"zaku',
        "zaku' | 'dom",
        "NOT dom",
    ):
        hits = await find_numbers(house, text=typed)
        assert hits == [] or typed in {"zaku*", '"zaku'}, typed


async def test_of_two_campaigns_each_has_its_own(house: House) -> None:
    """One campaign's search doesn't find the other's."""
    await house.patrol("Zaku", faces=(19,))
    other = await house.create(
        CampaignSettings("Other", "campaign", "UTC", RESULTS + 10, STAFF + 10, GM_ROLE, PLAYER_ROLE)
    )
    page = await house.database.read(searching.find, GM, other, EntrySearch(text="zaku"), Span())
    assert page.entries == []
