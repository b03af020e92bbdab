"""What the rule books say; no Discord, database or clock."""
