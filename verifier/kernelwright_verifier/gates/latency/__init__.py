"""The latency gate, and candidates timed against each other."""
