"""The slash commands: one cog per roll family, and those around the campaign. They read options and hand over."""
