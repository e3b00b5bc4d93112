"""The tasks below a folder: Python files with a class `Model` and a function `get_inputs`. They are read and never run."""

import ast
import os
import re
from pathlib import Path

from pydantic import Field

from kernelwright_backends.core.model import Model
from kernelwright_backends.untrusted.reading import read_text_bounded

# What installs, builds and version control leave beside tasks.
_PASSED_OVER = frozenset({"__pycache__", "node_modules", "build", "dist", "site-packages", "venv"})


class BatchTask(Model):
    """A task of a run."""

    path: Path
    name: str = Field(description="its path below the folder that was named, without suffix; unique in a run")
    group: str = Field(
        description="folder that it lies in, below the one that was named; the level or category"
    )
    text: str


def tasks_at(named: list[Path]) -> tuple[BatchTask, ...]:
    """The tasks that are named, or lie below a named folder; numbers in names count as numbers.

    Raises:
        OSError: a named path does not exist or cannot be read.
        ValueError: a named file is no task.
    """
    found: dict[Path, BatchTask] = {}
    names: set[str] = set()
    for path in named:
        for file in _files(path):
            resolved = file.resolve()
            text = _text_of(file)
            if text is None or not is_task(text):
                if file == path:
                    raise ValueError(f"{path} is no task: it needs a class Model and a function get_inputs")
                continue
            if resolved in found:
                continue
            name = _name(file, path, names)
            names.add(name)
            found[resolved] = BatchTask(path=resolved, name=name, group=_group(file, path), text=text)
    return tuple(found.values())


def is_task(text: str) -> bool:
    """Whether a file defines at its top level what a task must define."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    classes = {node.name for node in body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    return "Model" in classes and "get_inputs" in functions


def natural(path: Path) -> tuple[tuple[int, str], ...]:
    """A sort key under which `2_Relu` stands before `10_Gelu`."""
    parts = re.split(r"(\d+)", path.as_posix())
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)


def _files(named: Path) -> list[Path]:
    if not named.is_dir():
        named.stat()
        return [named]
    files = []
    for folder, folders, names in os.walk(named):
        folders[:] = [f for f in folders if f not in _PASSED_OVER and not f.startswith(".")]
        files += [Path(folder) / name for name in names if name.endswith(".py")]
    return sorted(files, key=lambda file: natural(file.relative_to(named)))


def _text_of(file: Path) -> str | None:
    try:
        return read_text_bounded(file)
    except (OSError, UnicodeDecodeError):
        return None


def _name(file: Path, named: Path, taken: set[str]) -> str:
    below = file.relative_to(named) if file != named else Path(file.name)
    name = below.with_suffix("").as_posix()
    if name not in taken:
        return name
    # Two folders were named that hold a file of this name each: the folder's name tells them apart.
    longer = f"{file.parent.name}/{name}"
    return longer if longer not in taken else file.with_suffix("").as_posix().lstrip("/")


def _group(file: Path, named: Path) -> str:
    below = file.parent.relative_to(named).as_posix() if file != named else "."
    return file.resolve().parent.name if below == "." else below
