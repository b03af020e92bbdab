"""The buttons under an entry: what publishes it, takes it back, tells all of it, and what follows upon it."""

from __future__ import annotations

from collections.abc import Mapping

from discord import ui

from bot.core.encoding import Json
from bot.outbox.store import Post
from bot.ui.components import IdTemplate, with_buttons
from rules.procedure import Procedure

PUBLISH = IdTemplate("publish:{campaign:int}:{number:int}")
"""The id of the button that shows what of a result becomes public."""

PUBLISH_NOW = IdTemplate("publish:{campaign:int}:{number:int}:now")
"""The id of the button under the preview of a result: it makes the result public."""

PUBLISH_ON_DATE = IdTemplate("publish-on:{campaign:int}:{number:int}")
"""The id of the button that asks on which date a result goes public."""

ANYWAY = "Roll anyway …"
"""What stands on the button under a refusal that takes a game master's reason: it opens the window that asks for one."""

TAKE_BACK = IdTemplate("void:{campaign:int}:{number:int}")
"""The id of the button that takes an entry back."""

AMEND = IdTemplate("amend:{campaign:int}:{number:int}")
"""The id of the button that amends a roll."""

DETAILS = IdTemplate("entry:{campaign:int}:{number:int}")
"""The id of the button that shows an entry as a whole."""


VERIFY = IdTemplate("verify:{campaign:int}:{number:int}")
"""The id of the button that checks the dice of an entry."""


def verify_button(campaign_id: int, number: int) -> ui.Button[ui.LayoutView]:
    """Return the button under a roll that checks its dice, for everybody who may know of it."""
    return ui.Button(label="Verify", custom_id=VERIFY.fill(campaign=campaign_id, number=number))


def details_button(key: str) -> ui.Button[ui.LayoutView]:
    """Return the button that tells the rest of what is shown, by its id."""
    return ui.Button(label="Details", custom_id=key)


NEXT = IdTemplate("next:{campaign:int}:{number:int}")
"""The id of the button under a roll, and of its window: the same actor rolls for somebody else."""


def next_button(campaign_id: int, number: int, role: str) -> ui.Button[ui.LayoutView]:
    """Return the button under a roll that rolls for the next in a role, such as target."""
    return ui.Button(label=f"Next {role}", custom_id=NEXT.fill(campaign=campaign_id, number=number))


def follower(body: Mapping[str, Json], procedure: Procedure) -> str | None:
    """Return who made a roll about others that may make another one for somebody else; None where that is no one, or several."""
    actors = {part["subjects"].get(procedure.actor) for part in body["parts"]}
    pairs = procedure.policy.on_request and procedure.policy.again == "pair" and not procedure.policy.needs
    several = not pairs or len(actors) > 1 or procedure.subject == procedure.actor
    about = all(procedure.subject in part["subjects"] for part in body["parts"])
    return None if several or not about else actors.pop()


def publish_button(campaign_id: int, number: int, label: str = "Publish") -> ui.Button[ui.LayoutView]:
    """Return the button under a result that is not public, for game masters who want it to be."""
    return ui.Button(label=label, custom_id=PUBLISH.fill(campaign=campaign_id, number=number))


def publish_on_date_button(campaign_id: int, number: int) -> ui.Button[ui.LayoutView]:
    """Return the button beside it that lets the result go public by itself, on a date."""
    key = PUBLISH_ON_DATE.fill(campaign=campaign_id, number=number)
    return ui.Button(label="Publish later …", custom_id=key)


def take_back_button(campaign_id: int, number: int, label: str = "Undo") -> ui.Button[ui.LayoutView]:
    """Return the button that takes an entry back, for game masters."""
    return ui.Button(label=label, custom_id=TAKE_BACK.fill(campaign=campaign_id, number=number))


def amend_button(campaign_id: int, number: int) -> ui.Button[ui.LayoutView]:
    """Return the button that opens the card of a roll again to amend it, for game masters."""
    return ui.Button(label="Amend", custom_id=AMEND.fill(campaign=campaign_id, number=number))


def post_buttons(post: Post) -> ui.View | None:
    """Return the buttons under an entry: Publish in the staff channel, and Details under its first message."""
    if post.entry_number is None:
        return None
    ref = (post.campaign_id, post.entry_number)
    publish = [publish_button(*ref)] if post.kind == "staff" else []
    details = [details_button(DETAILS.fill(campaign=ref[0], number=ref[1]))] if post.page == 1 else []
    return with_buttons(*publish, *details) if publish or details else None
