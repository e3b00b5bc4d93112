"""The text of a candidate: what it includes, and which part of a file it may change."""
