"""Campaigns and their settings."""
