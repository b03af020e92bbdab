"""What a game master sees of a roll that players may not."""

from __future__ import annotations

from bot.core.campaigns import PLACES
from bot.core.subjects import everybody
from bot.rolls.preview import Preview


def knows_secrets(preview: Preview) -> bool:
    """Tell whether a game master's preview may show what players do not know: of what is kept, of somebody secret, or as a fact."""
    facts = preview.book.facts
    somebody = preview.procedure.method.keeps and any(item.secret for item in everybody(preview.cast).values())
    return (
        bool(somebody)
        or any(preview.hidden)
        or any(
            known.secret or (fact in facts and facts[fact].secret)
            for part in preview.parts
            for fact, known in (*part.part.facts.items(), *part.part.lacking.items())
        )
    )


def hides_place(preview: Preview) -> bool:
    """Tell whether players may be unable to see where it happens."""
    return (
        preview.request.at_home
        and any(sky.region for sky in preview.skies)
        and PLACES not in preview.campaign.players_may
    )
