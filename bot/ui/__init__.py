"""How the bot talks to people: replies, text, parsing of what is typed, files, pictures."""
