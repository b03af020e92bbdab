"""Messages for channels: queued, then posted once each."""
