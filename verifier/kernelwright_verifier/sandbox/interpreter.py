"""What must be visible for an interpreter of the user's to run, found without running it."""

import re
from collections.abc import Iterator
from pathlib import Path

from kernelwright_backends.toolchain import ConfinementError

_SEARCH_DEPTH = 16  # links from a virtual environment to the program itself


def interpreter_folders(interpreter: Path) -> tuple[Path, ...]:
    """Folders and files to be bound read-only: `sys.prefix`, `sys.base_prefix`, site-packages, the links
    between them.

    Read from the environment's own files (`pyvenv.cfg`, `.pth`), since nothing of the user's runs outside
    the sandbox. An interpreter right in a home folder (`~/bin/python`) does not expose the home.

    Raises:
        ConfinementError: there is no such interpreter, or it is a script that starts another (a shim of
        pyenv).
    """
    if not interpreter.exists():
        raise ConfinementError(f"there is no interpreter {interpreter}; name one in [reference] interpreter")
    with interpreter.open("rb") as file:
        if file.read(2) == b"#!":
            raise ConfinementError(
                f"{interpreter} is a script that starts an interpreter; name the interpreter itself "
                f"in [reference] interpreter (`{interpreter} -c 'import sys; print(sys.executable)'`)"
            )
    found: dict[Path, None] = {}
    for program in _links(interpreter.absolute()):
        for path in _of_prefix(program):
            found.setdefault(path)
    for folder in list(found):
        for packages in _site_packages(folder):
            for path in (packages, *_pth_folders(packages)):
                if not any(path.is_relative_to(known) for known in found):
                    found.setdefault(path)
    return tuple(found)


def _links(program: Path) -> Iterator[Path]:
    """The program and what its links lead to, one step at a time."""
    for _ in range(_SEARCH_DEPTH):
        yield program
        if not program.is_symlink():
            break
        program = program.parent / program.readlink()
    yield program.resolve()


def _of_prefix(program: Path) -> Iterator[Path]:
    prefix = program.parent.parent
    if Path.home().resolve().is_relative_to(prefix.resolve()):
        # The home itself or a folder above it.
        yield program
        yield from (path for path in prefix.glob("lib*/*python3*") if path.exists())
        return
    yield prefix
    settings = prefix / "pyvenv.cfg"
    if settings.is_file():
        base = re.search(r"^home\s*=\s*(.+)$", settings.read_text(errors="replace"), re.MULTILINE)
        if base:
            yield Path(base[1].strip()).parent


def _site_packages(folder: Path) -> Iterator[Path]:
    settings = folder / "pyvenv.cfg"
    alone = settings.is_file() and not re.search(
        r"include-system-site-packages\s*=\s*true", settings.read_text()
    )
    for packages in folder.glob("lib*/python3*/site-packages"):
        yield packages
        own = Path.home() / ".local/lib" / packages.parent.name / "site-packages"
        if not alone and own.is_dir():
            yield own


def _pth_folders(packages: Path) -> Iterator[Path]:
    """Folders that editable installs add."""
    for file in sorted(packages.glob("*.pth")):
        for line in file.read_text(errors="replace").splitlines():
            folder = Path(line.strip())
            if folder.is_absolute() and folder.is_dir():
                yield folder
