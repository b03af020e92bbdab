"""What game masters set and rule in a war: each setting with its action, how it is read and what is offered."""
