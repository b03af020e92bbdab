"""Checks of rolls: the verifier's page, and the files that it reads."""

import re
from functools import cache

from bot.core import epochs, errors
from bot.rolls.fairness import checks, disclosure
from bot.rolls.fairness.disclosure import has_public_dice
from bot.web.addresses import SiteAddress
from bot.web.reading import MissingPage, SitePage, SiteReader

_POLICY = re.compile(r'Content-Security-Policy" content="([^"]+)"')
ABOUT = """Messages of the dice proof thread, as the game's own server has them.
Compare them with the thread in Discord.
"""


def show_check(site: SiteReader, address: SiteAddress) -> SitePage:
    """Serve the verifier's page for an entry."""
    _require_dice(site, address.number)
    text, policy = _read_verifier()
    return SitePage("Check a roll", text=text, policy=f"{policy}; frame-ancestors 'none'")


def _require_dice(site: SiteReader, number: int) -> None:
    entry = site.get_entry(number)
    if entry is None or not has_public_dice(entry):
        raise MissingPage


@cache
def _read_verifier() -> tuple[str, str]:
    text = checks.find_verifier().read_text("utf-8")
    found = _POLICY.search(text)
    return text, found[1] if found else ""


def show_file(site: SiteReader, address: SiteAddress) -> SitePage:
    """Serve an entry's verification file, as `/verify` does."""
    _require_dice(site, address.number)
    try:
        made = disclosure.document_of(site.tx, site.viewer.person, site.campaign, address.number)
    except errors.UserError as error:
        raise MissingPage from error
    return SitePage("File", text=disclosure.document_bytes(made).decode(), content_type="application/json")


def show_proof(site: SiteReader, address: SiteAddress) -> SitePage:
    """Serve the thread's messages for an entry."""
    _require_dice(site, address.number)
    epoch = epochs.epoch_of_entry(site.tx, site.campaign.id, address.number)
    if epoch is None:
        raise MissingPage
    pages = disclosure.draw_thread(site.tx, site.campaign, epoch.number)
    thread = disclosure.find_thread(site.tx, site.campaign)
    texts = [ABOUT, *([f"{thread}\n"] if thread else []), *(f"{page.description}\n" for page in pages)]
    return SitePage("Proof", text="\n".join(texts), content_type="text/plain")
