"""What is raised where nothing here executes a target."""


class ToolchainUnavailable(RuntimeError):
    """Nothing here executes this target; the message says what to do about it."""
