"""How the bot talks to people: replies, text, typed input, files, pictures."""
