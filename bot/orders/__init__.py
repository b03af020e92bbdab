"""What people mean to do in an update, resolved phase by phase."""
