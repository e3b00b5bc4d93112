"""Tables of the command line: full lines in a pipe, wrapped in a terminal."""

import sys
from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from kernelwright_backends.display.visible import visible_line
from kernelwright_server.cli.terminal import Terminal

_NO_EDGE = 1000  # columns, of a file or a pipe
_MANY = 6  # columns that cannot be squeezed


def console() -> Terminal:
    """Standard output. A pipe has no width: what is cut off there is lost to whoever reads on."""
    return Terminal(width=None if sys.stdout.isatty() else _NO_EDGE)


def print_table(out: Terminal, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table; where the terminal is too narrow for many columns, a line for each row that names what it holds."""
    table = Table(box=box.SIMPLE)
    for number, column in enumerate(columns):
        # The first is what a row is known by.
        table.add_column(column, overflow="fold", no_wrap=number == 0)
    for row in rows:
        table.add_row(*(Text(visible_line(cell)) for cell in row))
    wanted = out.measure(table, options=out.options.update(max_width=_NO_EDGE)).maximum
    if len(columns) <= _MANY or wanted <= out.width:
        out.print(table)
        return
    for first, *rest in rows:
        named = (f"{name} {value}" for name, value in zip(columns[1:], rest, strict=True) if value)
        out.print(visible_line(f"  {first}  {', '.join(named)}"), soft_wrap=True)
