"""Units and characters that an evening begins with."""

from __future__ import annotations

from tests.transcripts.evening import Evening

HEAD = "name,kind,side,owner,region,squad,callsign,newtype,secret,traits\n"


async def save(at: Evening, rows: str) -> None:
    """Let the game master import units and characters, a line for each in the columns of the head; owners by name."""
    lines = [line.strip() for line in rows.strip().splitlines()]
    for name, person in at.people.items():
        lines = [line.replace(f",{name},", f",<@{person.actor.id}>,", 1) for line in lines]
    await at.gm.types("/roster import file:roster.csv", files={"roster.csv": (HEAD + "\n".join(lines)).encode()})
    await at.gm.press(f"Import {len(lines)} new, 0 changed")
