"""A small OpenAPI document of the requests that the tests of the checker make.

It stands in where Discord's own document is not at hand, with the same bounds and the same turns of phrase: nullable types,
enumerations by `allOf` and constants, unions without a discriminator.
"""

from typing import Any

Schema = dict[str, Any]


def ref(name: str) -> Schema:
    """A reference to a named schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def maybe(schema: Schema) -> Schema:
    """The same, or null, as the document writes it for references and for types."""
    return {"oneOf": [{"type": "null"}, schema]} if "$ref" in schema else {**schema, "type": [schema["type"], "null"]}


def text(least: int = 0, most: int = 2048, **more: object) -> Schema:
    """A text of so many characters."""
    return {"type": "string", "minLength": least, "maxLength": most, **more}


def number(least: int, most: int) -> Schema:
    """A whole number within bounds."""
    return {"type": "integer", "minimum": least, "maximum": most, "format": "int32"}


def many(of: Schema, most: int, least: int = 0) -> Schema:
    """A list of so many items."""
    return {"type": "array", "items": of, "minItems": least, "maxItems": most}


def one_of(*names: str) -> Schema:
    """A union of named schemas."""
    return {"oneOf": [ref(name) for name in names]}


def closed(needed: str, /, **properties: Schema) -> Schema:
    """An object with these keys, of which `needed` (names with blanks between them) must be there."""
    return {"type": "object", "properties": properties, "required": needed.split()}


def tagged(kinds: list[int], needed: str = "", /, **properties: Schema) -> Schema:
    """An object that its `type` tells from others of its union."""
    kind = {"type": "integer", "enum": kinds, "allOf": [ref("Kind")], "format": "int32"}
    return closed(f"type {needed}", type=kind, **properties)


FLAG: Schema = maybe({"type": "boolean"})
ID = text(1, 100)
URI = maybe(text(format="uri"))
COLOUR = maybe(number(0, 0xFFFFFF))
PLACE = {"id": maybe(number(0, 2**31 - 1))}
NAMED = {
    "name": text(1, 32),
    "name_localizations": {"type": ["object", "null"], "additionalProperties": text(1, 32), "maxProperties": 34},
    "description_localizations": {
        "type": ["object", "null"],
        "additionalProperties": text(1, 100),
        "maxProperties": 34,
    },
}
OPTION = {**NAMED, "description": text(1, 100), "required": FLAG}
CHOSEN = {
    "custom_id": ID,
    "placeholder": maybe(text(0, 150)),
    "min_values": maybe(number(0, 25)),
    "max_values": maybe(number(1, 25)),
    "disabled": FLAG,
    "required": FLAG,
    **PLACE,
}
SELECT = tagged([3], "custom_id options", options=many(ref("SelectOption"), 25, 1), **CHOSEN)
DISPLAY = tagged([10], "content", content=text(1, 4000), **PLACE)
TOP = one_of("ActionRow", "Container", "MediaGallery", "Section", "Separator", "TextDisplay")
MESSAGE = {
    "content": maybe(text(0, 4000)),
    "embeds": maybe(many(ref("Embed"), 10)),
    "allowed_mentions": maybe(ref("AllowedMentions")),
    "components": maybe(many(TOP, 40)),
    "attachments": maybe(many(ref("Attachment"), 10)),
    "flags": maybe({"type": "integer"}),
}
NEW = {**MESSAGE, "tts": FLAG}
NONCE = {"oneOf": [{"type": "integer", "format": "int64"}, text(0, 25, format="nonce"), {"type": "null"}]}


def choices(kind: Schema) -> Schema:
    """The choices of an option whose values are of this kind, and the answer to an autocomplete."""
    return maybe(many(closed("name value", name=text(1, 100), value=kind), 25))


SCHEMAS: dict[str, Schema] = {
    "Snowflake": {"type": "string", "pattern": "^(0|[1-9][0-9]*)$", "format": "snowflake"},
    "Kind": {
        "type": "integer",
        "oneOf": [{"title": "KIND", "const": kind} for kind in range(1, 23)],
        "format": "int32",
    },
    "Style": {"type": "integer", "oneOf": [{"title": "STYLE", "const": style} for style in range(1, 7)]},
    "AllowedMentions": closed(
        "",
        parse=maybe(
            {**many({"oneOf": [{"const": "users"}, {"const": "roles"}, {"const": "everyone"}]}, 3), "uniqueItems": True}
        ),
        users=maybe(many(ref("Snowflake"), 100)),
        roles=maybe(many(ref("Snowflake"), 100)),
        replied_user=FLAG,
    ),
    "Attachment": closed("id", id=ref("Snowflake"), filename=maybe(text(1, 1024)), description=maybe(text(0, 1024))),
    "Embed": closed(
        "",
        type=maybe(text()),
        url=URI,
        title=maybe(text(0, 256)),
        color=COLOUR,
        timestamp=maybe(text(format="date-time")),
        description=maybe(text(0, 4096)),
        author=maybe(ref("EmbedAuthor")),
        image=maybe(ref("EmbedImage")),
        footer=maybe(ref("EmbedFooter")),
        fields=maybe(many(ref("EmbedField"), 25)),
    ),
    "EmbedAuthor": closed("", name=maybe(text(0, 256)), url=URI, icon_url=URI),
    "EmbedImage": closed("", url=URI),
    "EmbedFooter": closed("", text=maybe(text(0, 2048)), icon_url=URI),
    "EmbedField": closed("name value", name=text(0, 256), value=text(0, 1024), inline=FLAG),
    "Emoji": closed("name", id=maybe(ref("Snowflake")), name=text(0, 32)),
    "Media": closed("url", url=text(format="uri")),
    "SelectOption": closed(
        "label value",
        label=text(1, 100),
        value=text(1, 100),
        description=maybe(text(0, 100)),
        emoji=maybe(ref("Emoji")),
        default=FLAG,
    ),
    "ActionRow": tagged([1], "components", components=many(one_of("Button", "Select"), 5, 1), **PLACE),
    "Button": tagged(
        [2],
        "style",
        style=ref("Style"),
        custom_id=maybe(ID),
        label=maybe(text(0, 80)),
        url=maybe(text(0, 512, format="uri")),
        emoji=maybe(ref("Emoji")),
        disabled=FLAG,
        **PLACE,
    ),
    "Select": SELECT,
    "Section": tagged(
        [9], "components accessory", components=many(ref("TextDisplay"), 3, 1), accessory=one_of("Button"), **PLACE
    ),
    "TextDisplay": DISPLAY,
    "MediaGallery": tagged([12], "items", items=many(ref("MediaItem"), 10, 1), **PLACE),
    "MediaItem": closed("media", media=ref("Media"), description=maybe(text(1, 1024)), spoiler=FLAG),
    "Separator": tagged([14], spacing=maybe({"type": "integer"}), divider=FLAG, **PLACE),
    "Container": tagged(
        [17],
        "components",
        components=many(one_of("ActionRow", "MediaGallery", "Section", "Separator", "TextDisplay"), 40, 1),
        accent_color=COLOUR,
        spoiler=FLAG,
        **PLACE,
    ),
    "Label": tagged(
        [18],
        "label component",
        label=text(1, 45),
        description=maybe(text(1, 100)),
        component=one_of("Select", "TextInput", "RadioGroup", "CheckboxGroup"),
        **PLACE,
    ),
    "TextInput": tagged(
        [4],
        "custom_id style",
        custom_id=ID,
        style={"type": "integer", "oneOf": [{"const": 1}, {"const": 2}]},
        label=maybe(text(1, 45)),
        value=maybe(text(0, 4000)),
        placeholder=maybe(text(0, 100)),
        required=FLAG,
        min_length=maybe(number(0, 4000)),
        max_length=maybe(number(1, 4000)),
        **PLACE,
    ),
    "RadioGroup": tagged(
        [21], "custom_id options", custom_id=ID, required=FLAG, options=many(ref("SelectOption"), 10, 2), **PLACE
    ),
    "CheckboxGroup": tagged(
        [22],
        "custom_id options",
        custom_id=ID,
        required=FLAG,
        min_values=maybe(number(0, 10)),
        max_values=maybe(number(1, 10)),
        options=many(ref("SelectOption"), 10, 1),
        **PLACE,
    ),
    "Modal": closed(
        "custom_id title components",
        custom_id=ID,
        title=text(1, 45),
        components=many(one_of("Label", "TextDisplay"), 40, 1),
    ),
    "Answer": tagged([4, 5], data=maybe(ref("NewMessage"))),
    "Update": tagged([6, 7], data=maybe(ref("Message"))),
    "Completion": tagged([8], "data", data={"anyOf": [ref("Numbers"), ref("Texts")], "x-discord-union": "oneOf"}),
    "Form": tagged([9], "data", data=ref("Modal")),
    "Numbers": closed("", choices=choices({"type": "integer", "format": "int64"})),
    "Texts": closed("", choices=choices(text(0, 6000))),
    "Message": closed("", **MESSAGE),
    "NewMessage": closed("", **NEW),
    "WebhookMessage": closed("", **NEW, username=maybe(text(1, 80))),
    "ChannelMessage": closed("", **NEW, nonce=NONCE, enforce_nonce=FLAG, message_reference=maybe(ref("Reference"))),
    "Reference": closed(
        "message_id",
        message_id=ref("Snowflake"),
        channel_id=maybe(ref("Snowflake")),
        guild_id=maybe(ref("Snowflake")),
        fail_if_not_exists=FLAG,
        type=maybe({"type": "integer"}),
    ),
    "Command": closed(
        "name",
        **NAMED,
        description=maybe(text(0, 100)),
        type=maybe({"type": "integer"}),
        options=maybe(many(one_of("Value", "Text", "Subcommand", "Group"), 25)),
        dm_permission=FLAG,
        default_member_permissions=maybe({"type": "integer", "minimum": 0}),
        contexts=maybe(many({"type": "integer"}, 3, 1)),
        integration_types=maybe(many({"type": "integer"}, 2, 1)),
    ),
    "Value": tagged(
        [4, 5, 6], "name description", **OPTION, min_value={"type": "integer"}, max_value={"type": "integer"}
    ),
    "Text": tagged([3], "name description", **OPTION, autocomplete=FLAG, choices=choices(text(0, 6000))),
    "Subcommand": tagged([1], "name description", **OPTION, options=maybe(many(one_of("Value", "Text"), 25))),
    "Group": tagged([2], "name description", **OPTION, options=maybe(many(one_of("Subcommand"), 25))),
}


def operation(body: Schema | None = None, *, uploads: bool = False, **query: Schema) -> Schema:
    """One method of a path: its body, of this schema, beside which uploads may travel, and its query parameters."""
    forms = ("application/json", "multipart/form-data") if uploads else ("application/json",)
    content = {"requestBody": {"content": {form: {"schema": body} for form in forms}, "required": True}} if body else {}
    return {
        "parameters": [{"name": name, "in": "query", "schema": schema} for name, schema in query.items()],
        **content,
    }


def path(*names: str, **methods: Schema) -> Schema:
    """A path with its parameters, ids all but the token, and its methods."""
    schemas = {name: text(0, 152133) if name.endswith("token") else ref("Snowflake") for name in names}
    declared = [{"name": name, "in": "path", "schema": schema, "required": True} for name, schema in schemas.items()]
    return {"parameters": declared, **methods}


BOOLEAN = {"type": "boolean"}
CALLBACK = {"anyOf": [ref(name) for name in ("Completion", "Answer", "Form", "Update")], "x-discord-union": "oneOf"}
COMMANDS = {"type": ["array", "null"], "items": ref("Command"), "maxItems": 130}
WEBHOOK = "/webhooks/{webhook_id}/{webhook_token}"

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "paths": {
        "/applications/{application_id}/commands": path("application_id", put=operation(COMMANDS)),
        "/channels/{channel_id}/messages": path(
            "channel_id",
            get=operation(limit=number(1, 100), before=ref("Snowflake")),
            post=operation(ref("ChannelMessage"), uploads=True),
        ),
        "/channels/{channel_id}/messages/{message_id}": path(
            "channel_id",
            "message_id",
            get=operation(),
            patch=operation(ref("Message"), uploads=True, with_components=BOOLEAN),
            delete=operation(),
        ),
        "/interactions/{interaction_id}/{interaction_token}/callback": path(
            "interaction_id", "interaction_token", post=operation(CALLBACK, uploads=True, with_response=BOOLEAN)
        ),
        "/oauth2/applications/@me": path(get=operation()),
        "/users/@me/channels": path(post=operation(closed("", recipient_id=maybe(ref("Snowflake"))))),
        "/users/@me": path(get=operation()),
        "/users/{user_id}": path("user_id", get=operation()),
        WEBHOOK: path(
            "webhook_id",
            "webhook_token",
            post=operation(ref("WebhookMessage"), uploads=True, wait=BOOLEAN, with_components=BOOLEAN),
        ),
        f"{WEBHOOK}/messages/@original": path(
            "webhook_id",
            "webhook_token",
            get=operation(),
            patch=operation(ref("Message"), uploads=True, with_components=BOOLEAN),
            delete=operation(),
        ),
        f"{WEBHOOK}/messages/{{message_id}}": path(
            "webhook_id",
            "webhook_token",
            "message_id",
            patch=operation(ref("Message"), uploads=True, with_components=BOOLEAN),
            delete=operation(),
        ),
    },
    "components": {"schemas": SCHEMAS},
}
