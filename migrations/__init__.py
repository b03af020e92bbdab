"""Schema changes, numbered; alembic runs them."""
