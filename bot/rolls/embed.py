"""The embeds of a roll, and the pings of people that it concerns.

A public result pings by itself. Otherwise a separate message pings, and names neither the subject nor what happened.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile
from operator import not_

import discord
from sqlalchemy import Connection

from bot.core import campaigns, permissions, profiles, seeds
from bot.core.ledger import Body, EntryView, Publication, View
from bot.core.records import Entry, read_body
from bot.outbox.queue import OutgoingMessage, Pings, PostKind, ping_first
from bot.rolls import entry_body
from bot.rolls.fairness.outside import describe_outside
from bot.ui.receipt import entry_footer
from bot.ui.text import COLOURS, DOT, fit_embeds, fit_lines, has_words, join_words, paginate, plain, plus
from rules.books.campaign.captivity import CAPTIVE, CRACKED, FATE
from rules.dice import BY_HAND, KEPT, SHARED, term_of
from rules.phrases import format_signed
from rules.procedure import Step, Throw
from rules.subjects import number_of
from rules.tables import Consequence, ConsequenceKind, Tone

LONGEST_LINE = 400
PRIVATE_REASON = "adjusted (reason: game masters only)"


def result_pages(shown: EntryView, view: View) -> list[list[discord.Embed]]:
    """Return a roll's messages, each a list of embeds. The staff sees every part whole."""
    body = read_body(shown.entry)
    parts = visible_parts(shown, body, view)
    pages = paginate(embed for part in parts for embed in _part_embeds(shown, body, part, view))
    once = {*filter(None, (_private_first(shown, part) for part in parts)), *_describe_outside_failure(body)}
    for page in pages:
        _say_once(page, once)
    return pages


def _describe_outside_failure(body: Body) -> list[str]:
    return [describe_outside(body[seeds.OUTSIDE])] if body.get(seeds.OUTSIDE, {}).get("lacking") else []


def _say_once(page: Sequence[discord.Embed], once: Collection[str]) -> None:
    # from all footers of a message but the first that has them
    for words in once:
        for embed in [embed for embed in page if words in (embed.footer.text or "").split(DOT)][1:]:
            embed.set_footer(text=(embed.footer.text or "").replace(f"{DOT}{words}", "", 1))


def visible_parts(shown: EntryView, body: Body, view: View) -> list[Body]:
    """Return the parts that this view shows."""
    whole = view == "staff" or shown.published or entry_body.is_makers(body)
    return [part for part in body["parts"] if whole or entry_body.is_shared(part)]


def _part_embeds(shown: EntryView, body: Body, part: Body, view: View) -> list[discord.Embed]:
    tone: Tone = part["outcome"]["tone"] if part["outcome"] else "neutral"
    first = _private_first(shown, part)
    return fit_embeds(
        entry_body.title(body, part, view),
        dropwhile(not_, _list_lines(shown, body, part, view)),
        colour=COLOURS[tone],
        footer=entry_footer(shown, *([first] if first else []), *_describe_outside_failure(body)),
    )


def _list_lines(shown: EntryView, body: Body, part: Body, view: View) -> Iterator[str]:
    entry = shown.entry
    yield from _describe_situation(body, part)
    yield from _describe_rollers(shown, body, part)
    if "amends" in body:
        private = view == "public" and body.get("amends_private") and not entry_body.is_makers(body)
        old = "a private roll, which only game masters see" if private else f"#{body['amends']}, whose dice are kept"
        yield f"-# Amends {old}."
    if part["unrolled"]:
        yield f"{plain(part['unrolled'])}: no dice needed."
    if view == "staff" or not part["secret"]:
        for block in _list_blocks(part["steps"]):
            yield ""
            yield "\n".join(_block_lines(entry, body, block, view))
        if part.get("unused"):
            yield ""
            yield f"**Unused dice:** {dice_line(part['unused'])}"
        yield from _lines_left_out(part, view)
    elif entry_body.is_calculated(part):
        yield "*Dice and modifiers: game masters only.*"
        by_hand = list(_list_by_hand(part))
        yield from [f"**By hand:** {join_words(by_hand)}."] if by_hand else []
    said = entry_body.result_sentence(body, part, mark="")[1]
    follows = [said] if said else []
    follows += [_consequence_text(it, vague=view != "staff" and part["secret"]) for it in part["consequences"]]
    if follows:
        yield ""
        yield f"**What follows:** {'. '.join(follows)}."
    for name, label in _list_texts(shown, body, part, view):
        text = entry.text(name, body)
        if text:
            yield f"**{label}:** {plain(text)}"


