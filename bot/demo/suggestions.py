"""What to try in the demo: told in the terminal and in its first message, and played by a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

GAME_MASTER, PLAYER, RIVAL = "Mara the GM", "Jonas", "Priya"
HOW_TO_TYPE = (
    "Click the message box below, type `/` and pick a command; its options open beside it, and Enter sends it."
)


class Command(Struct, frozen=True):
    """A slash command with its options as typed."""

    name: str
    options: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([f"/{self.name}", *(f"{option}:{value}" for option, value in self.options.items())])


class Suggestion(Struct, frozen=True):
    """Who does what: the commands in their order, and what happens then; in #orders, unless in the channel `where`."""

    who: str
    commands: Sequence[Command]
    then: str
    where: str = "orders"

    def lines(self) -> Iterator[str]:
        """Yield it as it is told: who, each command, what happens then."""
        there = "" if self.where == "orders" else f" in #{self.where}"
        yield f"As {self.who}{there}:  {'  then  '.join(map(str, self.commands))}"
        yield self.then


SUGGESTIONS: Sequence[Suggestion] = (
    Suggestion(
        GAME_MASTER,
        [Command("patrol", {"patrol": "Blockade Kilo", "target": "Grey Ghost:neutral, Zaku column"})],
        "Tick what applies, watch the odds, press Roll; the result stands in #results or #staff.",
    ),
    Suggestion(
        PLAYER,
        [Command("scout", {"scouter": "Jonas", "base": "Fort Anvil"})],
        "A player may scout here; the result goes to the staff.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("weather rollover"), Command("weather history")],
        "See the odds of week 13, press the button, look at the map in #results; then at the weeks before.",
    ),
    Suggestion(
        PLAYER,
        [Command("escape", {"captive": "Kai Brandt"})],
        "His character is held captive, and he orders an escape, which only the game masters see.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("interrogate", {"captive": "Kai Brandt", "interrogators": "Colonel Haas"})],
        "Breaks the captive, or does not.",
    ),
    Suggestion(
        PLAYER,
        [Command("order give", {"kind": "Scout a base", "who": "Rook", "to": "Fort Teak"}), Command("order list")],
        "Sealed: only he and the game masters see it. The board in #staff tells who is awaited.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("update resolve")],
        "What all orders come to, with odds; press Resolve all, and read the digest in #results.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("ledger list"), Command("ledger show", {"number": "18"})],
        "The record of the game; press Publish under entry 18, and everybody reads it.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("events roll"), Command("events active"), Command("events turn")],
        "Checks both sides of the battle of Goblin Gorge, shows what is in force, and ends the turn.",
    ),
    Suggestion(
        PLAYER,
        [
            Command("infinity versus", {"mine": "13", "my_mods": "-3", "opponent": RIVAL}),
            Command("roll", {"expression": "4d6kh3"}),
        ],
        "Priya presses Answer (pick her at the top); dice of /roll stand where they are typed.",
    ),
    Suggestion(
        PLAYER,
        [
            Command("roe odds", {"weapon": "Rifle", "against": "Vesna", "fire": "auto"}),
            Command("roe attack", {"target": "Vesna", "fire": "auto"}),
            Command("fight turn"),
            Command("roe rules", {"what": "Spliced Genes"}),
        ],
        "His character Rook has the turn against Vesna: a burst of three shots, with its odds.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("table add", {"name": "Salvage"})],
        "Type 1-5 It blows up, 6-19 Nothing, 20 Jackpot, a line each; switch it on, then /table roll name:Salvage.",
    ),
    Suggestion(
        PLAYER,
        [
            Command("war map"),
            Command("war show", {"what": "11th Squadron"}),
            Command("order give", {"kind": "Move a force", "who": "1st Fleet", "to": "1,-1"}),
        ],
        "He leads the Earth Federation in a war of its own; what he orders is sealed until the turn is resolved.",
        "front",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("update resolve")],
        "Resolve all moves every force, opens a battle and tells it with the map.",
        "front",
    ),
    Suggestion(PLAYER, [Command("help")], "What else there is."),
)
