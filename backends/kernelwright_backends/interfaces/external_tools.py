"""A vendor's checkers and profilers, which are run beside our own checks when the user asks."""

from pathlib import Path
from typing import Protocol


class ExternalProgram(Protocol):
    """One that is installed."""

    @property
    def path(self) -> Path: ...

    @property
    def version(self) -> str: ...


class ExternalTools(Protocol):
    """Of a dialect that has such programs."""

    def find(self, name: str) -> ExternalProgram:
        """
        Raises:
            ToolUnavailable: the program is not here, or does not answer.
        """
        ...

    def chosen_tools(self, text: str) -> tuple[str, ...]:
        """The checks of the checker that a user names, `all` for every one.

        Raises:
            ValueError: a check of that name does not exist.
        """
        ...
