"""What crosses the boundary of a dialect."""
