"""Features: one file or package for each roll family or feature, with `FEATURE = Feature(...)`.

They use discord.py's `app_commands` without `commands.Cog`: a feature is more than its commands, and nothing here reads
messages, which `commands.Bot` is for. `docs/decisions/0015-commands-without-cogs.md` says more.
"""
