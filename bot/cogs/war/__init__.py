"""Total War: sealed orders on a map, battles on boards."""

from bot.cogs.war import boards, maps, scenarios
from bot.cogs.war.cog import BattleCog, WarCog
from bot.cogs.war.factions import follow_factions, notify_staff, notify_staff_of_void
from bot.cogs.war.posts import add_battle_posts, keep_begun, keep_turn_end, post_to_factions, strike_through
from bot.cogs.war.rulings import list_dependents, require_sound
from bot.cogs.war.todo import list_todo, open_battles
from bot.cogs.war.wars import BOOK, WAR_ENTRY, WarHeader
from bot.kernel import EntryPicture, Feature
from bot.orders.digest import DIGEST_ENTRY
from bot.rolls.extension import RollExtension
from rules.books.total_war.order_kinds import ADVANCE

FEATURE = Feature(
    book=BOOK,
    commands=(WarCog(), BattleCog()),
    components=(*scenarios.COMPONENTS, *maps.COMPONENTS, *boards.COMPONENTS),
    modals=boards.MODALS,
    entry_kinds=(WAR_ENTRY,),
    pictures=(
        EntryPicture(DIGEST_ENTRY, maps.draw_posted_map, maps.newest_map),
        EntryPicture(WAR_ENTRY, maps.draw_posted_map),
    ),
    beside_order=maps.beside_order,
    todo=list_todo,
    after_roll=boards.list_receipt_extras,
    rolls=(
        RollExtension(
            book=BOOK,
            extra=(follow_factions, keep_begun),
            messages=(add_battle_posts,),
            follows=(post_to_factions, notify_staff),
            unsaid=(strike_through, notify_staff_of_void),
            next_steps=(boards.next_steps,),
        ),
        RollExtension(book=BOOK, families=(ADVANCE,), extra=(keep_turn_end,)),
        RollExtension(kinds=(WAR_ENTRY.name,), unsaid=(notify_staff_of_void,)),
    ),
    scenes=(WarHeader.kind,),
    hanging=(list_dependents,),
    voidable=(require_sound,),
    questions=(open_battles,),
)
