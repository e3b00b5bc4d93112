"""The scripts beside a file that call its functions."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from kernelwright_backends.untrusted.reach import Reach
from kernelwright_verifier.synthetic.safety import EXACT, LARGEST, RAGGED
from kernelwright_verifier.synthetic.script import script_calls

_FOLDERS = (
    ".",
    "..",
    "tests",
    "test",
    "benchmarks",
    "benchmark",
    "../tests",
    "../test",
    "../benchmarks",
    "../bench",
    "bench",
)
_MOST_SCRIPTS = 24
_SCRIPT_BYTES = 1 << 18
_OWN = 1 << 62


def calls_in_scripts(path: Path, names: Iterable[str]) -> dict[str, dict[int, tuple[object, ...]]]:
    """By function and largest size: how a script beside `path` calls it. The scripts are read within the project, never run."""
    wanted = tuple(names)
    found: dict[str, dict[int, tuple[object, ...]]] = {}
    for _, text in scripts_beside(path):
        here = [name for name in wanted if name in text and name not in found]
        if not here or "torch" not in text:
            continue
        for largest in (*LARGEST, *RAGGED, EXACT):
            for name, given in script_calls(text, here, largest or _OWN).items():
                found.setdefault(name, {})[largest] = given
    return found


def scripts_beside(path: Path) -> Iterator[tuple[Path, str]]:
    """The scripts that are looked at, with their texts: that of the file's name first."""
    reach = Reach(path)
    for script in islice(_scripts(path), _MOST_SCRIPTS):
        try:
            yield script, reach.read(script, limit_bytes=_SCRIPT_BYTES).decode("utf-8")
        except (OSError, ValueError):
            continue


def _scripts(path: Path) -> Iterable[Path]:
    own = path.with_suffix(".py")
    if own.is_file():
        yield own
    for folder in _FOLDERS:
        place = path.parent / folder
        try:
            yield from sorted(p for p in place.glob("*.py") if p != own)
        except OSError:
            continue
