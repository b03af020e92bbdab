"""The book of BATTLESYSTEM's random events: the check of a turn, and the table of what it can bring."""
