"""What was learned: experiences, their values, and how they are found again."""
