"""What the source alone says: declarations, loops, arrays, and what is misplaced or not supported."""