def _lines_left_out(part: Body, view: View) -> Iterator[str]:
    taken = part.get("overruled", [])
    labels = [plain(item["label"]) for item in taken if view == "staff" or not item["secret"]]
    labels += ["something hidden"] if len(labels) < len(taken) else []
    if labels:
        yield ""
        yield f"**Left out by hand:** {join_words(labels)}"


def _list_by_hand(part: Body) -> Iterator[str]:
    dice = [roll for step in part["steps"] for roll in step.get("dice", [step])]
    if any(step.get("adjustments") for step in part["steps"]):
        yield "adjusted by a game master"
    if part.get("overruled"):
        yield "a known modifier left out"
    if any(BY_HAND in roll["drawn"] for roll in dice):
        yield "a face typed in"


def _list_texts(shown: EntryView, body: Body, part: Body, view: View) -> Iterator[tuple[str, str]]:
    # The public reads a note only if its readers had the whole roll from the start, and no reason.
    theirs = all(entry_body.is_shared(other) and "published" not in other for other in body["parts"])
    whole = theirs and not part["secret"] and not (permissions.is_group(part["audience"]) and shown.published)
    if view == "staff" or whole:
        yield "note", "Note"
    if view == "staff" or not body.get("amends_private"):
        yield "amended", "Amended because"
    if view == "staff":
        yield "reason", "Rolled again because"


def make_secrets_embed(shown: EntryView, lines: Iterable[str]) -> discord.Embed:
    """Return for the staff what counted in a roll without the player knowing it."""
    text = "\n".join(map(plain, lines))
    embed = discord.Embed(title="Hidden from the player", description=text, colour=COLOURS["neutral"])
    return embed.set_footer(text=entry_footer(shown))


def _describe_situation(body: Body, part: Body) -> Iterator[str]:
    region, about = part.get("region", body["region"]), entry_body.headline(body, part, mark="")
    facts = [choice[:1].upper() + choice[1:] for choice in part["choices"].values()]
    facts += [plain(region)] if region and not has_words(about, plain(region)) else []
    facts += [f"week {body['week']}"] if body.get("week") is not None else []
    if facts:
        yield f"-# {DOT.join(facts)}"


def _describe_rollers(shown: EntryView, body: Body, part: Body) -> Iterator[str]:
    by = {role: f"<@{shown.people[name]}>" for role, name in body.get("by", {}).items() if shown.people.get(name)}
    if by:
        several = [f"{who} for {plain(part['subjects'][role])}" for role, who in by.items() if role in part["subjects"]]
        yield f"-# {entry_body.choose_verb([part])} by {join_words(several if len(by) > 1 else list(by.values()))}"


def _list_blocks(steps: Sequence[Body]) -> Iterator[list[Body]]:
    block: list[Body] = []
    for place, step in enumerate(steps):
        throws = step.get("dice")
        goes_on = throws == [] if throws is not None else _repeats(block, steps[place : place + 2])
        if block and not goes_on:
            yield block
        block = [*block, step] if goes_on else [step]
    yield from [block] if block else []


def _repeats(block: Sequence[Body], pair: Sequence[Body]) -> bool:
    if len(block) % 2:
        return not any("dice" in step for step in block) and _opposes(block[-1], pair[0])
    alike = [_key_of(step) for step in block[:2]] == [_key_of(step) for step in pair]
    return bool(block) and alike and _opposes(*pair)


