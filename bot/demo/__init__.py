"""The bot in a simulated server, in a browser, without a token."""
