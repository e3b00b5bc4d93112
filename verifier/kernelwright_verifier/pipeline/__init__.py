"""The way of one candidate through the gates."""
