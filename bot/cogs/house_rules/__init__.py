"""House rules: a campaign's own tables and overlays."""
