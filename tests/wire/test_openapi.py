"""The checker against a running bot: what it names and what it lets pass."""

from typing import Any

import discord
import pytest
from discord import app_commands

from tests.wire.openapi import Document
from tests.wire.plugin import watching
from tests.wire.tiny import (
    Action,
    Form,
    Interaction,
    Panel,
    answer,
    button,
    display,
    option,
    picture,
    post,
    row,
    say,
    scene,
    select,
    sync,
)

V2 = 1 << 15


async def faults_of(document: Document, action: Action) -> list[tuple[str, str]]:
    """Place and demand of each fault in the requests that the action makes."""
    with watching(document) as faults:
        async with scene(action) as here:
            await here.go()
    return [(fault.where, fault.demand) for fault in faults]


def embed(**parts: Any) -> Action:  # noqa: ANN401 - an embed's own parameters
    """Answer with one embed."""
    return say(embed=discord.Embed(**parts))


def fields(count: int = 1, **parts: str) -> Action:
    """Answer with one embed of so many fields."""
    one = {"name": "Name", "value": "Value", **parts}
    return answer(embeds=[{"fields": [one] * count}])


def in_row(where: str, demand: str, *parts: object) -> tuple[Action, str, str]:
    """An answer with one row of these parts, in which this is at fault."""
    return answer(components=[row(*parts)]), f"$.data.components[0]{where}", demand


def of_command(where: str, demand: str, **parts: object) -> tuple[Action, str, str]:
    """A command that is registered with these parts, of which this is at fault."""
    return sync(**parts), f"$[0]{where}", demand


