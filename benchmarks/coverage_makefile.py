"""What the Makefile beside a file says of it, or the setup.py above it, where nothing else does: macros, folders, a standard, the
words of `make run`.

Makefiles are programs; only what stands there plainly is read: options in assignments and recipes, variables that the same file
sets to plain text, and the first command of a target `run` or `test` that starts a program of the folder. A setup.py is a program
too: of it only macros are taken, from options and from `define_macros` that stand there as plain strings.
"""

import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

_LEVELS = 4
_NAMES = ("GNUmakefile", "makefile", "Makefile")
_ASSIGNMENT = re.compile(r"^([A-Za-z_]\w*)[ \t]*[:?+]?=[ \t]*(.*)$", re.MULTILINE)
_VARIABLE = re.compile(r"\$[({]([A-Za-z_]\w*)[)}]")
_RUN = re.compile(r"^(?:run|test|check)[ \t]*:[^\n]*\n((?:\t[^\n]*\n?)+)", re.MULTILINE)
_DEFINE = re.compile(r"(?<!\S)-D[ \t]*([A-Za-z_]\w*(?:=[^\s\\]+)?)")
_INCLUDE = re.compile(r"(?<!\S)-I[ \t]*([^\s$\\]+)")
_STANDARD = re.compile(r"-std[= ]c\+\+(17|20)\b")


@cache
def makefile_entry(folder: Path) -> dict[str, Any]:
    """`define`, `include` (absolute), `std` and `args` as `corpus.jsonl` says them; what the Makefile does not say is left out."""
    file = next((folder / name for name in _NAMES if (folder / name).is_file()), None)
    if file is None:
        defines = _setup_defines(folder)
        return {"define": defines} if defines else {}
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    text, values = _taken(re.sub(r"^[ \t]*#.*$|[ \t]#.*$", "", text.replace("\\\n", " "), flags=re.MULTILINE))
    entry: dict[str, Any] = {}
    if defines := list(dict.fromkeys(d for d in _DEFINE.findall(_expanded(text, values)) if "$" not in d)):
        entry["define"] = defines
    folders = [(folder / name).resolve() for name in _INCLUDE.findall(_expanded(text, values))]
    if includes := list(dict.fromkeys(str(path) for path in folders if path.is_dir())):
        entry["include"] = includes
    if standard := _STANDARD.search(text):
        entry["std"] = f"c++{standard[1]}"
    if words := _words(text, values):
        entry["args"] = words
    return entry


def _setup_defines(folder: Path) -> list[str]:
    """The macros of the nearest setup.py above, at most so many folders up."""
    for above in (folder, *folder.parents[:_LEVELS]):
        file = above / "setup.py"
        if file.is_file():
            try:
                tree = ast.parse(file.read_text(encoding="utf-8", errors="replace"))
            except (OSError, SyntaxError, ValueError):
                return []
            found: dict[str, None] = {}
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    if match := _DEFINE.fullmatch(node.value):
                        found[match[1]] = None
                elif isinstance(node, ast.keyword) and node.arg == "define_macros":
                    found |= dict.fromkeys(_macros(node.value))
            return list(found)
    return []


def _macros(listed: ast.expr) -> Iterator[str]:
    """`("NAME", None)` and `("NAME", "value")` of a list."""
    for entry in ast.walk(listed):
        if isinstance(entry, ast.Tuple) and len(entry.elts) == 2:
            name, value = (part.value if isinstance(part, ast.Constant) else ... for part in entry.elts)
            if isinstance(name, str) and (value is None or isinstance(value, str)):
                yield name if value is None else f"{name}={value}"


def _taken(text: str) -> tuple[str, dict[str, str]]:
    """The lines that `ifeq`, `ifdef` and their like leave, and the variables as they stand at the end."""
    lines: list[str] = []
    values: dict[str, str] = {}
    taken: list[bool] = []
    for line in text.splitlines():
        words = line.strip()
        if condition := re.match(r"(ifn?eq)\s*\(([^,]*),([^)]*(?:\)[^)]*)*)\)|(ifn?def)\s+(\w+)", words):
            if condition[1]:
                same = _expanded(condition[2], values).strip() == _expanded(condition[3], values).strip()
                taken.append(same == (condition[1] == "ifeq"))
            else:
                taken.append((condition[5] in values) == (condition[4] == "ifdef"))
        elif re.match(r"else\b", words) and taken:
            taken[-1] = not taken[-1]
        elif re.match(r"endif\b", words) and taken:
            taken.pop()
        elif all(taken):
            lines.append(line)
            if match := _ASSIGNMENT.match(line):
                before = values.get(match[1], "") + " " if "+=" in line.split(match[2] or "\n", 1)[0] else ""
                values[match[1]] = (before + match[2]).strip()
    return "\n".join(lines) + "\n", values


def _expanded(text: str, values: dict[str, str]) -> str:
    """Variables that are plain text, to a depth that no honest Makefile needs."""
    for _ in range(4):
        text = _VARIABLE.sub(lambda match: values.get(match[1], match[0]), text)
    return text


def _words(text: str, values: dict[str, str]) -> list[str]:
    target = _RUN.search(text)
    if target is None:
        return []
    for line in target[1].splitlines():
        command = re.match(r"\s*@?(?:\$[({]\w+[)}][ \t]+)?\./\S+[ \t]*([^|;&<>]*)", line)
        if command is None:
            continue
        try:
            words = shlex.split(_expanded(command[1], values))
        except ValueError:
            return []
        return [] if any("$" in word for word in words) else words
    return []
