"""Total War: sealed orders on a map, battles on boards."""

from bot.cogs.war import boards, cog, maps, posts, rulings, scenarios, taps, wars
from bot.kernel import EntryPicture, Feature
from bot.orders.digest import DIGEST_ENTRY
from bot.rolls.extension import RollExtension

FEATURE = Feature(
    book=wars.BOOK,
    commands=(cog.WarCog(), cog.BattleCog(), cog.GmWarCog()),
    components=(*scenarios.COMPONENTS, *maps.COMPONENTS, *boards.COMPONENTS, *taps.COMPONENTS),
    entry_kinds=(wars.WAR_ENTRY,),
    pictures=(
        EntryPicture(DIGEST_ENTRY, maps.draw_posted_map, maps.newest_map),
        EntryPicture(wars.WAR_ENTRY, maps.draw_posted_map),
    ),
    beside_order=maps.beside_order,
    todo=maps.list_todo,
    after_roll=boards.list_receipt_extras,
    rolls=(
        RollExtension(
            book=wars.BOOK,
            extra=(posts.follow_factions, wars.keep_begun),
            messages=(posts.add_battle_posts,),
            calls=(wars.call_commanders,),
            follows=(posts.post_to_factions, posts.notify_staff),
            unsaid=(posts.strike_through, posts.notify_staff_of_void),
            next_steps=(boards.next_steps,),
        ),
        RollExtension(kinds=(wars.WAR_ENTRY.name,), unsaid=(posts.notify_staff_of_void,)),
    ),
    hanging=(rulings.list_dependents,),
    voidable=(rulings.require_sound,),
    questions=(wars.open_battles,),
)
