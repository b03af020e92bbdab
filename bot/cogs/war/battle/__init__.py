"""`/battle`: what is fought on boards, act by act."""
