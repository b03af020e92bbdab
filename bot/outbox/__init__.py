"""What is owed to channels, posted once each."""
