"""`/roe rules`: any line of the book in words, read off what it lists."""
