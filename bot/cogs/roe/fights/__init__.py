"""Fights: who fights in a channel, in which order, whose turn it is."""
