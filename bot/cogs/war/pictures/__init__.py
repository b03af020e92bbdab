"""The pictures of Total War: maps and boards, each with the same facts in words."""
