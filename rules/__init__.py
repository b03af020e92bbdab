"""What the rule books say: tables, modifiers and procedures, with no Discord, database or clock."""
