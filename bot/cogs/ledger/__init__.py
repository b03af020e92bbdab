"""The ledger as people read it, and publishing."""

from bot.cogs.ledger import publishing
from bot.cogs.ledger.cog import LedgerCog, amend, void
from bot.cogs.ledger.panel import COMPONENTS
from bot.cogs.ledger.publishing import publish_all_due, require_unchanged, restore_audience
from bot.cogs.ledger.searching import forget_old_searches, index_entries
from bot.cogs.ledger.service import PUBLICATION, PUBLICATION_DATE, TAKEN_BACK, list_todo
from bot.kernel import Feature
from bot.rolls.extension import RollExtension
from bot.rolls.undo_windows import amend_entry, give_reason, take_back
from bot.rolls.undo_windows import amend_with_reason as why_amend

FEATURE = Feature(
    commands=(LedgerCog(), void, amend),
    components=(*COMPONENTS, *publishing.COMPONENTS, take_back, amend_entry),
    modals=(*publishing.MODALS, give_reason, why_amend),
    entry_kinds=(PUBLICATION, PUBLICATION_DATE, TAKEN_BACK),
    todo=list_todo,
    rolls=(RollExtension(kinds=(PUBLICATION.name,), voided=(require_unchanged,), unsaid=(restore_audience,)),),
    chores=(forget_old_searches, publish_all_due, index_entries),
)
