"""An evening under the sky: weeks of weather rolled, set, looked up and changed, by hand and by the clock."""

from __future__ import annotations

from tests.transcripts.evening import Evening

OURS = b"""
[overlay]
id = "ours"
extends = "campaign"
source = { book = "Ours", section = "Weather" }
conditions = [{ trait = "overcast", severity = 3, mark = "OV" }]

[[climate]]
zone = "south-asia"
rows = [{ outcome = "category-1", regions = { malaysia = ["heavy-fog", "overcast"] } }]
"""


async def play(at: Evening) -> None:
    """Play the evening."""
    await at.create_campaign()
    await begin(at)
    await roll_weeks(at)
    await look_up(at)
    await change_categories(at)
    await use_house_rules(at)
    await set_and_take_back(at)
    await follow_a_schedule(at)
    await miss_weeks(at)


async def begin(at: Evening) -> None:
    """Say which week it is."""
    gm = at.gm
    at.title("Which week is it?")
    await gm.types("/forecast")
    await gm.types("/forecast view:past weeks")
    await gm.types("/forecast view:odds of next week")
    await at.manager.press("Which week is it")
    await gm.types("/gm settings")
    await gm.press("Next steps")
    await gm.press("Which week is it")
    await gm.fill("soon", "Australia: 3")
    await gm.press("Which week is it")
    await gm.fill("37", "North Africa: 3")


async def roll_weeks(at: Evening) -> None:
    """Roll weeks."""
    gm = at.gm
    at.title("Weeks are rolled")
    await at.ann.types("/weather rollover")
    await gm.types("/weather rollover week:40")
    await gm.types("/weather rollover")
    await gm.types("/weather rollover")
    await gm.press("Roll week 38")


async def look_up(at: Evening) -> None:
    """Look the weather up."""
    gm, ann = at.gm, at.ann
    at.title("What the sky is like")
    await ann.press("Details")
    await ann.types("/forecast")
    await ann.press("Details", of="Weather of week 38")
    await ann.completes("/forecast place:ara")
    await ann.types("/forecast place:Arabian Sea")
    await ann.types("/forecast place:Atlantis")
    await ann.types("/forecast week:37")
    await ann.types("/forecast week:12")
    await ann.types("/forecast view:odds of next week")
    await ann.press("Details", of="Forecast for week 39")
    await gm.press("Roll week 38")
    await gm.types("/weather rollover")
    await gm.press("Roll week 39", dice=[20, 20, 20, 3, 3, 1, 8, 20, 2, 18, 20])
    await ann.types("/forecast view:past weeks")
    await ann.completes("/forecast view:past weeks place:south a")
    await ann.types("/forecast view:past weeks place:India weeks:2")
    await ann.types("/forecast view:past weeks place:Australia")
    await at.stranger.types("/forecast")


async def change_categories(at: Evening) -> None:
    """Read what categories mean, and change one."""
    gm, ann = at.gm, at.ann
    at.title("What a category means")
    await ann.types("/forecast view:categories")
    await ann.pick("Australia")
    await ann.pick("category 3")
    await ann.types("/forecast view:categories place:Antarctic Sea")
    await ann.types("/weather edit place:India category:good")
    await gm.completes("/weather edit place:India category:")
    await gm.types("/weather edit place:India category:good")
    await gm.fill("Storms + Fog", "Sea: no Flood Watch")
    await gm.types("/weather edit place:India category:good")
    await gm.fill("Good weather + Fog")
    await gm.types("/weather edit place:India category:9")
    await gm.types("/weather edit place:Australia category:2")
    await gm.fill("West Australia: Storms, Hail")
    await gm.types("/weather edit place:Australia category:2")
    await gm.fill("West Australia: Storms\nNew Zealand: Fog, Storms")
    await ann.types("/forecast view:categories place:South and Southeast Asia")
    await ann.pick("Good")