def throw_lines(steps: Iterable[Step | Throw]) -> list[str]:
    """Return lines on thrown dice that no entry keeps."""
    return [
        line
        for step in steps
        if isinstance(step, Throw)
        for line in ("", *_throw_lines({}, entry_body.throw_body(step)))
    ]


def _opposes(step: Body, other: Body) -> bool:
    return "reads" not in step and other.get("reads") == "reach" and other["value"] == step["total"]


def _key_of(step: Body) -> object:
    return [step.get(name) for name in ("table", "die", "modifiers", "adjustments")]


def _block_lines(entry: Entry, body: Body, block: Sequence[Body], view: View) -> Iterator[str]:
    if len(block) > 2 and "dice" not in block[-1]:  # noqa: PLR2004 - more than one pair
        yield from _lines_of_repeats(entry, body, block, view)
        return
    for place, step in enumerate(block):
        yield from [""] if place and "dice" not in step else []
        met = not step.get("natural") and any(_opposes(step, other) for other in block[place + 1 : place + 2])
        yield from _throw_lines(body, step) if "dice" in step else _table_lines(entry, body, step, view, met=met)


def _lines_of_repeats(entry: Entry, body: Body, block: Sequence[Body], view: View) -> Iterator[str]:
    for step, between in zip(block[:2], ("", "against "), strict=True):
        yield f"{between}**{plain(step['title'])}**, {step['die']}"
        yield from _modifier_lines(entry, body, step, view)
    for place in range(0, len(block), 2):
        first, second = block[place : place + 2]
        decided = f" ({plain(first['row']['text'])})" if first["natural"] else ""
        rolls = f"{_describe_throw(body, first)}{decided} against {_describe_throw(body, second)}"
        yield f"{place // 2 + 1}) {rolls} \N{RIGHTWARDS ARROW} {plain(second['row']['text'])}"


def _throw_lines(body: Body, throw: Body) -> Iterator[str]:
    if not throw["dice"]:
        yield (f"**{plain(throw['title'])}:** " if throw["title"] else "") + plain(throw["text"])
        return
    yield f"**{plain(throw['title'])}**"
    kinds: dict[tuple[str, str], list[int]] = {}
    for roll in throw["dice"]:
        sides = str(term_of(roll["die"]).sides)
        kinds.setdefault((sides, _describe_source(body, roll)), []).extend(roll["faces"])
    thrown = [
        f"{len(faces) if len(faces) > 1 else ''}d{sides}: **{', '.join(map(str, faces))}**{source}"
        for (sides, source), faces in kinds.items()
    ]
    yield f"{', '.join(thrown)} \N{RIGHTWARDS ARROW} {plain(throw['text'])}"


def _describe_source(body: Body, roll: Body) -> str:
    if roll["drawn"] == SHARED:
        return " (the same die)"
    sources = [source if source in {BY_HAND, KEPT} else "new" for source in roll["drawn"].split(" and ")]
    shown = sources if "amends" in body else [source for source in sources if source == BY_HAND]
    return f" ({join_words(shown)})" if shown else ""


def new_dice(part: Body) -> list[Body]:
    """Return the dice with new faces in a part of an amended roll."""
    rolls = [roll for step in part["steps"] for roll in step.get("dice", [step])]
    return [roll for roll in rolls if not {BY_HAND, KEPT, SHARED, ""}.issuperset(roll["drawn"].split(" and "))]


def dice_line(dice: Iterable[Body]) -> str:
    """Return dice with their faces: `2d6: 3 + 4`."""
    return ", ".join(f"{roll['die']}: {entry_body.join_faces(roll)}" for roll in dice)


