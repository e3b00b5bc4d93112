"""Where a program runs: among its own files, and without a way to change them. What is hidden there is not shown to it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath

from kernelwright_backends.interfaces.run import RunRequest
from kernelwright_backends.untrusted.handover import Output, fresh_output
from kernelwright_backends.untrusted.reach import Reach

_MOST_LINKS = 5000


@dataclass(frozen=True)
class Stage:
    """Where a program runs: a folder of its own that shows the user's files by links."""

    writable: Output
    start: PurePath


def shown(request: RunRequest, program: Path) -> list[Path]:
    """What a program may read of the folders around it."""
    folders = [folder for folder in (request.folder, request.root) if folder is not None]
    return Reach(program, folders).shown(folders)


@contextmanager
def staged(request: RunRequest) -> Iterator[Stage | None]:
    """A place in which the program finds the files around it, and in which what it writes is thrown away."""
    if request.folder is None:
        yield None
        return
    folder = request.folder.resolve()
    root = (
        request.root.resolve()
        if request.root is not None and folder.is_relative_to(request.root.resolve())
        else folder
    )
    within = folder.relative_to(root).parts

    def furnish(place: Path) -> None:
        here = root
        for part in (*within, None):
            _link_entries(here, place, part)
            if part is not None:
                here, place = here / part, place / part
                place.mkdir(exist_ok=True)

    with fresh_output(furnish) as writable:
        yield Stage(writable, writable.inside(*within))


def _link_entries(shown: Path, place: Path, without: str | None) -> None:
    try:
        entries = sorted(shown.iterdir())[:_MOST_LINKS]
    except OSError:
        return
    for entry in entries:
        if entry.name != without and not entry.name.startswith("."):
            with suppress(OSError):
                # Where a link leads: itself it is shown only with the folder around it.
                (place / entry.name).symlink_to(entry.resolve())
