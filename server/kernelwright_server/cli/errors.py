"""What a user did wrong on the command line: printed as one line, never as a traceback."""


class UsageError(Exception):
    """The message names the thing, the place and the remedy."""