def describe_dice(body: Body, part: Body) -> str:
    """Return dice and totals in one small line; empty without dice."""
    thrown = [step for step in part["steps"] if step.get("dice", True)]
    totals = [dice_line(step["dice"]) if "dice" in step else _total_text(body, step) for step in thrown]
    if len(thrown) > 1:
        titles = [f"{plain(step['title'])}, " for step in thrown]
        totals = [
            each if each.startswith(title[:-2]) else title + each for title, each in zip(titles, totals, strict=True)
        ]
    return f"-# {DOT.join(fit_lines(LONGEST_LINE, totals))}" if thrown else ""


def _table_lines(entry: Entry, body: Body, step: Body, view: View, *, met: bool = False) -> Iterator[str]:
    natural = ", decided by the die alone" if step["natural"] else ""
    yield f"**{plain(step['title'])}**"
    outcome = "" if met else f" \N{RIGHTWARDS ARROW} {plain(step['row']['text'])}{natural}"
    yield f"{_total_text(body, step)}{outcome}"
    yield from _modifier_lines(entry, body, step, view)


def _modifier_lines(entry: Entry, body: Body, step: Body, view: View) -> Iterator[str]:
    counted = [_describe_modifier(item) for item in step["modifiers"] if item["count"]]
    adjusted = step["adjustments"]
    counted += [
        f"{format_signed(item['value'])} {reason_of(entry, body, item, view)} (game master)" for item in adjusted
    ]
    one_line = ", ".join(counted)
    yield from [f"-# {line}" for line in ([one_line] if len(one_line) <= LONGEST_LINE else counted) if line]


def _total_text(body: Body, step: Body) -> str:
    if "pool" in step:
        against = f" against **{entry_body.number(step['value'])}**" if "value" in step else ""
        return f"{_describe_pool(body, step)}{against}"
    thrown, added = f"{step['die']}: {_faces(body, step)}", _describe_added(step)
    match step.get("reads"):
        case "number":
            return f"{entry_body.number(step['value'])} {added} = **{entry_body.number(step['total'])}**"
        case "under":
            return f"{thrown}, at most {entry_body.number(step['value'])} {added} = **{entry_body.number(step['value'] + step['sum'])}**"
        case "reach":
            return f"{thrown} {added} = **{entry_body.number(step['total'])}** against **{entry_body.number(step['value'])}**"
        case _:
            return f"{thrown} {added} = **{entry_body.number(step['total'])}**"


def _describe_pool(body: Body, step: Body) -> str:
    faces, total = [*map(str, step["faces"])], step["total"]
    first, sides = step.get("first", len(faces)), term_of(step["die"]).sides
    pushed = f", pushed: **{', '.join(faces[first:])}**" if "first" in step else ""
    hits = f"**{entry_body.number(total)}** {'success' if total == 1 else 'successes'}"
    came = hits if step["pool"] == "count" else f"{step['pool']} **{total}**"
    thrown = ", ".join(faces[:first]) or "no dice"
    return f"{first}d{sides}: **{thrown}**{pushed}{_describe_source(body, step)} = {came}"


def _describe_throw(body: Body, step: Body) -> str:
    plainly = f"{_faces(body, step)} {_describe_added(step)} = **{entry_body.number(step['total'])}**"
    return _describe_pool(body, step) if "pool" in step else plainly


def _faces(body: Body, step: Body) -> str:
    return f"**{entry_body.join_faces(step)}**{_describe_source(body, step)}"


def _describe_added(step: Body) -> str:
    return plus(step["sum"]) + (f" (limit, from {format_signed(step['uncapped'])})" if "uncapped" in step else "")


def reason_of(entry: Entry, body: Body, adjustment: Body, view: View) -> str:
    """Return why a game master adjusted a roll, within what these readers may know."""
    if view != "staff" and adjustment.get("private"):
        return PRIVATE_REASON
    reason = entry.text(adjustment["text"], body)
    return plain(reason) if reason else "reason erased"


