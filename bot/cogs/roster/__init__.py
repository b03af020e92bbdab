"""Saved units and characters: commands, trait cards, import and export."""
