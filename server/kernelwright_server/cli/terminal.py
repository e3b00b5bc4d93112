"""What goes around `screen.py`: styled text, and texts that programs read."""

import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from kernelwright_backends.display.visible import visible, visible_json
from kernelwright_server.cli.screen import unguarded


class Terminal(Console):
    """Styled text on standard output or error. Words between brackets or colons are what they are: nothing is markup."""

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        super().__init__(
            file=unguarded(sys.stderr if stderr else sys.stdout),
            highlight=False,
            markup=False,
            emoji=False,
            width=width,
        )

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            # What rich itself says to the terminal is marked as control, and made of numbers alone.
            yield segment if segment.control else segment._replace(text=visible(segment.text))


def print_exactly(text: str) -> None:
    """A text for programs, byte by byte; where a person looks on, made visible."""
    if sys.stdout.isatty():
        sys.stdout.write(text)
        return
    stream = unguarded(sys.stdout)
    stream.flush()
    raw = getattr(stream, "buffer", None)
    if raw is None:
        stream.write(text)
        return
    raw.write(text.encode("utf-8", "surrogatepass"))
    raw.flush()


def print_json(text: str) -> None:
    """A line of JSON; of the same content, and nothing in it acts."""
    print(visible_json(text), flush=True)
