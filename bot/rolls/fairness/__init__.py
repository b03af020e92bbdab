"""Provable dice: what a roll's dice are drawn from, and what the audit thread of a campaign is told."""