def _describe_modifier(item: Body) -> str:
    times = f" \N{MULTIPLICATION SIGN} {item['count']}" if item["count"] > 1 else ""
    source = f" ({item['origin']['label']})" if item["origin"] else ""
    return f"{format_signed(item['value'] * item['count'])} {plain(item['label'] + times + source)}"


def _consequence_text(item: Body, *, vague: bool = False) -> str:
    text: str = entry_body.read_consequence(item)["text"]
    return (item.get("vague", text) if vague else text).replace("{to}", plain(item["to"] or ""))


def consequences_text(
    consequences: Sequence[Consequence], subjects: Mapping[str, str], deeds: Mapping[str, ConsequenceKind]
) -> str:
    """Return what a table's row does to those in its roles, in words; empty if nothing."""
    return ". ".join(
        _consequence_text(entry_body.consequence_body(deeds[item.do], item, subjects)) for item in consequences
    )


def _private_first(shown: EntryView, part: Body) -> str | None:
    inherited = part.get("published")
    published = shown.published if inherited is None else Publication(**inherited)
    if published is None or (inherited is None and part["audience"] == "results"):
        return None
    update = f"in update {published.update}"
    tries = f", {published.tries} earlier private {'try' if published.tries == 1 else 'tries'} {update}"
    before = tries if published.tries else ""
    if not entry_body.was_kept_private(shown.entry.content()):
        return f"Rolled privately first (per the rules){before}"
    only, several = "the only private roll", f"1 of {published.rolls} private rolls"
    counted = f", {only if published.rolls == 1 else several} by this person {update}" if published.rolls else ""
    return f"Rolled privately first{counted}{before}"


NEWS: PostKind = "news"
CONCERNS = frozenset({CAPTIVE, CRACKED, FATE})
NEWS_TEXT = "Something happened to one of them. See `/update show`."


def find_owners(tx: Connection, campaign: campaigns.Campaign, entry: Entry, by: int) -> Pings:
    """Mention those whose characters an entry captured, broke, freed or killed, except `by` (user id)."""
    begun = [item for item in entry.content()["changes"] if item["name"] in CONCERNS and item["before"] is None]
    numbers = {number_of(item["subject"]) for item in begun if item["after"] is not None}
    return call_owners(tx, campaign, profiles.read_profiles(tx, campaign.id, numbers).values(), by)


def call_owners(tx: Connection, campaign: campaigns.Campaign, saved: Iterable[profiles.Profile], by: int) -> Pings:
    """Mention those who play these, except `by`. Mentions for secret ones would give them away."""
    owners = {item.owner for item in saved if item.owner is not None and not item.secret}
    return Pings(users=campaigns.find_called(tx, campaign, owners, by))


def ping_with_first(messages: Sequence[OutgoingMessage], entry: Entry, pings: Pings) -> Sequence[OutgoingMessage]:
    """Let the first results message of a public entry ping. Other entries ping by `make_entry_news`."""
    public = [place for place, item in enumerate(messages) if item.kind == "results"]
    if not pings or entry.audience != "results" or not public:
        return [*messages]
    first = public[0]
    return [*messages[:first], *ping_first(messages[first:], pings)]


def make_entry_news(campaign: campaigns.Campaign, entry: Entry, pings: Pings) -> list[OutgoingMessage]:
    """Return the pinging message of an entry that isn't public. None pings for a roll that only its maker knows."""
    return [] if entry.audience in {"results", "person"} else make_news(campaign, pings)


def make_news(campaign: campaigns.Campaign, pings: Pings, text: str = NEWS_TEXT) -> list[OutgoingMessage]:
    """Return the message that pings people and points to `/update show`; empty without pings."""
    if not pings:
        return []
    embed = discord.Embed(title="About your characters", description=text, colour=COLOURS["neutral"])
    return [OutgoingMessage(NEWS, campaign.results_channel_id, [embed.set_footer(text=campaign.name)], pings=pings)]
