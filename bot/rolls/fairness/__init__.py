"""Provable dice: what they are drawn from, and what a campaign's dice proof thread says."""
