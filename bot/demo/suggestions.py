"""What to try in the demo: told in the terminal and in its first message, and played by a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

GAME_MASTER, PLAYER, RIVAL = "Mara the GM", "Jonas", "Priya"
HOW_TO_TYPE = "Click the message box below, type `/` and pick a command. Fill in its options and press Enter."


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
        "Tick what applies, watch the odds, press Roll. The result is posted in #results or #staff.",
    ),
    Suggestion(
        PLAYER,
        [Command("scout", {"scouter": "Jonas", "base": "Fort Anvil"})],
        "Players can scout here. The result goes to the game masters.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("weather rollover"), Command("weather history")],
        "See the odds of week 13, press the button, and look at the map in #results and at past weeks.",
    ),
    Suggestion(
        PLAYER,
        [Command("escape", {"captive": "Kai Brandt"})],
        "His character is a captive. He orders an escape, which only the game masters see.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("interrogate", {"captive": "Kai Brandt", "interrogators": "Colonel Haas"})],
        "The captive cracks, or doesn't.",
    ),
    Suggestion(
        PLAYER,
        [Command("order give", {"kind": "Scout a base", "who": "Rook", "to": "Fort Teak"}), Command("order list")],
        "Sealed: only he and the game masters see it. The board in #staff shows whose orders are missing.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("update resolve")],
        "All orders with their odds. Press Resolve all, and read the digest in #results.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("ledger list"), Command("ledger show", {"number": "19"})],
        "The log of the game. Press Publish under entry 19 to show it to everyone.",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("events roll"), Command("events active"), Command("events turn")],
        "Roll for both sides of the battle of Goblin Gorge, see active effects, and end the turn.",
    ),
    Suggestion(
        PLAYER,
        [
            Command("infinity versus", {"mine": "13", "my_mods": "-3", "opponent": RIVAL}),
            Command("roll", {"expression": "4d6kh3"}),
        ],
        "As Priya (pick her at the top), press Answer. /roll answers in the same channel.",
    ),
    Suggestion(
        PLAYER,
        [
            Command("roe odds", {"weapon": "Rifle", "against": "Vesna", "fire": "auto"}),
            Command("roe attack", {"target": "Vesna", "fire": "auto"}),
            Command("fight turn"),
            Command("roe rules", {"what": "Spliced Genes"}),
        ],
        "It's the turn of his character Rook against Vesna: a burst of three shots, with odds.",
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
        "He leads the Earth Federation in a separate war. His orders are sealed until the turn is resolved.",
        "front",
    ),
    Suggestion(
        GAME_MASTER,
        [Command("update resolve")],
        "Resolve all moves every force, opens a battle and posts the map.",
        "front",
    ),
    Suggestion(PLAYER, [Command("help")], "See everything else."),
)
