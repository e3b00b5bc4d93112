"""`kernelwright init FILE [ENTRY]`: write a task that binds to a kernel, and the directive that says so."""

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from kernelwright_backends.core.kernel import Function, SourceIndex
from kernelwright_backends.core.registry import dialect_of, index_of
from kernelwright_backends.untrusted.placing import put
from kernelwright_server.cli.errors import UsageError
from kernelwright_server.cli.files import candidate_at, look_whether_free, write_text
from kernelwright_server.features.starting_task import Answers, starting_task, tensors_of
from kernelwright_verifier.synthetic.script import ScriptTensor
from kernelwright_verifier.synthetic.scripts import calls_in_scripts

_DTYPES = ("float32", "float16", "bfloat16", "float64", "int32", "int64", "int8", "uint8", "bool")
_LARGEST = 256
_SHAPE = re.compile(r"(?:(?P<name>[A-Za-z_]\w*)=)?(?P<sizes>\d+(?:[x,]\d+)*)")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a kernel's file")
    parser.add_argument("entry", nargs="?", metavar="ENTRY", help="the function to write a task for")
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="[NAME=]4096x1024",
        help="shape of a tensor, or of all that no other --shape names; N=4096 sets the size N of the entry",
    )
    parser.add_argument(
        "--dtype", choices=_DTYPES, help="type of tensors whose type the entry does not spell"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="TASK.py", help="default: beside FILE, by its name"
    )
    parser.add_argument("--force", action="store_true", help="replace a task that exists")


def run(arguments: argparse.Namespace) -> int:
    ask = _asked if sys.stdin.isatty() and sys.stdout.isatty() else _never
    candidate = candidate_at(arguments.file)
    dialect = dialect_of(candidate.path, candidate.text)
    if dialect is None:
        raise UsageError(
            f"{arguments.file} is neither a CUDA nor an Ascend C file; pass a .cu, .cuh or .asc file"
        )
    index = index_of(dialect, candidate.text)
    function = _function(arguments, index, ask)
    beside = arguments.file.with_suffix(".py")
    if arguments.output is None and beside.exists() and not arguments.force:
        beside = arguments.file.with_name(f"{arguments.file.stem}_{function.name}_task.py")
    task = arguments.output or beside
    look_whether_free(task, arguments.force)
    made = starting_task(function, _spelled(task, arguments.file), _answers(arguments, function, ask))
    write_text(task, made.task)
    _add_directive(arguments.file, candidate.text, function, made.directive)
    print(
        f"write what {function.name} computes into forward of {task}, then run: kernelwright check {arguments.file}"
    )
    return 0


Ask = Callable[[str, str], str]


def _never(question: str, usual: str) -> str:
    return usual


def _asked(question: str, usual: str) -> str:
    try:
        return input(f"{question} [{usual}]: ").strip() or usual
    except EOFError:
        return usual


def _function(arguments: argparse.Namespace, index: SourceIndex, ask: Ask) -> Function:
    known = (*index.entries, *index.kernels)
    name = arguments.entry
    if name is None and len(index.entries) != 1 and len(known) > 1:
        reached = {name for f in index.entries for name in f.calls}
        first = next((f for f in index.entries if f.name not in reached), known[0])
        name = ask(f"entry ({', '.join(f.name for f in known)})", "" if ask is _never else first.name)
        if not name:
            names = ", ".join(f.name for f in known)
            raise UsageError(f"{arguments.file} has several entries; name one of {names}")
    function = index.find(name) if name else next(iter(known), None)
    if function is None:
        names = ", ".join(f.name for f in known) or "none"
        raise UsageError(f"{arguments.file} has no function '{name or ''}' (found: {names})")
    if not tensors_of(function):
        raise UsageError(f"{function.name} takes no tensor, so no task can be written for it")
    return function


def _answers(arguments: argparse.Namespace, function: Function, ask: Ask) -> Answers:
    shapes, sizes = _read_shapes(arguments.shape, function)
    dtypes: list[str] = []
    for told, parameter in zip(
        calls_in_scripts(arguments.file.resolve(), [function.name]).get(function.name, {}).get(_LARGEST, ()),
        function.parameters,
        strict=False,
    ):
        if isinstance(told, ScriptTensor):
            shapes.setdefault(parameter.name, told.shape)
            dtypes.append(told.dtype)
    unshaped = [p.name for p in tensors_of(function) if p.name not in shapes]
    whole = [
        p for p in function.parameters if (p.element or "").startswith(("int", "uint")) and not p.pointer
    ]
    if unshaped and not whole and not arguments.shape:
        given = ask(f"shape of {', '.join(unshaped)}", "4096")
        more, _ = _read_shapes([given], function)
        shapes = {**more, **shapes}
    untyped = any(p.element in (None, "void") for p in tensors_of(function))
    dtype = arguments.dtype or next(iter(dtypes), None)
    if untyped and dtype is None:
        dtype = ask("element type", "float32")
        if dtype not in _DTYPES:
            raise UsageError(f"'{dtype}' is not an element type; pass one of {', '.join(_DTYPES)}")
    return Answers(shapes, dtype, sizes)


def _read_shapes(
    texts: list[str], function: Function
) -> tuple[dict[str, tuple[int, ...]], Mapping[str, int]]:
    """Shapes by parameter, and the entry's sizes.

    Raises:
        UsageError: a text is neither.
    """
    shapes: dict[str, tuple[int, ...]] = {}
    sizes: dict[str, int] = {}
    for text in texts:
        match = _SHAPE.fullmatch(text.strip())
        numbers = tuple(int(n) for n in re.split("[x,]", match["sizes"])) if match else ()
        if match is None or 0 in numbers or len(numbers) > 8:
            raise UsageError(f"--shape: '{text}' is not of the form 4096x1024, x=4096x1024 or N=4096")
        name = match["name"]
        tensors = [p.name for p in tensors_of(function)]
        if name is None:
            for tensor in tensors:
                shapes.setdefault(tensor, numbers)
        elif name in tensors:
            shapes[name] = numbers
        elif len(numbers) == 1 and (name == "N" or any(p.name == name for p in function.parameters)):
            sizes[name] = numbers[0]
        else:
            raise UsageError(
                f"--shape: {function.name} has no tensor '{name}' (tensors: {', '.join(tensors)})"
            )
    return shapes, sizes


def _spelled(task: Path, file: Path) -> str:
    """The task as the directive names it: its path starts at the folder of the kernel's file."""
    import os

    return os.path.relpath(task.resolve(), file.resolve().parent)


def _add_directive(file: Path, text: str, function: Function, directive: str) -> None:
    """Before the entry's definition, unless the file has a directive of that entry."""
    if re.search(rf"//\s*kernelwright:.*\bentry={re.escape(function.qualified_name)}\b", text):
        print(f"{file} has a directive of {function.name} already; the task fits: {directive}")
        return
    lines = text.splitlines(keepends=True)
    at = function.range.line - 1
    ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    changed = "".join([*lines[:at], directive + ending, *lines[at:]])
    try:
        put(file, changed.encode())
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None
    print(f"added to {file}:{at + 1}: {directive}")
