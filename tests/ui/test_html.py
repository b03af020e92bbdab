from __future__ import annotations

import discord
import pytest

from bot.ui.html import HtmlWriter, picture_html
from bot.ui.text import Picture


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**Bold** and *slant*\n~~gone~~", "<strong>Bold</strong> and <em>slant</em><br><s>gone</s>"),
        ("<script>alert('&')</script>", "&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;"),
        (r"\*typed\* \<b>", "*typed* &lt;b&gt;"),
        ("**open *and ~~never closed", "<strong>open <em>and <s>never closed</s></em></strong>"),
        ("**a *b** c*", "<strong>a <em>b</em></strong> c<em></em>"),
        ("-# small\n> quoted\n## Head > here", "<small>small</small><br>quoted<br><strong>Head &gt; here</strong>"),
        (
            "<@12> <@&3> <#4>",
            '<span class="who">member 12</span> <span class="who">role 3</span> <span class="who">channel 4</span>',
        ),
        ("<t:0:f> <t:99999999999>", "01 Jan 1970 01:00 CET 16 Nov 5138 10:46 CET"),
        ("[**go**](https://evil.example/x)", "**go**"),
        ("`<b>` ```x\n**y**```", "<code>&lt;b&gt;</code> <code>**y**</code>"),
        ("</roll:1>", "<code>/roll</code>"),
    ],
)
def test_markdown_becomes_html_and_what_was_typed_stays_text(text: str, shown: str) -> None:
    """Closed in order, without addresses."""
    assert HtmlWriter("Europe/Berlin").paragraph(text) == f"<p>{shown}</p>"


def test_an_embed_is_told_whole_with_its_picture() -> None:
    """All fields are escaped."""
    embed = discord.Embed(title="<i>", description="**d**").set_author(name="a&b").add_field(name="*n*", value="<v>")
    told = "".join(HtmlWriter("UTC").embed(embed))
    assert told == (
        '<p class="said">a&amp;b</p><h3>&lt;i&gt;</h3><p><strong>d</strong></p><h4><em>n</em></h4><p>&lt;v&gt;</p>'
    )
    assert picture_html(Picture("p.png", b"\x00", 'a "map"')) == (
        '<img alt="a &quot;map&quot;" src="data:image/png;base64,AA==">'
    )


def test_a_public_page_has_neither_ids_nor_members() -> None:
    """Typed mentions and ids are hidden; entries are linked where there is an address."""
    writer = HtmlWriter("UTC", {12: "/s/12"}.get, public=True)
    assert writer.paragraph("<@12> \\<@\u200b123456789012345678> <@&3> <#4> 123456789012345678 #12 #13 &#39;") == (
        '<p><span class="who">a player</span> <span class="who">a player</span> <span class="who">a role</span>'
        ' <span class="who">a channel</span> \N{HORIZONTAL ELLIPSIS} <a href="/s/12">#12</a> #13 &amp;#39;</p>'
    )


def test_a_link_of_discord_leads_to_the_entry_it_names() -> None:
    """Its own address leads to the server, which readers may not know."""
    writer = HtmlWriter("UTC", {12: "/s/12"}.get, public=True, level=2)
    assert writer.line("[entry #12](https://discord.com/channels/1/2/3)") == 'entry <a href="/s/12">#12</a>'
    assert "".join(writer.embed(discord.Embed(title="T").add_field(name="F", value="v"))) == (
        "<h2>T</h2><h3>F</h3><p>v</p>"
    )