async def use_house_rules(at: Evening) -> None:
    """Switch house rules on."""
    gm = at.gm
    at.title("A climate of our own")
    await gm.types("/gm rules name:sky file:sky.toml", files={"sky.toml": OURS})
    await gm.press("Switch on")
    await at.ann.types("/forecast view:categories place:South and Southeast Asia")
    await at.ann.pick("category 1")
    await gm.types("/weather edit place:Malaysia category:1")
    await gm.fill("Storms")


async def set_and_take_back(at: Evening) -> None:
    """Set weather by hand, roll on it, and take that back."""
    gm = at.gm
    at.title("By hand, and taken back")
    await gm.types("/weather rollover")
    await gm.completes("/weather set zone:South and Southeast Asia category:")
    await gm.types("/weather set zone:North Africa category:6 reason:The storms go on")
    await gm.press("Roll week 40")
    await gm.press("Roll week 40")
    await gm.types("/weather set zone:Australia category:7 reason:It was worse week:39")
    await gm.types("/weather set zone:Australia category:6 West reason:There is no such thing")
    await gm.types("/weather set week:38")
    await gm.fill("North Africa: 2\nAustralia: 4", "Two storms were forgotten")
    await at.ann.types("/weather set zone:Australia category:1 reason:Please")
    await gm.types("/forecast week:39 place:West Australia")
    await gm.completes("/gm undo entry:weather of week")
    await gm.press("Undo", of="Week 40 is rolled")
    await gm.fill("The week is not over")
    await gm.types("/gm undo entry:5 reason:Nor is this one")
    await gm.fill("")
    await gm.types("/forecast view:past weeks weeks:3")
    await at.ann.types("/ledger")


async def follow_a_schedule(at: Evening) -> None:
    """Let the weather roll by itself."""
    gm = at.gm
    at.title("Saturday at six")
    await gm.types("/gm schedule what:weather")
    await at.ann.types("/gm schedule what:weather day:Saturday time:18:00")
    await gm.types("/gm schedule what:weather day:Saturday time:25:00")
    await gm.types("/gm schedule what:weather day:Saturday")
    await gm.types("/gm schedule what:weather day:second Friday time:18:00")
    await gm.completes("/gm schedule what:weather day:Tue, f")
    await gm.types("/gm schedule what:weather day:Saturday time:18:00 remind:60 catch_up:ask in the staff channel")
    await at.ann.types("/gm schedule what:weather")
    await at.wait(days=1)  # the dice of a day are revealed in a step of their own, here and below
    await at.wait(days=5, hours=4)
    await at.wait(hours=1)
    await gm.types("/gm schedule what:weather")
    await gm.types("/update show")


async def miss_weeks(at: Evening) -> None:
    """Be away when weeks were due, and be asked about them."""
    gm = at.gm
    at.title("While I was away")
    await at.wait(days=1)
    await at.restart(days=14)
    await gm.types("/gm schedule what:weather")
    await at.manager.press("Catch up")
    await gm.press("Catch up")
    await gm.press("Catch up", of="Missed: 2")
    await at.wait(days=1)
    await at.restart(days=6)
    await gm.press("Skip")
    await gm.types("/gm schedule what:weather catch_up:catch up automatically remind:0")
    await gm.types("/roll expression:1d6 roll:roll now")
    await at.wait(days=1)
    await at.wait(days=4, hours=22)
    await at.restart(hours=2)
    await gm.types("/weather rollover")
    await gm.press("Roll week 43")
    await at.wait(days=1)
    await at.wait(days=6)
    await gm.types("/gm settings timezone:Asia/Tokyo")
    await gm.types("/gm schedule what:weather remind:2000")
    await gm.types("/gm settings books:infinity, -campaign")
    await at.wait(days=1)
    await at.wait(days=6)
    await gm.types("/gm settings books:campaign")
    await gm.types("/gm schedule what:weather day:every second Tue, Fri")
    await gm.types("/gm schedule what:weather off:True")
    await gm.types("/gm schedule what:weather off:True")
    await at.ann.types("/forecast view:past weeks")
    await at.ann.press("Details", of="week by week")
    await at.ann.types("/forecast view:past weeks place:Zambeze Basin")
    await at.ann.press("Details", of="Zambeze Basin")
