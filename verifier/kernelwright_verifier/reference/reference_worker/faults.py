"""What is wrong with a task, and where in its file."""

from __future__ import annotations

import ast
import errno
import linecache
import traceback
from typing import Any

NO_DISK_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)


class TaskFault(Exception):
    """Something is wrong with a task: a finding's code, one clear line, and the place in the task file."""

    def __init__(self, code: str, message: str, place: dict[str, int] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.place = place or {"line": 1, "column": 1, "end_line": 1, "end_column": 1}

    def as_data(self) -> dict[str, Any]:
        # What an exception says may hold halves of characters, which no UTF-8 has.
        message = str(self).encode("utf-8", "replace").decode()
        return {"code": self.code, "message": message, **self.place}


def place_of(node: ast.AST) -> dict[str, int]:
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    end_line, end_column = (
        getattr(node, "end_lineno", None) or line,
        getattr(node, "end_col_offset", None) or column,
    )
    return {"line": line, "column": column + 1, "end_line": end_line, "end_column": end_column + 1}


def code_points(line: str, offset: int | None) -> int:
    """A column counted from 1 in code points, from an offset in UTF-8 bytes."""
    return 1 if offset is None else len(line.encode()[:offset].decode(errors="replace")) + 1


def place_in(path: str, error: BaseException) -> dict[str, int]:
    """Where in the task file an exception came from: its innermost frame there."""
    place = {"line": 1, "column": 1, "end_line": 1, "end_column": 1}
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename != path or frame.lineno is None:
            continue
        text = linecache.getline(path, frame.lineno)
        end_line = getattr(frame, "end_lineno", None) or frame.lineno
        last = linecache.getline(path, end_line)
        start = getattr(frame, "colno", None)
        end = getattr(frame, "end_colno", None)
        place = {
            "line": frame.lineno,
            "column": code_points(text, start) if start is not None else len(text) - len(text.lstrip()) + 1,
            "end_line": end_line,
            "end_column": code_points(last, end) if end is not None else len(last.rstrip()) + 1,
        }
    return place


OUT_OF_MEMORY = (
    "can't allocate memory",
    "not enough memory",
    "Cannot allocate memory",
    "bad_alloc",
    "std::bad_alloc",
)


def fault_of(path: str, error: BaseException, doing: str) -> TaskFault:
    """The fault that an exception of the task's own code stands for."""
    if isinstance(error, TaskFault):
        return error
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, OSError) and error.errno in NO_DISK_SPACE:
        return TaskFault(
            "ENV_DISK",
            f"the reference cannot write its tensors: {error.strerror}. Free disk space ('kernelwright cache "
            "size' shows what is stored), or set XDG_CACHE_HOME to another disk",
        )
    if isinstance(error, MemoryError) or any(mark in str(error) for mark in OUT_OF_MEMORY):
        return TaskFault(
            "SIZE_TOO_LARGE",
            f"{doing} needs more memory than the limit allows; set smaller sizes with size= or SMALL",
            place_in(path, error),
        )
    if len(text) > 300:
        text = text[:297] + "..."
    remedy = ""
    if isinstance(error, ImportError):
        remedy = "; install it in the reference's interpreter, or name another one in [reference] interpreter"
    elif "CUDA" in text or ("cuda" in text.lower() and "NVIDIA" in text):
        remedy = "; the reference runs on the CPU and answers nothing that only a device knows"
    return TaskFault(
        "TASK_INVALID", f"{doing} raised {type(error).__name__}: {text}{remedy}", place_in(path, error)
    )
