"""Complications that befall a side."""
