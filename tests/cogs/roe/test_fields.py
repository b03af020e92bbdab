"""Fighters' fields are checked when they are typed."""

from __future__ import annotations

import pytest

from tests.cogs.roe.fights.ring import KAI, Ring
from tests.cogs.roster.test_import import export_text, import_file, send_file
from tests.support.acting import removed
from tests.support.reading import refused, response, said, text
from tests.support.world import nothing_written

WRONG = [
    ("weapons: M_a_Rifel", "I don't know the weapon token 'M_a_Rifel'. Did you mean 'M\\_a\\_Rifle"),
    ("weapons: Rifle = spoon", "I don't know the weapon token 'spoon'. Write it as printed"),
    ("weapons: M_a_Rifle + Scope accuracy 5 + Silencer + Barrel damage 2", "at most 2 attachments"),
    ("weapons: M_a_Rifle + Scope accuracy 5 + scope accuracy 3", "can't have two attachments"),
    ("weapons: S_s_Blade, M_a_Rifle + Scope acuracy 5", "'Scope acuracy 5' adds nothing. Did you mean accuracy"),
    ("weapons: M_a_Rifle + Barrel damage 500", "'Barrel damage 500' adds nothing. Did you mean damage, with a number"),
    ("option: Simply Speed", "Did you mean Simply Speedy?"),
    ("size: huge", "Pick one: small, medium, large."),
    ("hp: 0", "write a whole number from 1 to 1000"),
    ("dodge: 100", "write a whole number from -99 to 99"),
    ("pet: Rex", "I don't know the saved unit 'Rex'."),
    ("cybernetics: Eye, Arm, Leg, Ear", "The character has slots for 3 cybernetics and 3 implants."),
    ("implants: Jack, Chip, Gland, Valve", "The character has slots for 3 cybernetics and 3 implants."),
    ("magika items: Fire, Ice, Wind, Stone", "The character has 3 magika slots, not 4."),
    ("option: Neural Net; cybernetics: Eye, Arm, Leg, Ear; implants: A, B, C, D", "and 1 more of either."),
    ("option: Neural Net; magika items: Fire, Ice, Wind, Stone", "The character has 3 magika slots, not 4."),
]


async def test_a_character_is_saved_with_what_the_book_knows(ring: Ring) -> None:
    """Wrong values are refused with the nearest one, as are more than three slots of a kind (C03.6)."""
    orders = ring.world.orders
    with nothing_written(ring.world):
        for fields, words in WRONG:
            columns, cells = zip(*(part.split(": ", 1) for part in fields.split("; ")), strict=True)
            head, row = ",".join(name.replace(" ", "-") for name in columns), ",".join(f'"{cell}"' for cell in cells)
            for told in (
                refused(await send_file(ring.world, f"name,kind,{head}\nHaas,pc,{row}\n")),
                refused(await ring.gm.slash(orders, "roster edit", name=KAI, fields=fields)),
                refused(await ring.gm.slash(orders, "roster add", kind="pc", name="Haas", fields=fields)),
            ):
                assert words.replace("\\", "") in told.replace("\\", ""), told
        for fields, words in WRONG_UNITS:
            assert words in refused(await ring.gm.slash(orders, "roster add", name="Rex", kind="ship", fields=fields))


WRONG_UNITS = [
    ("vehicle: tanc", "Did you mean tank?"),
    ("vehicle: tank; weapons: H_a_Cannon", "I don't know the weapon token"),
    ("pet level: 4", "from 1 to 3"),
    ("pet level: 2; pet type: robotics", "Did you mean robotic?"),
]
"""Wrong fields of vehicles and pets."""


async def test_a_pet_that_is_saved_can_be_named(ring: Ring) -> None:
    """An earlier value stays, also without the unit."""
    orders = ring.world.orders
    await ring.gm.slash(orders, "roster add", name="Rex", kind="ship", fields="pet level: 2")
    assert "Rex" in said(await ring.gm.slash(orders, "roster edit", name=KAI, fields="pet: Rex"))
    await removed(ring.world, name="Rex")
    assert "Rex" in said(await ring.gm.slash(orders, "roster edit", name=KAI, fields="dodge: 5"))
    assert "I don't know the saved unit" in refused(
        await ring.gm.slash(orders, "roster edit", name="Char", fields="pet: Rex")
    )
    file = (await export_text(ring.world)).replace(",5,", ",6,")
    assert "Kai: dodge" in text(response(await send_file(ring.world, file, replace=True)))


async def test_a_file_of_fighters_is_imported(ring: Ring) -> None:
    """The book's checks don't count as changes."""
    assert "Imported" in await import_file(ring.world, "name,kind,hp,weapons\nHaas,pc,30,M_a_Rifle\n")


@pytest.mark.slow
async def test_options_bring_slots(ring: Ring) -> None:
    """C04.10, C04.17: an option brings a fourth slot, and stays while it's used; copies count once (C03.2)."""
    orders = ring.world.orders
    four = "cybernetics: Eye, Arm, Leg, Ear"
    assert "Ear" in said(await ring.gm.slash(orders, "roster edit", name=KAI, fields=f"option: Neural Net; {four}"))
    what = refused(await ring.gm.slash(orders, "roster edit", name=KAI, fields="option: Venus Born"))
    assert "The character has slots for 3 cybernetics" in what
    stones = "option: Venus Born; cybernetics: none; magika items: Fire, Ice, Wind, Stone"
    assert "Stone" in said(await ring.gm.slash(orders, "roster edit", name=KAI, fields=stones))
    await ring.gm.slash(orders, "roster add", name="Eye", kind="thing", fields="perception: 7")
    await ring.gm.slash(orders, "roster edit", name=KAI, fields="cybernetics: Eye; implants: Eye")
    ring.world.dice.script_dice((100, 44))
    rolled = said(await ring.gm.slash(orders, "roe check", skill="perception", character=KAI, roll="now"))
    assert "Perception: Success (by 1)" in rolled
