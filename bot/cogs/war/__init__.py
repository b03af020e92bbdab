"""Total War: a war on a map, its orders sealed and its battles fought on boards."""

from __future__ import annotations

from bot.cogs.war import panel
from bot.cogs.war.battle import acts, pressed
from bot.cogs.war.battle.cog import BattleCog
from bot.cogs.war.battle.questions import fought
from bot.cogs.war.battle.threads import announce, note_begun
from bot.cogs.war.beside_orders import beside_order
from bot.cogs.war.cog import WarCog
from bot.cogs.war.entries import WAR_ENTRY
from bot.cogs.war.grouping import regrouped
from bot.cogs.war.hanging import hangs, require_sound
from bot.cogs.war.receipts import tell_all
from bot.cogs.war.todo import turn_to_end
from bot.cogs.war.told_to_factions import note_turned, strike_through, tell_factions
from bot.cogs.war.told_to_staff import tell_staff, tell_staff_again
from bot.cogs.war.told_with_orders import newest_map, posted_map
from bot.cogs.war.wars import BOOK, WarHeader
from bot.kernel import EntryPicture, Feature
from bot.orders.digest import DIGEST_ENTRY
from bot.rolls.extension import RollExtension
from rules.books.total_war.order_kinds import ADVANCE

FEATURE = Feature(
    book=BOOK,
    commands=(WarCog(), BattleCog()),
    components=(*panel.COMPONENTS, *pressed.COMPONENTS),
    modals=acts.MODALS,
    entry_kinds=(WAR_ENTRY,),
    pictures=(EntryPicture(DIGEST_ENTRY, posted_map, newest_map), EntryPicture(WAR_ENTRY, posted_map)),
    beside_order=beside_order,
    todo=turn_to_end,
    after_roll=tell_all,
    rolls=(
        RollExtension(
            book=BOOK,
            extra=(regrouped, note_begun),
            messages=(announce,),
            follows=(tell_factions, tell_staff),
            unsaid=(strike_through, tell_staff_again),
            next_steps=(pressed.next_steps,),
        ),
        RollExtension(book=BOOK, families=(ADVANCE,), extra=(note_turned,)),
        RollExtension(kinds=(WAR_ENTRY.name,), unsaid=(tell_staff_again,)),
    ),
    scenes=(WarHeader.kind,),
    hanging=(hangs,),
    voidable=(require_sound,),
    questions=(fought,),
)
