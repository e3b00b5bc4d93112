"""What is to be verified: the task of an entry, its sizes, and where both are written down."""
