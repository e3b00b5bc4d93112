"""Source files around a program, as far as they are looked at: a bounded number, none of them large."""

from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from kernelwright_backends.untrusted.reach import Reach

MOST_FILES, DEEPEST, LARGEST_BYTES = 200, 2, 1 << 20


def sources_near(program: Path, suffixes: Collection[str], *, above: bool = False) -> Iterator[Path]:
    """Sources below the program's folder, nearest first; a bounded number, none of them large, never the program itself.

    Args:
        above: also below the folder above, which counts as farther.
    """
    waiting, seen, number = [(program.parent, 0)], set[Path](), 0
    reach = Reach(program)
    if above and reach.holds(program.parent.parent):
        waiting.append((program.parent.parent, 1))
    while waiting and number < MOST_FILES:
        folder, depth = waiting.pop(0)
        if folder in seen:
            continue
        seen.add(folder)
        with suppress(OSError):
            for entry in sorted(folder.iterdir()):
                if entry.name.startswith("."):
                    continue
                if entry.is_dir() and depth < DEEPEST:
                    waiting.append((entry, depth + 1))
                elif (
                    entry.suffix in suffixes
                    and is_readable_source(entry, reach)
                    and entry.resolve() != program
                ):
                    number += 1
                    yield entry.resolve()


def is_readable_source(path: Path, reach: Reach) -> bool:
    """Is it a file of the workspace that is not too large to be looked at?"""
    try:
        return path.is_file() and path.stat().st_size <= LARGEST_BYTES and reach.holds(path)
    except OSError:
        return False
