"""The streams of the command line. All that goes to standard output or error passes here, and nothing in it acts on a terminal.

What is printed comes from files, candidates, compilers and models. `main` puts `Screen` in the place of both streams, so that
even what nobody thought of is shown letter by letter. Only `terminal.py` goes around it, with styles that are ours alone.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from kernelwright_backends.display.visible import visible


class Screen:
    """A stream of text that shows what is written to it instead of sending it."""

    def __init__(self, stream: TextIO) -> None:
        self.unguarded = stream

    def write(self, text: str) -> int:
        self.unguarded.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unguarded, name)


@contextmanager
def guarded() -> Iterator[None]:
    """Both standard streams behind a `Screen`."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (Screen(stream) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def unguarded(stream: Any) -> TextIO:
    """The stream behind a `Screen`, or itself."""
    while isinstance(stream, Screen):
        stream = stream.unguarded
    found: TextIO = stream
    return found
