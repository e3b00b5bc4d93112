"""The user's project: where it ends, what it configures, whether it is trusted."""