FAULTS: dict[str, tuple[Action, str, str]] = {
    "embed title": (embed(title="x" * 257), "$.data.embeds[0].title", "at most 256 characters, not 257"),
    "embed description": (
        embed(description="x" * 4097),
        "$.data.embeds[0].description",
        "at most 4096 characters, not 4097",
    ),
    "embed footer": (
        say(embed=discord.Embed(title="T").set_footer(text="x" * 2049)),
        "$.data.embeds[0].footer.text",
        "at most 2048 characters, not 2049",
    ),
    "embed author": (
        say(embed=discord.Embed(title="T").set_author(name="x" * 257)),
        "$.data.embeds[0].author.name",
        "at most 256 characters, not 257",
    ),
    "embed fields": (fields(26), "$.data.embeds[0].fields", "at most 25 items, not 26"),
    "field name": (fields(name="x" * 257), "$.data.embeds[0].fields[0].name", "at most 256 characters, not 257"),
    "field value": (fields(value="x" * 1025), "$.data.embeds[0].fields[0].value", "at most 1024 characters, not 1025"),
    "empty field": (fields(value=" "), "$.data.embeds[0].fields[0].value", "text, not blanks only"),
    "all embeds": (
        say(embeds=[discord.Embed(description="x" * 3001)] * 2),
        "$.data",
        "at most 6,000 characters in all embeds together, not 6,002",
    ),
    "eleven embeds": (answer(embeds=[{"title": "T"}] * 11), "$.data.embeds", "at most 10 items, not 11"),
    "embed time": (answer(embeds=[{"timestamp": "soon"}]), "$.data.embeds[0].timestamp", 'date-time, not "soon"'),
    "embed link": (answer(embeds=[{"url": "here"}]), "$.data.embeds[0].url", 'uri, not "here"'),
    "embed colour": (answer(embeds=[{"color": 1 << 24}]), "$.data.embeds[0].color", "at most 16777215, not 16777216"),
    "field without value": (
        answer(embeds=[{"fields": [{"name": "N"}]}]),
        "$.data.embeds[0].fields[0].value",
        "required, but missing",
    ),
    "wrong type": (answer(content=5), "$.data.content", "string or null, not 5"),
    "truth for a number": (answer(content="C", flags=True), "$.data.flags", "integer or null, not true"),
    "bad nonce": (post(content="C", nonce="n" * 26), "$.nonce", "at most 25 characters, not 26"),
    "long content": (post(content="x" * 2001), "$", "at most 2,000 characters of content, not 2,001"),
    "unknown mention": (
        answer(content="C", allowed_mentions={"parse": ["all"]}),
        "$.data.allowed_mentions.parse[0]",
        'one of "users", "roles", "everyone", not "all"',
    ),
    "mention twice": (
        answer(content="C", allowed_mentions={"parse": ["users", "users"]}),
        "$.data.allowed_mentions.parse",
        "no item twice",
    ),
    "bad id": (
        answer(content="C", allowed_mentions={"users": ["alice"]}),
        "$.data.allowed_mentions.users[0]",
        'text of the form ^(0|[1-9][0-9]*)$, not "alice"',
    ),
    "picture without words": (
        say(file=picture()),
        "$.data.attachments[0].description",
        "required, but missing: picture map.png needs words for those who do not see it",
    ),
    "unknown component": (answer(flags=V2, components=[{"type": 99}]), "$.data.components[0].type", "one of "),
    "button label": in_row(".components[0].label", "at most 80 characters, not 81", button(label="x" * 81)),
    "custom id too long": in_row(
        ".components[0].custom_id", "at most 100 characters, not 101", button(custom_id="x" * 101)
    ),
    "custom id empty": in_row(".components[0].custom_id", "at least 1 characters, not 0", button(custom_id="")),
    "button without id": in_row(
        ".components[0].custom_id", "required for a button of this style, but missing", button(custom_id=None)
    ),
    "same custom id": (
        answer(components=[row(button(), button())]),
        "$.data.components",
        "each custom_id once, but 'press' stands there 2 times",
    ),
    "six buttons": in_row(
        ".components", "at most 5 items, not 6", *(button(custom_id=str(count)) for count in range(6))
    ),
    "select beside a button": in_row(
        ".components", "one select menu alone in its row, not 2 components", button(), select("a")
    ),
    "select options": in_row(".components[0].options", "at most 25 items, not 26", select(*map(str, range(26)))),
    "option value": in_row(".components[0].options[0].value", "at most 100 characters, not 101", select("x" * 101)),
    "same option": in_row(".components[0].options", "each value once, but 'a' stands there 2 times", select("a", "a")),
    "more to pick than there is": in_row(
        ".components[0].max_values", "at most the number of options (1), not 2", select("a", max_values=2)
    ),
    "placeholder": in_row(
        ".components[0].placeholder", "at most 150 characters, not 151", select("a", placeholder="x" * 151)
    ),
    "41 components": (
        answer(
            flags=V2,
            components=[
                {"type": 17, "components": [row(*(button(custom_id=f"{a}.{b}") for b in range(5)))] * 1}
                for a in range(6)
            ]
            + [display(str(count)) for count in range(23)],
        ),
        "$.data",
        "at most 40 components, nested ones counted, not 65",
    ),
    "4,001 characters": (
        answer(flags=V2, components=[display("x" * 2000), display("x" * 2001)]),
        "$.data",
        "at most 4,000 characters in all text displays together, not 4,001",
    ),
    "content beside components": (
        answer(flags=V2, content="C", components=[display("D")]),
        "$.data.content",
        "nothing: flag IS_COMPONENTS_V2 leaves room for components only",
    ),
    "flag missing": (
        answer(components=[display("D")]),
        "$.data.components",
        "action rows only, as flag IS_COMPONENTS_V2 is not set",
    ),
    "modal title": (
        answer(9, custom_id="form", title="x" * 46, components=[display("D")]),
        "$.data.title",
        "at most 45 characters, not 46",
    ),
    "six parts of a modal": (
        answer(9, custom_id="form", title="T", components=[display("D")] * 6),
        "$.data",
        "at most 5 components in a modal, not 6",
    ),
    "eleven boxes": (
        answer(
            9,
            custom_id="form",
            title="T",
            components=[{"type": 18, "label": "L", "component": select(*map(str, range(11)), type=22)}],
        ),
        "$.data.components[0].component.options",
        "at most 10 items, not 11",
    ),
    "command options": of_command(
        ".options", "at most 25 items, not 26", options=[option(name=f"o{count}") for count in range(26)]
    ),
    "command name": of_command(
        ".name", "lower-case letters, digits, -, _ and ' only, not 'P' in 'Patrol'", name="Patrol"
    ),
    "option name": of_command(
        ".options[0].name",
        "lower-case letters, digits, -, _ and ' only, not ' ?' in 'to whom?'",
        options=[option(name="to whom?")],
    ),
    "localised option name": of_command(
        ".options[0].name_localizations.de",
        "lower-case letters, digits, -, _ and ' only, not ' ' in 'an wen'",
        options=[option(name_localizations={"de": "an wen"})],
    ),
    "name of a nested option": of_command(
        ".options[0].options[0].name",
        "lower-case letters, digits, -, _ and ' only, not '.' in 'x.y'",
        options=[option(1, options=[option(name="x.y")])],
    ),
    "required after optional": of_command(
        ".options[1]",
        "required options stand before optional ones",
        options=[option(name="a"), option(name="b", required=True)],
    ),
    "option twice": of_command(
        ".options", "each name once, but 'what' stands there 2 times", options=[option(), option()]
    ),
    "subcommand beside a value": of_command(
        ".options", "either subcommands or values, not both", options=[option(1, name="a"), option(name="b")]
    ),
    "choice value": of_command(
        ".options[0].choices[0]",
        "at most 100 characters of a choice's value, not 101",
        options=[option(choices=[{"name": "C", "value": "x" * 101}])],
    ),
    "whole command": of_command(
        "",
        "at most 8,000 characters in names, descriptions and values, not 8,078",
        options=[
            option(
                name=f"o{count}",
                description="x" * 100,
                choices=[{"name": "n" * 100, "value": "v" * 100}, {"name": "m" * 100, "value": "v"}],
            )
            for count in range(20)
        ],
    ),
    "no description": of_command(".description", "required for a slash command, but missing", description=""),
    "unknown key": of_command(".colour", "no such key; the document knows ", colour="red"),
    "missing key": of_command(".options[0].description", "required, but missing", options=[{"type": 3, "name": "a"}]),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_a_fault_is_named(document: Document, name: str) -> None:
    """Each fault that the bot commits is named by its place and by what Discord demands there, and nothing else is."""
    action, where, demand = FAULTS[name]
    found = await faults_of(document, action)
    assert len(found) == 1, found
    assert found[0][0] == where
    assert found[0][1].startswith(demand)


async def test_26_choices(document: Document) -> None:
    """An autocomplete result of 26 choices is a fault, one of 25 is none."""
    for count in (25, 26):
        with watching(document) as faults:
            async with scene(say(content="C"), choices=count) as here:
                await here.person.autocomplete(here.channel, "go", "what", "x")
        expected = [("$.data.choices", "at most 25 items, not 26")] if count > 25 else []
        assert [(fault.where, fault.demand) for fault in faults] == expected


async def test_101_characters_of_description(document: Document) -> None:
    """A slash command whose description has 101 characters is found when the tree is synced."""

    async def act(_interaction: Interaction) -> None: ...

    with watching(document) as faults:
        async with scene(act) as here:
            here.tree.add_command(app_commands.Command(name="more", description="x" * 101, callback=act))
            await here.tree.sync()
    told = [str(fault) for fault in faults]
    assert len(told) == 1
    assert told[0].startswith("PUT /applications/")
    assert told[0].endswith("/commands: $[1].description: at most 100 characters, not 101")


async def deferred(interaction: Interaction) -> None:
    """Defer, follow up, edit what was sent, delete it."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await interaction.edit_original_response(content="Edited", attachments=[picture("A map")])
    message = await interaction.followup.send("More", ephemeral=True, wait=True)
    await message.edit(content="Even more")
    await interaction.delete_original_response()


async def in_channel(interaction: Interaction) -> None:
    """Send, edit, reply, read back and delete messages of the channel."""
    assert isinstance(interaction.channel, discord.TextChannel)
    rich = discord.Embed(title="T", description="D", colour=3, timestamp=discord.utils.utcnow())
    rich.set_author(name="A").set_footer(text="F").set_image(url="attachment://map.png").add_field(name="N", value="V")
    users = discord.AllowedMentions(users=[interaction.user], everyone=False)
    message = await interaction.channel.send(
        "C", embed=rich, file=picture("A map"), nonce="entry-1", allowed_mentions=users
    )
    await message.edit(embeds=message.embeds, attachments=message.attachments, view=None)
    await message.reply("R", mention_author=False)
    assert [one async for one in interaction.channel.history(limit=5)]
    await message.delete()
    await interaction.user.send("Psst")


VALID: dict[str, Action] = {
    "answer": say(content="Yes", ephemeral=True),
    "defer and follow up": deferred,
    "channel": in_channel,
    "layout": lambda interaction: interaction.response.send_message(view=Panel(), file=picture()),
    "modal": lambda interaction: interaction.response.send_modal(Form()),
    "many fields": fields(25, name="x" * 100, value="y" * 100),
    "command in all scripts": sync(
        name="wetter-vorhersage_2",
        name_localizations={"ja": "天気", "hi": "मौसम", "th": "สภาพอากาศ", "fr": "météo"},
        options=[option(required=True, choices=[{"name": "C", "value": "c"}]), option(4, name="n", min_value=1)],
    ),
    "subcommands": sync(options=[option(2, name="a", options=[option(1, options=[option(5)])]), option(1, name="b")]),
    "menu command": sync(name="Look at", type=2, description=""),
}


@pytest.mark.parametrize("name", VALID)
async def test_what_discord_allows_passes(document: Document, name: str) -> None:
    """Requests of many kinds that Discord would take have no fault."""
    assert await faults_of(document, VALID[name]) == []
