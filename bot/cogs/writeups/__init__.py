"""What is to be written up."""
