"""The reference process: runs task files in the user's own interpreter and says what they are and compute.

Run by path (`python -I reference_worker.py JOBS`), Python 3.10 or newer; imports the standard library and
torch and nothing of Kernelwright. Requests come in as JSON lines on standard input, replies leave as JSON
lines on descriptor 3, which no task ever sees; the first line out says whether torch is here. Each task is
loaded in a child forked from the warm parent (torch runs on one thread, so a fork is safe), so that no task
can spoil another; a few children are kept for the next request.

Request: {"id", "request": "describe" | "trial" | "screen" | "release", "task": {"path", "text", "small", "requires"},
          "size": "auto" | "full" | {name: value}, "limits": {"time_s", "memory_mb"},
          and for a trial "seed", "family", "output"}
Reply:   {"id", "result": {...}} or
         {"id", "error": {"code", "message", "line", "column", "end_line", "end_column"}}
"""

from __future__ import annotations

import ast
import contextlib
import copy
import ctypes
import errno
import hashlib
import inspect
import json
import linecache
import math
import os
import random
import resource
import selectors
import signal
import sys
import time
import traceback
import types
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

REPLY_DESCRIPTOR = 3
GREETING: dict[str, Any] = {"python": sys.version.split()[0], "executable": sys.executable}

try:
    import torch
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves
except Exception as error:
    os.write(REPLY_DESCRIPTOR, json.dumps({**GREETING, "torch": None, "error": str(error)}).encode() + b"\n")
    sys.exit(1)

# Reduced sizes, as contracts.md section 2 fixes them.
TARGETS = (128, 64, 32, 16, 8)
REFERENCE_TIME_S = 0.5
TENSOR_BYTES = 64 << 20
# What the emulation of a candidate does in some tenths of a second: a task of more is not taken at its full
# size, however quick torch is.
EMULATED_OPERATIONS = 5e6
# And five trials of more than this would not end within a save's time limit: a smaller size is taken where there is one.
REDUCED_OPERATIONS = 2e8
# A probe that needs more arithmetic than this on the meta device is not even started.
PROBE_OPERATIONS = 4e10
PROBE_WALL_S = 6.0
ALIGNMENT = 256
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
KEPT_CHILDREN = 4


class TaskFault(Exception):
    """Something is wrong with a task: a finding's code, one clear line, and the place in the task file."""

    def __init__(self, code: str, message: str, place: dict[str, int] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.place = place or {"line": 1, "column": 1, "end_line": 1, "end_column": 1}

    def as_data(self) -> dict[str, Any]:
        return {"code": self.code, "message": str(self), **self.place}


# ---- sizes: module-level integers that are literals or expressions of literals -----------------------------


def literal_integer(node: ast.AST) -> int | None:
    """The value of an integer expression of literals, None where it is anything else."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = literal_integer(node.operand)
        return None if value is None else (-value if isinstance(node.op, ast.USub) else value)
    if isinstance(node, ast.BinOp):
        left, right = literal_integer(node.left), literal_integer(node.right)
        if left is None or right is None:
            return None
        return integer_operation(node.op, left, right)
    return None


def integer_operation(operator: ast.operator, left: int, right: int) -> int | None:
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    if isinstance(operator, ast.FloorDiv) and right != 0:
        return left // right
    if isinstance(operator, ast.Mod) and right != 0:
        return left % right
    if isinstance(operator, ast.Pow) and 0 <= right <= 64:
        return int(left**right)
    if isinstance(operator, ast.LShift) and 0 <= right <= 64:
        return left << right
    if isinstance(operator, ast.RShift) and 0 <= right <= 64:
        return left >> right
    return None


def reduced(value: int, target: int) -> int:
    return target + value % target if value > target else value


def assignments(tree: ast.Module) -> Iterator[tuple[ast.stmt, list[ast.expr], ast.expr]]:
    """The module-level assignments: statement, targets, value."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            yield statement, statement.targets, statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            yield statement, [statement.target], statement.value


def named_values(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """(name, expression) of one assignment; `a, b = 1, 2` gives two."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif (
        isinstance(target, (ast.Tuple, ast.List))
        and isinstance(value, (ast.Tuple, ast.List))
        and len(target.elts) == len(value.elts)
    ):
        for part, expression in zip(target.elts, value.elts, strict=True):
            yield from named_values(part, expression)


def holds_size(node: ast.expr) -> bool:
    if isinstance(node, (ast.Tuple, ast.List)):
        return any(holds_size(element) for element in node.elts)
    return literal_integer(node) is not None


def rewritten(node: ast.expr, change: Callable[[int], int]) -> ast.expr:
    """`node` with every integer literal expression changed, also inside tuples and lists."""
    value = literal_integer(node)
    if value is not None:
        return ast.copy_location(ast.Constant(change(value)), node)
    if isinstance(node, (ast.Tuple, ast.List)):
        elements = [rewritten(element, change) for element in node.elts]
        return ast.copy_location(type(node)(elts=elements, ctx=ast.Load()), node)
    return node


def overridden(node: ast.expr, value: Any, name: str) -> ast.expr:
    """`node` with its literal integers replaced by those of `value`; other elements of a tuple stay."""
    if isinstance(node, (ast.Tuple, ast.List)):
        if not isinstance(value, (list, tuple)) or len(value) != len(node.elts):
            raise TaskFault(
                "SIZE_INVALID",
                f"size {name} is a sequence of {len(node.elts)} values in this task, not {value!r}",
                place_of(node),
            )
        elements = [
            overridden(e, v, name) if holds_size(e) else e for e, v in zip(node.elts, value, strict=True)
        ]
        return ast.copy_location(type(node)(elts=elements, ctx=ast.Load()), node)
    if isinstance(value, (list, tuple)):
        if literal_integer(node) is not None:
            raise TaskFault(
                "SIZE_INVALID", f"size {name} is one integer in this task, not {value!r}", place_of(node)
            )
        elements = [overridden(node, v, name) for v in value]
        return ast.copy_location(ast.Tuple(elts=elements, ctx=ast.Load()), node)
    if type(value) is not int:
        raise TaskFault("SIZE_INVALID", f"size {name} must be an integer, not {value!r}", place_of(node))
    return ast.copy_location(ast.Constant(value), node)


class Sizes:
    """The size constants of a task text, and the same text with other sizes."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.names: list[str] = []
        self.assigned: list[str] = []
        for _, targets, value in assignments(tree):
            for target in targets:
                for name, expression in named_values(target, value):
                    self.assigned.append(name)
                    if holds_size(expression) and name not in self.names:
                        self.names.append(name)

    @property
    def largest(self) -> int:
        """The largest integer that the reduction rule could change."""
        largest = 0

        def look(value: int) -> int:
            nonlocal largest
            largest = max(largest, value)
            return value

        for _, _, value in assignments(self.tree):
            rewritten(value, look)
        return largest

    def reduced_to(self, target: int) -> ast.Module:
        return self._with(lambda _, expression: rewritten(expression, lambda value: reduced(value, target)))

    def overridden_by(self, sizes: dict[str, Any]) -> ast.Module:
        """Raises TaskFault (SIZE_INVALID) for a name that the module does not assign."""
        for name in sizes:
            if name not in self.assigned:
                known = ", ".join(self.names) or "none"
                raise TaskFault("SIZE_INVALID", f"the task has no module constant {name!r}; it has: {known}")

        def change(name: str, expression: ast.expr) -> ast.expr:
            return overridden(expression, sizes[name], name) if name in sizes else expression

        return self._with(change)

    def _with(self, change: Callable[[str, ast.expr], ast.expr]) -> ast.Module:
        tree = copy.deepcopy(self.tree)
        for statement, targets, value in assignments(tree):
            changed = value
            for target in targets:
                changed = self._changed(target, changed, change)
            statement.value = changed  # type: ignore[attr-defined]
        return ast.fix_missing_locations(tree)

    def _changed(
        self, target: ast.expr, value: ast.expr, change: Callable[[str, ast.expr], ast.expr]
    ) -> ast.expr:
        if isinstance(target, ast.Name):
            return change(target.id, value)
        if (
            isinstance(target, (ast.Tuple, ast.List))
            and isinstance(value, (ast.Tuple, ast.List))
            and len(target.elts) == len(value.elts)
        ):
            elements = [
                self._changed(part, e, change) for part, e in zip(target.elts, value.elts, strict=True)
            ]
            return ast.copy_location(type(value)(elts=elements, ctx=ast.Load()), value)
        return value


# ---- places and faults -------------------------------------------------------------------------------------


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
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return TaskFault(
            "ENV_DISK",
            f"the reference cannot write its tensors: {error.strerror}; make room ('kernelwright cache size' says what is "
            "kept), or set XDG_CACHE_HOME to a folder that has some",
        )
    if isinstance(error, MemoryError) or any(mark in str(error) for mark in OUT_OF_MEMORY):
        return TaskFault(
            "SIZE_TOO_LARGE",
            f"{doing} needs more memory than the limit; give smaller sizes with size= or SMALL",
            place_in(path, error),
        )
    if len(text) > 300:
        text = text[:297] + "..."
    remedy = ""
    if isinstance(error, ImportError):
        remedy = (
            "; install it in the interpreter of the reference, or name another one ([reference] interpreter)"
        )
    elif "CUDA" in text or ("cuda" in text.lower() and "NVIDIA" in text):
        remedy = "; the reference runs on the CPU: leave the device of tensors to the default"
    return TaskFault(
        "TASK_INVALID", f"{doing} raised {type(error).__name__}: {text}{remedy}", place_in(path, error)
    )


# ---- a task, loaded ----------------------------------------------------------------------------------------


def parsed(path: str, text: str) -> ast.Module:
    """The syntax tree of a task. Raises TaskFault where it is no task."""
    name = Path(path).name
    try:
        tree = ast.parse(text, filename=path)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        column = getattr(error, "offset", None) or 1
        place = {
            "line": line,
            "column": max(column, 1),
            "end_line": getattr(error, "end_lineno", None) or line,
            "end_column": max(getattr(error, "end_offset", None) or column, 1),
        }
        raise TaskFault(
            "TASK_INVALID", f"{name} is not valid Python: {getattr(error, 'msg', error)}", place
        ) from None
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        called_name = getattr(called, "attr", None) or getattr(called, "id", None)
        if called_name in ("load_inline", "load") and "cpp" in ast.dump(node):
            raise TaskFault(
                "TASK_SOLUTION",
                f"{name} is a KernelBench solution ({called_name} of C++ strings), not a task: "
                "put its CUDA source into a .cu file and name the reference file as its task",
                place_of(node),
            )
    defined = {n.name: n for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    bound = set(defined) | {n for _, ts, v in assignments(tree) for t in ts for n, _ in named_values(t, v)}
    for statement in tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            bound.update((alias.asname or alias.name).split(".")[0] for alias in statement.names)
    if "ModelNew" in bound and "Model" not in bound:
        raise TaskFault(
            "TASK_SOLUTION",
            f"{name} is a KernelBench solution (class ModelNew), not a task: name the reference file instead",
            place_of(defined["ModelNew"]) if "ModelNew" in defined else None,
        )
    missing = [what for what in ("Model", "get_inputs") if what not in bound]
    if missing:
        words = {"Model": "class Model (torch.nn.Module)", "get_inputs": "function get_inputs"}
        raise TaskFault(
            "TASK_INVALID",
            f"{name} has no {' and no '.join(words[m] for m in missing)}: "
            "a task defines Model, get_inputs and get_init_inputs",
        )
    return tree


class LoadedTask:
    """A task's module at given sizes, executed in this process."""

    def __init__(self, path: str, text: str, tree: ast.Module, sizes: Sequence[str]) -> None:
        self.path = path
        self.lengths: list[int] | None = None
        module = types.ModuleType("kernelwright_task")
        module.__file__ = path
        sys.modules[module.__name__] = module
        linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
        self.namespace = module.__dict__
        try:
            exec(compile(tree, path, "exec"), self.namespace)
        except BaseException as error:
            raise fault_of(path, error, "the task file") from None
        self.sizes = {n: plain(self.namespace[n]) for n in sizes if is_plain(self.namespace.get(n))}
        self.constants = {
            name: plain(value)
            for name, value in self.namespace.items()
            if not name.startswith("_") and is_plain(value) and not isinstance(value, str)
        }

    def mapping(self, name: str) -> dict[str, Any]:
        value = self.namespace.get(name, {})
        if not isinstance(value, dict):
            raise TaskFault("TASK_INVALID", f"{name} must be a dictionary, not {type(value).__name__}")
        return value

    @property
    def shapes(self) -> list[dict[str, Any]]:
        value = self.namespace.get("shapes", [])
        if isinstance(value, (list, tuple)) and all(isinstance(entry, dict) for entry in value):
            return [{str(k): plain(v) for k, v in entry.items()} for entry in value]
        return []

    def reduction_lengths(self) -> list[int]:
        """K of each output (verifier.md A6); found once."""
        if self.lengths is None:
            try:
                trace = traced(self, "meta")[-1]
            except TaskFault:
                trace = traced(self, "cpu")[-1]
            self.lengths = reduction_lengths(trace)
        return self.lengths

    def init_inputs(self) -> Any:
        make = self.namespace.get("get_init_inputs")
        try:
            return [] if make is None else make()
        except Exception as error:
            raise fault_of(self.path, error, "get_init_inputs()") from None

    def build(self, init: Any) -> Any:
        model_class = self.namespace["Model"]
        try:
            model = model_class(**init) if isinstance(init, dict) else model_class(*init)
        except Exception as error:
            raise fault_of(self.path, error, "Model(*get_init_inputs())") from None
        if not isinstance(model, torch.nn.Module):
            raise TaskFault("TASK_INVALID", "Model is not a torch.nn.Module")
        return model

    def inputs(self, model: Any) -> OrderedDict[str, Any]:
        """forward's arguments by name, in order; those left to their defaults are not among them."""
        try:
            given = self.namespace["get_inputs"]()
        except Exception as error:
            raise fault_of(self.path, error, "get_inputs()") from None
        if isinstance(given, dict):
            return OrderedDict(given)
        if isinstance(given, torch.Tensor):
            given = [given]
        if not isinstance(given, (list, tuple)):
            raise TaskFault(
                "TASK_INVALID", f"get_inputs() must return a list of arguments, not {type(given).__name__}"
            )
        names = positional_names(model.forward, len(given))
        if len(names) < len(given):
            raise TaskFault(
                "TASK_INVALID",
                f"get_inputs() returns {len(given)} values, but Model.forward takes {len(names)}",
                place_of_function(self.namespace["Model"], "forward"),
            )
        return OrderedDict(zip(names, given, strict=False))

    def run(self, model: Any, inputs: OrderedDict[str, Any]) -> list[Any]:
        """The reference's outputs, flattened. Raises TaskFault where forward does, or returns no tensor."""
        try:
            parameters = inspect.signature(model.forward).parameters
            variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
            if variadic or not all(name in parameters for name in inputs):
                result = model(*inputs.values())
            else:
                result = model(**inputs)
        except Exception as error:
            raise fault_of(self.path, error, "Model.forward") from None
        leaves = [leaf for leaf in tree_leaves(result) if leaf is not None]
        outputs = [torch.as_tensor(leaf) if isinstance(leaf, (bool, int, float)) else leaf for leaf in leaves]
        place = place_of_function(self.namespace["Model"], "forward")
        if not outputs or not all(isinstance(output, torch.Tensor) for output in outputs):
            raise TaskFault("TASK_INVALID", "Model.forward returns something else than tensors", place)
        for output in outputs:
            if output.layout is not torch.strided or output.is_quantized or output.is_complex():
                raise TaskFault("TASK_INVALID", "outputs must be dense tensors of real numbers", place)
        return outputs


def positional_names(function: Callable[..., Any], count: int) -> list[str]:
    names: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            names.extend(f"{parameter.name}{i}" for i in range(count - len(names)))
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    return names


def place_of_function(owner: Any, name: str) -> dict[str, int] | None:
    code = getattr(getattr(owner, name, None), "__code__", None)
    if code is None:
        return None
    line = code.co_firstlineno
    width = len(linecache.getline(code.co_filename, line).rstrip())
    return {"line": line, "column": 1, "end_line": line, "end_column": width + 1}


def is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return len(value) <= 64 and all(is_plain(element) for element in value)
    return type(value) in (int, float, bool)


def plain(value: Any) -> Any:
    return [plain(element) for element in value] if isinstance(value, (list, tuple)) else value


def seed_everything(seed: int) -> None:
    random.seed(seed)
    torch.manual_seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


# ---- describing: signature, shapes, operator trace ---------------------------------------------------------


def dtype_name(dtype: Any) -> str:
    return str(dtype).replace("torch.", "")


def tensor_spec(name: str, tensor: Any) -> dict[str, Any]:
    return {
        "name": name,
        "dtype": dtype_name(tensor.dtype),
        "shape": list(tensor.shape),
        "strides": list(tensor.stride()),
    }


def argument(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, torch.Tensor):
        return {"name": name, "kind": "tensor", "tensor": tensor_spec(name, value)}
    if isinstance(value, (bool, int, float)):
        return {"name": name, "kind": "scalar", "value": value}
    if (
        isinstance(value, (list, tuple))
        and is_plain(value)
        and not any(isinstance(v, (list, tuple)) for v in value)
    ):
        return {"name": name, "kind": "tuple", "value": list(value)}
    return {"name": name, "kind": "other", "value": value if isinstance(value, str) else None}


def defaults(function: Callable[..., Any], given: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for parameter in inspect.signature(function).parameters.values():
        named = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
        if named and parameter.name not in given and parameter.default is not parameter.empty:
            yield parameter.name, parameter.default


class Instance:
    """Model and inputs of a task, built under one seed on one device."""

    def __init__(self, task: LoadedTask, seed: int) -> None:
        self.task = task
        seed_everything(seed)
        self.init = task.init_inputs()
        self.model = task.build(self.init)
        seed_everything(seed)
        self.inputs = task.inputs(self.model)
        tensors = {name: value for name, value in self.inputs.items() if isinstance(value, torch.Tensor)}
        # A parameter that is called like an argument of forward is told apart by a prefix.
        self.parameters = OrderedDict(
            (f"self.{name}" if name in tensors else name, p) for name, p in self.model.named_parameters()
        )
        self.buffers = OrderedDict(
            (f"self.{name}" if name in tensors else name, b) for name, b in self.model.named_buffers()
        )
        self.tensors: OrderedDict[str, Any] = OrderedDict(tensors)
        self.tensors.update(self.parameters)
        self.tensors.update(self.buffers)
        for name, tensor in self.tensors.items():
            if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_complex():
                raise TaskFault("TASK_INVALID", f"{name} must be a dense tensor of real numbers")

    @property
    def init_arguments(self) -> list[dict[str, Any]]:
        function = self.task.namespace["Model"].__init__
        if isinstance(self.init, dict):
            given = dict(self.init)
        else:
            given = dict(zip(positional_names(function, len(self.init) + 1)[1:], self.init, strict=False))
        given.update(defaults(function, [*given, "self"]))
        return [argument(name, value) for name, value in given.items()]

    @property
    def forward_arguments(self) -> list[dict[str, Any]]:
        listed = [argument(name, value) for name, value in self.inputs.items()]
        return listed + [
            argument(n, v) for n, v in defaults(self.model.forward, list(self.inputs)) if is_plain(v)
        ]

    def output_names(self, count: int) -> list[str]:
        return ["out"] if count == 1 and "out" not in self.inputs else [f"out{i}" for i in range(count)]


VIEWS_DROPPED = ("detach", "alias", "lift_fresh")


class Tracer(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A dispatch mode that writes down every operator below autograd, over named values."""

    def __init__(self, names: OrderedDict[str, Any]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.given = list(names)
        self.values: dict[str, dict[str, Any]] = {}
        self.operators: list[dict[str, Any]] = []
        self.random: list[str] = []
        self.ids: dict[int, str] = {}
        self.kept: list[Any] = []  # an id() means nothing once its object is gone
        self.sharing: dict[int, dict[int, Any]] = {}
        self.constants = self.results = 0
        self.numbers: dict[str, bool | int | float] = {}
        self.made_of: dict[int, bool | int | float] = {}
        for name, tensor in names.items():
            self.name(tensor, name)

    def name(self, tensor: Any, name: str) -> str:
        self.values[name] = tensor_spec(name, tensor)
        return self.alias(tensor, name)

    def alias(self, tensor: Any, name: str) -> str:
        self.ids[id(tensor)] = name
        self.kept.append(tensor)
        self.sharing.setdefault(storage_of(tensor), {})[id(tensor)] = tensor
        return name

    def constant(self, tensor: Any) -> str:
        name = f"const{self.constants}"
        self.constants += 1
        if id(tensor) in self.made_of:
            self.numbers[name] = self.made_of[id(tensor)]
        return self.name(tensor, name)

    def result(self, tensor: Any) -> str:
        self.results += 1
        return self.name(tensor, f"%{self.results - 1}")

    def known(self, tensor: Any) -> str:
        return self.ids[id(tensor)] if id(tensor) in self.ids else self.constant(tensor)

    def __torch_dispatch__(self, func: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = func.__name__.split(".")[0]
        inputs, attributes = self.arguments(func, args, kwargs)
        result = func(*args, **kwargs)
        if name in VIEWS_DROPPED and isinstance(result, torch.Tensor) and len(inputs) == 1:
            self.alias(result, inputs[0])
            return result
        if torch.Tag.nondeterministic_seeded in func.tags and name not in self.random:
            self.random.append(name)
        results = [r for r in tree_leaves(result) if isinstance(r, torch.Tensor)]
        changed = results
        if name.endswith("_") and all(id(r) in self.ids for r in results):
            seen = [
                other for r in results for other in self.sharing[storage_of(r)].values() if other is not r
            ]
            if seen:
                changed = [*results, *seen]  # whatever shares the memory has another value from here on
            else:
                name = name[:-1]  # nothing else sees the old value, so it is the functional operator
        self.operators.append(
            {
                "name": name,
                "overload": func._overloadname,
                "inputs": inputs,
                "outputs": [self.result(r) for r in changed],
                "attributes": attributes,
            }
        )
        return result

    def arguments(self, func: Any, args: Any, kwargs: Any) -> tuple[list[str], dict[str, Any]]:
        """Value ids of the tensor arguments in order, and all others by name, defaults too."""
        inputs: list[str] = []
        attributes: dict[str, Any] = {}
        for position, formal in enumerate(func._schema.arguments):
            if position < len(args):
                value = args[position]
            elif formal.name in kwargs:
                value = kwargs[formal.name]
            else:
                value = formal.default_value if formal.has_default_value() else None
            tensors = [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]
            if tensors:
                inputs.extend(self.known(tensor) for tensor in tensors)
            elif formal.name not in ("device", "layout", "pin_memory"):
                attributes[formal.name] = attribute(value)
        return inputs, attributes

    def trace(self, outputs: Sequence[Any]) -> dict[str, Any]:
        """What the outputs need, in order; the rest (running statistics of a batch norm, say) is left out."""
        wanted = [self.known(output) for output in outputs]
        needed = {*wanted, *self.given}
        kept = []
        for operator in reversed(self.operators):
            if needed.intersection(operator["outputs"]):
                needed.update(operator["inputs"])
                kept.append(operator)
        for operator in kept:
            needed.update(operator["outputs"])
        return {
            "values": {name: spec for name, spec in self.values.items() if name in needed},
            "operators": kept[::-1],
            "outputs": wanted,
            "numbers": {name: number for name, number in self.numbers.items() if name in needed},
        }


class Numbers(TorchFunctionMode):
    """A function mode that notes what a constant made from one number holds: the meta device does not keep it."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__()
        self.tracer = tracer

    def __torch_function__(self, func: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if func in (torch.tensor, torch.as_tensor) and args:
            number = args[0]
            if isinstance(number, (bool, int, float)) and math.isfinite(number):
                self.tracer.made_of[id(result)] = number
                self.tracer.kept.append(result)
        return result


def storage_of(tensor: Any) -> int:
    return int(tensor.untyped_storage()._cdata)


def attribute(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [attribute(element) for element in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, torch.dtype):
        return dtype_name(value)
    return str(value).replace("torch.", "")


def traced(task: LoadedTask, device: str) -> tuple[Instance, list[Any], Tracer, dict[str, Any]]:
    """One instance on `device`, its outputs, and what was written down on the way."""
    with torch.no_grad(), torch.device(device):
        instance = Instance(task, seed=0)
        mode = Tracer(instance.tensors)
        with mode, Numbers(mode):
            outputs = task.run(instance.model, instance.inputs)
    return instance, outputs, mode, mode.trace(outputs)


def product(extents: Sequence[int]) -> int:
    return math.prod(extents) if extents else 1


def reduction_length(operator: dict[str, Any], values: dict[str, dict[str, Any]]) -> int:
    """How many elements one output element of this operator sums up; 1 where it sums nothing."""
    name, attributes = operator["name"], operator["attributes"]
    shapes = [values[v]["shape"] for v in operator["inputs"]]
    out = values[operator["outputs"][0]]["shape"] if operator["outputs"] else []
    first = shapes[0] if shapes else []
    if name in EXACT_SELECTIONS:
        return 1
    if name in ("mm", "bmm", "mv", "dot", "vdot"):
        return int(first[-1])
    if name in ("addmm", "baddbmm", "addbmm", "addmv", "addr"):
        return int(shapes[1][-1]) if name != "addr" else 1
    if name in ("convolution", "_convolution", "conv_transpose2d"):
        weight = shapes[1]
        summed = product(weight[2:]) * (
            weight[0] // attributes.get("groups", 1) if attributes.get("transposed") else weight[1]
        )
        return int(summed)
    if name == "native_layer_norm":
        return product(attributes.get("normalized_shape", first[-1:]))
    if name == "native_group_norm":
        return int(attributes["C"] // max(attributes["group"], 1) * attributes["HxW"])
    if "batch_norm" in name:
        training = attributes.get("training", True) and name != "_native_batch_norm_legit_no_training"
        return product(first) // max(first[1], 1) if training and len(first) > 1 else 1
    if name in ("_softmax", "_log_softmax", "_safe_softmax", "cumsum", "cumprod", "logcumsumexp"):
        return int(first[attributes.get("dim", -1)]) if first else 1
    if "scaled_dot_product" in name:
        return int(shapes[0][-1] + shapes[1][-2])
    if name in ("_cdist_forward", "_pdist_forward"):
        return int(first[-1])
    if (
        name.startswith(("avg_pool", "_adaptive_avg_pool", "adaptive_avg_pool"))
        and "kernel_size" in attributes
    ):
        return product(attributes["kernel_size"])
    return max(1, max((product(shape) for shape in shapes), default=1) // max(product(out), 1))


# Operators that pick elements without rounding, however many they look at.
EXACT_SELECTIONS = frozenset(
    [
        "max",
        "min",
        "amax",
        "amin",
        "aminmax",
        "argmax",
        "argmin",
        "sort",
        "topk",
        "kthvalue",
        "median",
        "cummax",
        "cummin",
        "max_pool2d_with_indices",
        "max_pool3d_with_indices",
        "index",
        "index_select",
        "gather",
        "select",
        "slice",
        "unfold",
        "narrow",
        "embedding",
        "masked_select",
        "any",
        "all",
        "view",
        "reshape",
        "_unsafe_view",
        "t",
        "transpose",
        "permute",
        "unsqueeze",
        "squeeze",
        "expand",
        "split",
        "chunk",
        "unbind",
        "diagonal",
        "diag",
        "as_strided",
        "clone",
        "_to_copy",
        "nonzero",
        "unique",
        "tril",
        "triu",
        "constant_pad_nd",
    ]
)


def reduction_lengths(trace: dict[str, Any]) -> list[int]:
    """K of each output: the largest sum of reduction lengths along a road from the inputs.

    Errors of chained reductions add up, and sqrt(K1 + K2) >= max(sqrt(K1), sqrt(K2)), so the sum allows both
    of them their share without the product's blindness.
    """
    length: dict[str, int] = {}
    for operator in trace["operators"]:
        before = max((length.get(name, 0) for name in operator["inputs"]), default=0)
        own = reduction_length(operator, trace["values"])
        for name in operator["outputs"]:
            length[name] = before + (own if own > 1 else 0)
    return [max(1, length.get(name, 0)) for name in trace["outputs"]]


def operation_count(trace: dict[str, Any]) -> float:
    """A rough count of multiply-adds, to keep probes short."""
    total = 0.0
    for operator in trace["operators"]:
        for name in operator["outputs"][:1]:
            outputs = product(trace["values"][name]["shape"])
            inputs = max((product(trace["values"][i]["shape"]) for i in operator["inputs"]), default=0)
            total += max(float(outputs) * reduction_length(operator, trace["values"]), float(inputs))
    return total


def size_bytes(spec: dict[str, Any]) -> int:
    return product(spec["shape"]) * int(getattr(torch, spec["dtype"]).itemsize)


def describe(task: LoadedTask, device: str) -> dict[str, Any]:
    """The description of a task at the sizes it was loaded with. On the meta device nothing is allocated."""
    instance, outputs, mode, trace = traced(task, device)
    names = instance.output_names(len(outputs))
    return {
        "forward": instance.forward_arguments,
        "init": instance.init_arguments,
        "parameters": [tensor_spec(n, t) for n, t in instance.parameters.items()],
        "buffers": [tensor_spec(n, t) for n, t in instance.buffers.items()],
        "outputs": [contiguous_spec(n, t) for n, t in zip(names, outputs, strict=True)],
        "constants": task.constants,
        "sizes": task.sizes,
        "trace": trace,
        "random": mode.random,
        "float64": runs_in_float64(task, device),
        "requires": {str(k): str(v) for k, v in task.mapping("requires").items()},
        "shapes": task.shapes,
    }


def contiguous_spec(name: str, tensor: Any) -> dict[str, Any]:
    """Outputs are allocated contiguous, whatever strides the reference's have."""
    strides, step = [], 1
    for extent in reversed(tensor.shape):
        strides.append(step)
        step *= max(extent, 1)
    return {
        "name": name,
        "dtype": dtype_name(tensor.dtype),
        "shape": list(tensor.shape),
        "strides": strides[::-1],
    }


# ---- float64 -----------------------------------------------------------------------------------------------


class Wider(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A dispatch mode under which a task's own conversions to a floating-point type go to `wide` instead."""

    def __init__(self, wide: Any) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.wide = wide

    def widened(self, value: Any) -> Any:
        return self.wide if value in (torch.float16, torch.bfloat16, torch.float32) else value

    def __torch_dispatch__(self, func: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func.__name__.split(".")[0] == "view":  # view(dtype) reinterprets bits
            return func(*args, **kwargs)
        types = torch.dtype
        return func(
            *(self.widened(a) if isinstance(a, types) else a for a in args),
            **{k: self.widened(v) if isinstance(v, types) else v for k, v in kwargs.items()},
        )


def widened_tensor(value: Any, dtype: Any) -> Any:
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.detach().to(dtype)
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    return copy.deepcopy(value)


def widened_model(model: Any, dtype: Any) -> Any:
    model = copy.deepcopy(model).to(dtype)
    for module in model.modules():
        for name, value in list(vars(module).items()):
            if isinstance(value, torch.Tensor) and value.is_floating_point():
                setattr(module, name, value.to(dtype))
    return model


def run_in(dtype: Any, task: LoadedTask, model: Any, inputs: OrderedDict[str, Any]) -> list[Any]:
    """The task's outputs with model and inputs converted to `dtype`, a wider floating-point type."""
    arguments = OrderedDict((name, widened_tensor(value, dtype)) for name, value in inputs.items())
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with torch.no_grad(), Wider(dtype):
            return task.run(widened_model(model, dtype), arguments)
    finally:
        torch.set_default_dtype(before)


def runs_in_float64(task: LoadedTask, device: str) -> bool:
    try:
        with torch.no_grad(), torch.device(device):
            instance = Instance(task, seed=0)
            outputs = run_in(torch.float64, task, instance.model, instance.inputs)
    except Exception:
        return False
    return all(not o.is_floating_point() or o.dtype is torch.float64 for o in outputs)


# ---- preconditions -----------------------------------------------------------------------------------------


class Precondition:
    """`requires` of a task: a condition over its tensors and constants, evaluated element by element.

    Beside comparisons and arithmetic it knows `sorted(x)` and `sorted(x, dim)` (never falling), `probabilities(x)` and
    `probabilities(x, dim)` (not negative, sums of one) and `unique(x)`, each over the last dimension unless given.
    """

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        try:
            self.tree = ast.parse(text.strip(), mode="eval").body
        except SyntaxError as error:
            raise TaskFault(
                "TASK_INVALID", f"requires[{name!r}] cannot be read: {error.msg}: {text!r}"
            ) from None

    def holds(self, values: dict[str, Any]) -> bool:
        return bool(torch.as_tensor(self.value(self.tree, values)).all())

    def bounds(self, values: dict[str, Any]) -> tuple[Any | None, Any | None]:
        """Lower and upper bound of the named tensor, from chains of comparisons around it."""
        low = high = None
        conditions = self.tree.values if isinstance(self.tree, ast.BoolOp) else [self.tree]
        for condition in conditions:
            if not isinstance(condition, ast.Compare):
                continue
            terms = [condition.left, *condition.comparators]
            for left, operator, right in zip(terms, condition.ops, terms[1:], strict=False):
                if isinstance(operator, (ast.Gt, ast.GtE)):
                    left, right = right, left
                elif not isinstance(operator, (ast.Lt, ast.LtE)):
                    continue
                if isinstance(right, ast.Name) and right.id == self.name:
                    low = self.value(left, values)
                if isinstance(left, ast.Name) and left.id == self.name:
                    high = self.value(right, values)
        return low, high

    @property
    def names(self) -> set[str]:
        """Everything that the condition mentions."""
        return {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}

    def repaired(self, values: Any, known: dict[str, Any]) -> Any:
        """`values` for the named tensor, in float64, moved to where the condition holds if that can be seen from it."""
        low, high = self.bounds({**known, self.name: values})
        if low is not None or high is not None:
            position = torch.sigmoid(values.clamp(-30, 30) / (Structure(values).deviation or 1.0))
            if low is not None and high is not None:
                values = low + (high - low) * (0.001 + 0.998 * position)
            elif low is not None:
                values = low + 1e-3 + values.abs()
            elif high is not None:
                values = high - 1e-3 - values.abs()
        for name, dim in self.properties(known):
            if values.ndim == 0:
                continue
            if name == "sorted":
                values = values.sort(dim).values
            elif name == "probabilities":
                values = torch.softmax(values.clamp(-30, 30), dim)
        return values

    def properties(self, values: dict[str, Any]) -> list[tuple[str, int]]:
        """(property, dimension) of the calls such as `sorted(x)` about the named tensor."""
        found = []
        for node in ast.walk(self.tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in PROPERTIES
                and node.args
                and isinstance(node.args[0], ast.Name)
                and node.args[0].id == self.name
            ):
                found.append((node.func.id, self.dimension(node, values)))
        return found

    def dimension(self, node: ast.Call, values: dict[str, Any]) -> int:
        dim = self.value(node.args[1], values) if len(node.args) > 1 else -1
        if len(node.args) > 2 or not isinstance(dim, int):
            raise self.unreadable(f"{ast.unparse(node)} takes a tensor and, at most, a dimension")
        return dim

    def value(self, node: ast.AST, values: dict[str, Any]) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float, bool)):
            return node.value
        if isinstance(node, ast.Name):
            if node.id in values:
                return values[node.id]
            raise self.unreadable(f"{node.id} is not known")
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "ndim"):
            return getattr(self.value(node.value, values), node.attr)
        if isinstance(node, ast.Subscript):
            return self.value(node.value, values)[self.value(node.slice, values)]
        if isinstance(node, ast.UnaryOp):
            operand = self.value(node.operand, values)
            if isinstance(node.op, ast.Not):
                return torch.as_tensor(operand).logical_not()
            return -operand if isinstance(node.op, ast.USub) else operand
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            return ARITHMETIC[type(node.op)](self.value(node.left, values), self.value(node.right, values))
        if isinstance(node, ast.BoolOp):
            parts = [torch.as_tensor(self.value(part, values)).all() for part in node.values]
            return torch.stack(parts).all() if isinstance(node.op, ast.And) else torch.stack(parts).any()
        if isinstance(node, ast.Compare):
            terms = [self.value(term, values) for term in (node.left, *node.comparators)]
            parts = []
            for left, operator, right in zip(terms, node.ops, terms[1:], strict=False):
                if type(operator) not in COMPARISONS:
                    raise self.unreadable("a comparison other than < <= > >= == !=")
                parts.append(torch.as_tensor(COMPARISONS[type(operator)](left, right)).all())
            return torch.stack(parts).all()
        if isinstance(node, ast.Call) and not node.keywords:
            return self.call(node, values)
        raise self.unreadable(f"{type(node).__name__} is not allowed")

    def call(self, node: ast.Call, values: dict[str, Any]) -> Any:
        arguments = [self.value(a, values) for a in node.args]
        if isinstance(node.func, ast.Attribute) and node.func.attr in (
            "numel",
            "abs",
            "sum",
            "min",
            "max",
            "size",
            "stride",
        ):
            return getattr(self.value(node.func.value, values), node.func.attr)(*arguments)
        if isinstance(node.func, ast.Name) and node.func.id in ("abs", "min", "max", "sum"):
            if len(arguments) == 1 and isinstance(arguments[0], torch.Tensor):
                return getattr(arguments[0], node.func.id)()
            functions: dict[str, Callable[..., Any]] = {"abs": abs, "min": min, "max": max, "sum": sum}
            return functions[node.func.id](*arguments)
        if isinstance(node.func, ast.Name) and node.func.id in PROPERTIES and arguments:
            if not isinstance(arguments[0], torch.Tensor):
                raise self.unreadable(f"{node.func.id} is about a tensor")
            dim = self.dimension(node, values)
            return arguments[0].ndim == 0 or PROPERTIES[node.func.id](arguments[0], dim)
        known = f"abs, min, max, sum, numel, size, stride, {', '.join(PROPERTIES)}"
        raise self.unreadable(f"a call other than {known}")

    def unreadable(self, why: str) -> TaskFault:
        return TaskFault("TASK_INVALID", f"requires[{self.name!r}] = {self.text!r}: {why}")


def never_falls(tensor: Any, dim: int) -> bool:
    size = tensor.shape[dim]
    return size < 2 or bool((tensor.narrow(dim, 1, size - 1) >= tensor.narrow(dim, 0, size - 1)).all())


def sums_of_one(tensor: Any, dim: int) -> bool:
    # A sum of n rounded terms is off by some roundings: a bound that float16 keeps too.
    return bool((tensor >= 0).all()) and bool(((tensor.double().sum(dim) - 1).abs() < 1e-2).all())


def all_different(tensor: Any, dim: int) -> bool:
    ordered = tensor.sort(dim).values
    size = tensor.shape[dim]
    return size < 2 or bool((ordered.narrow(dim, 1, size - 1) != ordered.narrow(dim, 0, size - 1)).all())


PROPERTIES: dict[str, Callable[[Any, int], bool]] = {
    "sorted": never_falls,
    "probabilities": sums_of_one,
    "unique": all_different,
}
ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: a**b,
}
COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}


# ---- input families (verifier.md A4) -----------------------------------------------------------------------

# Each family is a row of attempts, strongest first. An attempt whose outputs leave the task's domain (NaN or
# infinity where the task's own inputs give numbers, overflow of its type) is followed by the next; the last
# is the task's own inputs. Reported with the trial, so that a verdict can say what was really tried.
FAMILIES: dict[str, tuple[str, ...]] = {
    "given": ("given",),
    "shifted": ("signed", "scaled", "in range", "given"),
    "tiny": ("1e-4", "1e-2", "given"),
    "negative": ("negative", "in range", "given"),
    "large": ("200", "20", "2", "given"),
    "onehot": ("sparse", "dense", "given"),
}


class Structure:
    """What must stay true of an input since the task made it so: zeros, symmetry, sums to one, labels."""

    def __init__(self, tensor: Any) -> None:
        values = tensor.detach().double()
        finite = values[torch.isfinite(values)]
        self.finite = finite.numel() == values.numel()
        self.low = float(finite.min()) if finite.numel() else 0.0
        self.high = float(finite.max()) if finite.numel() else 0.0
        self.mean = float(finite.mean()) if finite.numel() else 0.0
        self.deviation = float(finite.std()) if finite.numel() > 1 else 0.0
        sample = finite.flatten()[:4096]
        self.labels = (
            sample.numel() > 8 and bool((sample == sample.round()).all()) and sample.unique().numel() <= 64
        )
        zeros = values == 0
        self.zeros = (
            zeros
            if not self.labels and float(zeros.double().mean() if values.numel() else 0) > 0.01
            else None
        )
        self.symmetric = (
            values.ndim >= 2
            and values.shape[-1] == values.shape[-2]
            and values.shape[-1] > 1
            and torch.equal(values, values.transpose(-1, -2))
        )
        self.sums_to_one: int | None = None
        if values.ndim >= 1 and self.finite and self.low >= 0 and self.deviation > 0:
            for dim in (values.ndim - 1, *range(values.ndim - 1)):
                sums = values.sum(dim)
                if values.shape[dim] > 1 and bool(((sums - 1).abs() < 0.01).all()):
                    self.sums_to_one = dim
                    break

    def kept(self, values: Any) -> Any:
        """`values` with the structure put back."""
        if self.symmetric:
            values = (values + values.transpose(-1, -2)) / 2
        if self.sums_to_one is not None:
            values = torch.softmax(values.clamp(-30, 30), self.sums_to_one)
        if self.zeros is not None:
            values = torch.where(self.zeros, torch.zeros_like(values), values)
        return values


def transformed(values: Any, attempt: str, structure: Structure) -> Any:
    """One input under one attempt, as float64. Every map but one-hot keeps the order of the elements."""
    spread = structure.high - structure.low
    unit = structure.deviation or abs(structure.mean) or 1.0
    if attempt == "signed":
        scale, shift = 1 + 2 * random.random(), unit * (2 * random.random() - 1)
        return scale * (values - structure.mean) + shift
    if attempt == "scaled":
        return values * (0.5 + 1.5 * random.random())
    if attempt == "in range":
        return structure.low + spread * ((values - structure.low) / spread) ** 2 if spread else values
    if attempt == "negative":
        return values - structure.high - max(0.1 * spread, 0.01 * unit)
    if attempt in ("1e-4", "1e-2"):
        return values * float(attempt)
    if attempt in ("200", "20", "2"):
        centred = values - structure.mean
        largest = float(centred.abs().max()) if centred.numel() else 0.0
        return centred * (float(attempt) / largest) if largest else values * float(attempt)
    if attempt in ("sparse", "dense"):
        return one_hot(values, dense=attempt == "dense" or structure.sums_to_one is not None)
    return values


def one_hot(values: Any, dense: bool) -> Any:
    """Zeros with one 1 in each row of the last dimension, or, sparse, in every other row on average."""
    result = torch.zeros_like(values)
    if values.ndim == 0:
        return result + 1
    if values.numel():
        at = torch.randint(0, values.shape[-1], (*values.shape[:-1], 1))
        ones = torch.ones(at.shape, dtype=values.dtype)
        if not dense and values.ndim > 1:
            ones = ones * (torch.rand(at.shape) < 0.5)
        result.scatter_(-1, at, ones.to(values.dtype))
    return result


def refilled(tensor: Any, values: Any) -> Any:
    """A tensor like `tensor` (type, strides) that holds `values`."""
    if values.shape != tensor.shape:
        values = values.expand(tensor.shape)
    if any(stride == 0 and extent > 1 for stride, extent in zip(tensor.stride(), tensor.shape, strict=True)):
        whole = tuple(slice(0, 1) if s == 0 else slice(None) for s in tensor.stride())
        return values[whole].to(tensor.dtype).expand(tensor.shape)
    result = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
    return result.copy_(values)


def changed_input(tensor: Any, attempt: str) -> Any:
    if attempt == "given" or not tensor.is_floating_point() or tensor.numel() == 0:
        return tensor
    structure = Structure(tensor)
    if structure.labels or not structure.finite:
        return tensor
    values = structure.kept(transformed(tensor.detach().double(), attempt, structure))
    return refilled(tensor, clamped(values, tensor.dtype))


def clamped(values: Any, dtype: Any) -> Any:
    limit = torch.finfo(dtype).max
    return values.clamp(-limit, limit)


def change_parameters(instance: Instance, gentle: bool) -> None:
    """Other values for every floating parameter and buffer: initial ones and zeros would hide an ignored one.

    Variances stay positive, buffers that hold labels or masks stay as they are; with `gentle` every sign
    stays."""
    with torch.no_grad():
        for name, tensor in (*instance.parameters.items(), *instance.buffers.items()):
            if not tensor.is_floating_point() or tensor.numel() == 0:
                continue
            structure = Structure(tensor)
            is_buffer = name in instance.buffers
            constant = structure.deviation == 0
            if not structure.finite or (is_buffer and structure.labels and not constant):
                continue
            noise = torch.rand(tensor.shape, dtype=torch.float64)
            values = tensor.detach().double()
            if name.endswith("var") or gentle:
                values = values * (0.5 + noise)
            elif constant:
                values = values + noise - 0.5
            else:
                values = values * (0.5 + noise) + 0.25 * structure.deviation * (2 * noise - 1)
            if structure.zeros is not None and not constant:
                values = torch.where(structure.zeros, torch.zeros_like(values), values)
            tensor.data.copy_(clamped(values, tensor.dtype))


def keep_preconditions(
    instance: Instance, given: dict[str, Any], conditions: Sequence[Precondition], *, own: bool
) -> None:
    """Move what a family changed back into the ranges that the task declares, or take the given values.

    With `own`, inputs and parameters are as the task makes them, and must fit what it declares."""
    values: dict[str, Any] = {**instance.task.constants, **instance.tensors}
    values.update({n: v for n, v in instance.inputs.items() if not isinstance(v, torch.Tensor)})
    for condition in conditions:
        name = condition.name
        if not isinstance(instance.inputs.get(name), torch.Tensor) or condition.holds(values):
            continue
        if own:
            raise TaskFault(
                "TASK_INVALID",
                f"requires[{name!r}] = {condition.text!r} does not hold for the task's own inputs",
            )
        tensor = instance.inputs[name]
        if tensor.is_floating_point() and tensor.numel():
            moved = condition.repaired(tensor.detach().double(), values)
            values[name] = refilled(tensor, clamped(moved, tensor.dtype))
        if not condition.holds(values):
            values[name] = given[name]
        if not condition.holds(values):
            # Then it is about several inputs, and all of them stay the task's own.
            for other in condition.names & given.keys():
                values[other] = given[other]
                if other in instance.tensors:
                    instance.inputs[other] = instance.tensors[other] = given[other]
        instance.inputs[name] = instance.tensors[name] = values[name]


# ---- a trial -----------------------------------------------------------------------------------------------


class Evaluation:
    """The task's outputs for one instance: in its own types, and in float64."""

    def __init__(self, instance: Instance, seed: int) -> None:
        self.own = own_outputs(instance, seed)
        for dtype, self.precision in ((torch.float64, "float64"), (torch.float32, "float32")):
            seed_everything(seed)
            exact = self.wide(instance, dtype)
            if exact is not None:
                break
        self.exact = self.own if exact is None else exact

    def wide(self, instance: Instance, dtype: Any) -> list[Any] | None:
        try:
            outputs = run_in(dtype, instance.task, instance.model, instance.inputs)
        except TaskFault:
            return None
        same = len(outputs) == len(self.own) and all(
            wide.shape == own.shape
            and wide.is_floating_point() == own.is_floating_point()
            and (not wide.is_floating_point() or wide.dtype is dtype)
            for wide, own in zip(outputs, self.own, strict=True)
        )
        return [o.detach() for o in outputs] if same else None

    def non_finite(self) -> int:
        return non_finite(self.own)

    def consistent(self) -> bool:
        """Both evaluations are finite at the same places: nothing overflowed the task's own type."""
        return all(
            torch.equal(torch.isfinite(own), torch.isfinite(exact))
            for own, exact in zip(self.own, self.exact, strict=True)
            if own.is_floating_point()
        )


def own_outputs(instance: Instance, seed: int) -> list[Any]:
    """The outputs in the task's own types; inputs and buffers that it changes in place are copies."""
    model = copy.deepcopy(instance.model)
    inputs = OrderedDict((name, copied(value)) for name, value in instance.inputs.items())
    seed_everything(seed)
    with torch.no_grad():
        return [output.detach() for output in instance.task.run(model, inputs)]


def non_finite(outputs: Sequence[Any]) -> int:
    return sum(int((~torch.isfinite(o)).sum()) for o in outputs if o.is_floating_point())


def copied(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else copy.deepcopy(value)


def trial(task: LoadedTask, requires: dict[str, str], seed: int, family: str, output: str) -> dict[str, Any]:
    """Inputs, parameters, buffers and expected outputs of one trial, written to `output`."""
    instance, evaluation, attempt = prepared(task, requires, seed, family)
    return written(instance, evaluation, attempt, output)


def prepared(
    task: LoadedTask, requires: dict[str, str], seed: int, family: str
) -> tuple[Instance, Evaluation, str]:
    """The strongest attempt of a family that stays within the task's domain, and its outputs."""
    conditions = [Precondition(text, name) for name, text in requires.items()]
    attempts = FAMILIES[family]
    with torch.no_grad():
        for position, attempt in enumerate(attempts):
            instance = Instance(task, seed)
            given = dict(instance.inputs)
            seed_everything(seed)
            for name, value in instance.inputs.items():
                if isinstance(value, torch.Tensor):
                    instance.inputs[name] = instance.tensors[name] = changed_input(value, attempt)
            if family != "given":
                change_parameters(instance, gentle=position > 0)
            keep_preconditions(instance, given, conditions, own=family == "given")
            evaluation = Evaluation(instance, seed)
            if position == len(attempts) - 1 or in_domain(evaluation, task, seed):
                break
    return instance, evaluation, attempt


def in_domain(evaluation: Evaluation, task: LoadedTask, seed: int) -> bool:
    """Whether the outputs are numbers wherever the task's own inputs give numbers."""
    if not evaluation.consistent():
        return False
    count = evaluation.non_finite()
    return count == 0 or count <= non_finite(own_outputs(Instance(task, seed), seed))


def written(
    instance: Instance,
    evaluation: Evaluation,
    attempt: str,
    output: str,
    needed: dict[str, Any] | None = None,
) -> dict[str, Any]:
    with Mapping(output) as mapping:
        marked = {name: mapping.put(name, marks.contiguous()) for name, marks in (needed or {}).items()}
        tensors = {name: mapping.put(name, tensor) for name, tensor in instance.tensors.items()}
        names = instance.output_names(len(evaluation.own))
        lengths = instance.task.reduction_lengths()
        expected = [
            expected_output(mapping, name, own, exact, length)
            for name, own, exact, length in zip(names, evaluation.own, evaluation.exact, lengths, strict=True)
        ]
    scalars: dict[str, Any] = dict(instance.task.constants)
    for listed in (instance.init_arguments, instance.forward_arguments):
        scalars.update({a["name"]: a["value"] for a in listed if a["kind"] in ("scalar", "tuple")})
    return {
        "mapping": output,
        "tensors": tensors,
        "scalars": scalars,
        "expected": expected,
        "attempt": attempt,
        "precision": evaluation.precision,
        "needed": marked,
    }


def expected_output(mapping: Mapping, name: str, own: Any, exact: Any, length: int) -> dict[str, Any]:
    """One expected output: float64 values and how far the task's own type is off; integers as they are."""
    facts: dict[str, Any] = {"dtype": dtype_name(own.dtype), "reduction": length}
    if not own.is_floating_point():
        facts.update(rms=0.0, rms_error=0.0, max_error=0.0, undecided=int((own != exact).sum()))
        return {"tensor": mapping.put(name, own.contiguous()), **facts}
    values, exact = own.double(), exact.double()
    settled = torch.isfinite(values) & torch.isfinite(exact)
    # Where one of them is not finite, the task's own type decides: that is what PyTorch would answer.
    exact = torch.where(settled, exact, values)
    error, finite = (values - exact)[settled], exact[settled]
    facts["rms"] = float(finite.square().mean().sqrt()) if finite.numel() else 0.0
    facts["rms_error"] = float(error.square().mean().sqrt()) if error.numel() else 0.0
    facts["max_error"] = float(error.abs().max()) if error.numel() else 0.0
    facts["undecided"] = 0
    return {"tensor": mapping.put(name, exact.contiguous()), **facts}


class Mapping:
    """A file of tensors: raw little-endian bytes, each tensor aligned to 256 bytes."""

    def __init__(self, path: str) -> None:
        self.file = Path(path).open("wb")  # noqa: SIM115 - closed by __exit__

    def __enter__(self) -> Mapping:
        return self

    def __exit__(self, *_: Any) -> None:
        self.file.close()

    def put(self, name: str, tensor: Any) -> dict[str, Any]:
        """Append the stretch of storage that the tensor spans, so that its strides stay as they are."""
        tensor = tensor.detach()
        offset = -(-self.file.tell() // ALIGNMENT) * ALIGNMENT
        self.file.write(b"\0" * (offset - self.file.tell()))
        if tensor.numel():
            span = 1 + sum(
                (extent - 1) * stride for extent, stride in zip(tensor.shape, tensor.stride(), strict=True)
            )
            data = (ctypes.c_char * (span * tensor.element_size())).from_address(tensor.data_ptr())
            self.file.write(memoryview(data))
        return {**tensor_spec(name, tensor), "offset": offset}


# ---- the screen of the task itself (verifier.md A3), and what must be read (A5) -----------------------------

# Below this share of the output's size, a derivative is rounding.
INFLUENCE = 1e-9
# A second evaluation for each tensor is made only of tasks that are quicker than this.
SCREEN_S = 0.2
# What makes a tensor of another's shape, whatever its values.
SHAPE_ONLY = frozenset(
    "zeros_like ones_like full_like empty_like new_zeros new_ones new_full new_empty sym_size size "
    "rand_like randn_like".split()
)


def screen(task: LoadedTask, requires: dict[str, str], seed: int, output: str) -> dict[str, Any]:
    """A trial of the family "shifted" with what its outputs depend on, and the ways in which the task proves little."""
    started = time.thread_time()
    instance, evaluation, attempt = prepared(task, requires, seed, "shifted")
    quick = time.thread_time() - started < 4 * SCREEN_S
    influence = derivatives(instance, evaluation) if quick else {}
    needed = {name: share > INFLUENCE for name, share in influence.items() if bool((share > INFLUENCE).any())}
    answer = written(instance, evaluation, attempt, output, needed)
    forward = [name for name, value in instance.inputs.items() if isinstance(value, torch.Tensor)]
    weak = weaknesses(task, requires, seed, instance, evaluation, influence) if quick else []
    try:
        trace = traced(task, "meta")[-1]
    except TaskFault:
        trace = traced(task, "cpu")[-1]
    floating = {name for name in forward if instance.inputs[name].is_floating_point()}
    return {**answer, "forward": forward, "depends": reaches(trace, floating or set(forward)), "weak": weak}


def reaches(trace: dict[str, Any], names: set[str]) -> bool:
    """Whether a value of `names` is on the road of an output."""
    known = set(names)
    for operator in trace["operators"]:
        if operator["name"] not in SHAPE_ONLY and known.intersection(operator["inputs"]):
            known.update(operator["outputs"])
    return bool(known.intersection(trace["outputs"]))


def derivatives(instance: Instance, evaluation: Evaluation) -> dict[str, Any]:
    """For each floating tensor the size of what one element does to the outputs, as a share of the outputs' own size, by a
    derivative in float64; nothing where there is none (integers, rounding, what works in place)."""
    if evaluation.precision != "float64":
        return {}
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.enable_grad(), Wider(torch.float64):
            return differentiated(instance)
    except Exception:
        return {}
    finally:
        torch.set_default_dtype(before)


def differentiated(instance: Instance) -> dict[str, Any]:
    model = widened_model(instance.model, torch.float64)
    leaves: dict[str, Any] = {}
    arguments: OrderedDict[str, Any] = OrderedDict()
    for name, value in instance.inputs.items():
        wide = widened_tensor(value, torch.float64)
        if isinstance(wide, torch.Tensor) and wide.is_floating_point():
            leaves[name] = wide.contiguous().requires_grad_(True)
            wide = leaves[name] * 1.0  # what the task does in place is done to a copy
        arguments[name] = wide
    for name, parameter in zip(instance.parameters, model.parameters(), strict=True):
        if parameter.is_floating_point():
            leaves[name] = parameter.requires_grad_(True)
    outputs = instance.task.run(model, arguments)
    generator = torch.Generator().manual_seed(0)
    total: Any = 0.0
    size = count = 0.0
    for out in outputs:
        if not out.is_floating_point() or not out.requires_grad:
            continue
        kept = torch.where(torch.isfinite(out), out, torch.zeros_like(out))
        weights = torch.randn(out.shape, generator=generator, dtype=torch.float64)
        total = total + (kept * weights).sum()
        size, count = size + float(kept.detach().square().sum()), count + kept.numel()
    if not count:
        return {}
    scale = math.sqrt(size / count) or 1.0
    slopes = torch.autograd.grad(total, list(leaves.values()), allow_unused=True)
    shares: dict[str, Any] = {}
    for (name, leaf), slope in zip(leaves.items(), slopes, strict=True):
        own = float(leaf.detach().square().mean().sqrt()) if leaf.numel() else 0.0
        slope = torch.zeros_like(leaf) if slope is None else slope
        shares[name] = slope.detach().abs().nan_to_num(0.0) * ((own or 1.0) / scale)
    return shares


def weaknesses(
    task: LoadedTask,
    requires: dict[str, str],
    seed: int,
    instance: Instance,
    evaluation: Evaluation,
    influence: dict[str, Any],
) -> list[dict[str, Any]]:
    """Each way in which a wrong kernel could pass for right."""
    place = place_of_function(task.namespace["Model"], "forward") or {}
    names = instance.output_names(len(evaluation.own))
    given = [prepared(task, requires, seed + n, "given")[1] for n in range(2)]
    found: list[dict[str, Any]] = []
    constant = set()
    for position, name in enumerate(names):
        one, other = (evaluated.exact[position] for evaluated in given)
        if one.numel() == 0 or one.shape != other.shape:
            continue
        if alike(one, other, given[0].own[position]):
            everywhere = alike(one, evaluation.exact[position], given[0].own[position])
            constant.add(name)
            found.append({"what": "constant", "name": name, "everywhere": everywhere, **place})
            continue
        found += [{**weak, "name": name, **place} for weak in uniformity(one, other)]
        if one.is_floating_point():
            found += [{**weak, "name": name, **place} for weak in smallness(one, given[0].own[position])]
    if len(constant) < len(names):
        found += [
            {"what": "unused", "name": n, **place}
            for n in unused(task, instance, evaluation, influence, seed)
        ]
    return found


def alike(one: Any, other: Any, own: Any) -> bool:
    """The same within what rounding in the task's own type may do."""
    if not one.is_floating_point():
        return bool(torch.equal(one, other))
    one, other, own = one.double(), other.double(), own.double()
    settled = torch.isfinite(one) & torch.isfinite(other)
    if not torch.equal(torch.isfinite(one), torch.isfinite(other)):
        return False
    if not bool(settled.any()):
        return True
    apart = float((one - other)[settled].square().mean().sqrt())
    rounding = float((own - one)[settled].square().mean().sqrt())
    return apart <= 16 * max(rounding, 6e-8 * float(one[settled].square().mean().sqrt()))


def uniformity(one: Any, other: Any) -> Iterator[dict[str, Any]]:
    for axis, extent in enumerate(one.shape):
        if extent > 1 and all(bool(torch.equal(o, o.narrow(axis, 0, 1).expand_as(o))) for o in (one, other)):
            yield {"what": "axis", "axis": axis}
            return
    if one.numel() >= 64:
        value = one.flatten().median()
        share = float((one == value).double().mean())
        if share > 0.99:
            yield {"what": "saturated", "share": share, "value": float(value)}


def smallness(exact: Any, own: Any) -> Iterator[dict[str, Any]]:
    values = exact.double()
    settled = torch.isfinite(values) & torch.isfinite(own.double())
    if not bool(settled.any()):
        yield {"what": "not finite"}
        return
    size = float(values[settled].square().mean().sqrt())
    rounding = float((own.double() - values)[settled].square().mean().sqrt())
    if size and 16 * rounding > 0.5 * size:
        yield {"what": "rounding", "size": size}
    elif float(values[settled].abs().max()) < 1e-3:
        yield {"what": "small", "size": size}


def unused(
    task: LoadedTask, instance: Instance, evaluation: Evaluation, influence: dict[str, Any], seed: int
) -> Iterator[str]:
    """Inputs and parameters that may hold anything: their derivative is nought, and other values change nothing."""
    other = Instance(task, seed + 7)
    tried = 0
    for name, tensor in (*instance.inputs.items(), *instance.parameters.items()):
        if not isinstance(tensor, torch.Tensor) or tensor.numel() == 0 or tried >= 8:
            continue
        if name in influence and bool((influence[name] > INFLUENCE).any()):
            continue
        replaced = other.tensors[name]
        if replaced.shape != tensor.shape:
            continue
        if torch.equal(replaced, tensor) and tensor.is_floating_point():
            replaced = tensor.detach() * 1.5 + 0.25
        if torch.equal(replaced, tensor):
            continue
        tried += 1
        changed = with_tensor(instance, name, replaced)
        try:
            again = own_outputs(changed, seed)
        except TaskFault:
            continue
        if all(alike(before, after, before) for before, after in zip(evaluation.own, again, strict=True)):
            yield name


def with_tensor(instance: Instance, name: str, values: Any) -> Instance:
    """The same instance with other values in one input or parameter."""
    changed = copy.copy(instance)
    if name in instance.inputs:
        changed.inputs = OrderedDict(instance.inputs)
        changed.inputs[name] = values.to(instance.inputs[name].dtype)
        return changed
    changed.model = copy.deepcopy(instance.model)
    position = list(instance.parameters).index(name)
    parameter = list(changed.model.parameters())[position]
    with torch.no_grad():
        parameter.copy_(values)
    return changed


# ---- sizes chosen ------------------------------------------------------------------------------------------


class TaskProcess:
    """What one child does: everything about one task text."""

    def __init__(self, task: dict[str, Any]) -> None:
        self.path, self.text = task["path"], task["text"]
        self.small, self.requires = task.get("small"), task.get("requires") or {}
        self.tree = parsed(self.path, self.text)
        self.sizes = Sizes(self.tree)
        self.loaded: OrderedDict[str, LoadedTask] = OrderedDict()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        kind, size = request["request"], request.get("size", "auto")
        if kind == "describe":
            return self.described_auto() if size == "auto" else self.described(size)
        task = self.load(size)
        requires = {**{str(k): str(v) for k, v in task.mapping("requires").items()}, **self.requires}
        if request["family"] not in FAMILIES:
            raise ValueError(f"unknown family {request['family']!r}")
        try:
            if kind == "screen":
                return screen(task, requires, int(request["seed"]), request["output"])
            return trial(task, requires, int(request["seed"]), request["family"], request["output"])
        except TaskFault as fault:
            raise self.at_size(fault, size) from None

    def load(self, size: Any) -> LoadedTask:
        key = json.dumps(size, sort_keys=True)
        if key not in self.loaded:
            if isinstance(size, dict):
                tree = self.sizes.overridden_by(size)
            elif isinstance(size, int):
                tree = self.sizes.reduced_to(size)
            else:
                tree = self.tree
            named = (
                [*self.sizes.names, *(n for n in size if n not in self.sizes.names)]
                if isinstance(size, dict)
                else self.sizes.names
            )
            self.loaded[key] = LoadedTask(self.path, self.text, tree, named)
            while len(self.loaded) > 4:
                self.loaded.popitem(last=False)
        self.loaded.move_to_end(key)
        return self.loaded[key]

    def described(self, size: Any) -> dict[str, Any]:
        """At explicit sizes or in full. Real tensors only where the meta device does not do."""
        task = self.load(size)
        try:
            result = describe(task, "meta")
        except Exception:
            try:
                result = describe(task, "cpu")
            except TaskFault as fault:
                raise self.at_size(fault, size) from None
        return self.finished(result, None)

    def finished(self, description: dict[str, Any], reduction: int | None) -> dict[str, Any]:
        full = self.load("full").constants
        description["size"] = "full" if description["constants"] == full else "reduced"
        description["reduction"] = reduction if description["size"] == "reduced" else None
        description["requires"].update(self.requires)
        for name, text in description["requires"].items():
            Precondition(text, name)
        return description

    def at_size(self, fault: TaskFault, size: Any) -> TaskFault:
        """A fault that only explicit sizes bring about is the sizes' fault."""
        if (
            fault.code != "TASK_INVALID"
            or not isinstance(size, dict)
            or not size
            or self.load("full").constants == self.load(size).constants
        ):
            return fault
        given = ", ".join(f"{name}={value}" for name, value in size.items())
        return TaskFault("SIZE_INVALID", f"the task does not work at {given}: {fault}", fault.place)

    def described_auto(self) -> dict[str, Any]:
        full = self.load("full")
        small = self.small or full.mapping("SMALL")
        if small:
            return self.described({str(name): value for name, value in small.items()})
        first: TaskFault | None = None
        for target in (None, *TARGETS):
            if target is not None and target >= self.sizes.largest:
                continue  # nothing would change
            try:
                fits = self.fits(target)
            except TaskFault as fault:
                first = first or fault
                continue
            if fits is not None:
                return self.finished(fits, target)
        try:
            return self.finished(describe(full, "meta"), None)
        except TaskFault:
            # Whoever fails at small sizes would only fail again, after minutes and gigabytes.
            if first is not None:
                raise first from None
        return self.described("full")

    def fits(self, target: int | None) -> dict[str, Any] | None:
        """The description at one T (None: in full) if the reference is quick and small enough there."""
        size = "full" if target is None else target
        description = None
        with contextlib.suppress(TaskFault):
            description = describe(self.load(size), "meta")
            tensors = [a["tensor"] for a in description["forward"] if a["kind"] == "tensor"]
            tensors += description["parameters"] + description["buffers"] + description["outputs"]
            if sum(size_bytes(spec) for spec in tensors) > TENSOR_BYTES:
                return None
            operations = operation_count(description["trace"])
            smallest = target == TARGETS[-1]
            limit = EMULATED_OPERATIONS if target is None else REDUCED_OPERATIONS
            if operations > (PROBE_OPERATIONS if smallest else limit):
                return None
        probed = in_fork(lambda: self.probe(size, description is None), PROBE_WALL_S)
        if probed is None:
            return None
        if "error" in probed:
            error = probed["error"]
            raise TaskFault(error.pop("code"), error.pop("message"), error)
        if probed["bytes"] > TENSOR_BYTES or probed["seconds"] > REFERENCE_TIME_S:
            return None
        return description or probed["description"]

    def probe(self, size: Any, describing: bool) -> dict[str, Any]:
        """Run the reference once or twice and time it on this one core."""
        try:
            task = self.load(size)
            with torch.no_grad():
                instance = Instance(task, seed=0)
                seconds = math.inf
                for _ in range(2):
                    inputs = OrderedDict((name, copied(value)) for name, value in instance.inputs.items())
                    start = time.thread_time()
                    outputs = task.run(instance.model, inputs)
                    seconds = min(seconds, time.thread_time() - start)
                    if seconds <= REFERENCE_TIME_S or seconds > 3 * REFERENCE_TIME_S:
                        break
            total = sum(t.numel() * t.element_size() for t in (*instance.tensors.values(), *outputs))
            description = describe(task, "cpu") if describing and total <= TENSOR_BYTES else None
            return {"seconds": seconds, "bytes": total, "description": description}
        except TaskFault as fault:
            return {"error": fault.as_data()}


def in_fork(work: Callable[[], dict[str, Any]], wall_s: float) -> dict[str, Any] | None:
    """The result of `work` done in a fork of this process, None where it took too long or died."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(receive)
            die_with_parent()
            write_all(send, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(send)
    try:
        data, deadline = b"", time.monotonic() + wall_s
        with selectors.DefaultSelector() as selector:
            selector.register(receive, selectors.EVENT_READ)
            while selector.select(max(0.0, deadline - time.monotonic())):
                chunk = os.read(receive, 1 << 16)
                if not chunk:
                    return json.loads(data) if data else None
                data += chunk
        return None
    finally:
        os.close(receive)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def die_with_parent() -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


# ---- children ----------------------------------------------------------------------------------------------


def used_memory() -> int:
    """Bytes of data that this process has mapped, which its children begin with."""
    with Path("/proc/self/status").open() as status:
        for line in status:
            if line.startswith("VmData:"):
                return int(line.split()[1]) << 10
    return 0


def child_main(receive: int, send: int, task: dict[str, Any], memory_bytes: int) -> None:
    """Serve requests for one task until the pipe closes. Never returns."""
    try:
        os.setpgid(0, 0)
        die_with_parent()
        resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes,) * 2)
        worker: TaskProcess | None = None
        fault: TaskFault | None = None
        try:
            worker = TaskProcess(task)
        except TaskFault as error:
            fault = error
        with os.fdopen(receive, "rb") as requests:
            for line in requests:
                request = json.loads(line)
                try:
                    if worker is None:
                        assert fault is not None
                        raise fault
                    reply = {"result": worker.answer(request)}
                except TaskFault as error:
                    reply = {"error": error.as_data()}
                except BaseException as error:  # whatever a task's code throws, SystemExit too
                    reply = {"error": fault_of(task["path"], error, "the task").as_data()}
                write_all(send, json.dumps(reply).encode() + b"\n")
    finally:
        os._exit(0)


class Child:
    """One forked process that knows one task; seen from the parent."""

    def __init__(self, task: dict[str, Any], memory_mb: int, inherited: Sequence[int]) -> None:
        child_receive, self.send = os.pipe()
        self.receive, child_send = os.pipe()
        self.busy: int | None = None
        self.deadline = math.inf
        self.limit_s = math.inf
        self.data = b""
        # Asked before the fork: under Landlock a child may not look at its own entry in /proc.
        memory_bytes = used_memory() + (memory_mb << 20)
        self.pid = os.fork()
        if self.pid == 0:
            for descriptor in (*inherited, self.send, self.receive, REPLY_DESCRIPTOR):
                with contextlib.suppress(OSError):
                    os.close(descriptor)
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nothing, descriptor)
            child_main(child_receive, child_send, task, memory_bytes)
        os.close(child_receive)
        os.close(child_send)

    def close(self) -> None:
        for descriptor in (self.send, self.receive):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(OSError):
                kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.waitpid(self.pid, 0)


class Parent:
    """Hands requests to children, at most `jobs` at a time, in the order in which they came."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.children: OrderedDict[str, Child] = OrderedDict()
        self.waiting: deque[dict[str, Any]] = deque()
        self.selector = selectors.DefaultSelector()

    def reply(self, message: dict[str, Any]) -> None:
        write_all(REPLY_DESCRIPTOR, json.dumps(message).encode() + b"\n")

    def serve(self) -> None:
        os.set_blocking(0, False)
        self.selector.register(0, selectors.EVENT_READ, None)
        data = b""
        while True:
            self.dispatch()
            soonest = min((c.deadline for c in self.children.values()), default=math.inf)
            timeout = None if soonest == math.inf else max(0.0, soonest - time.monotonic())
            for key, _ in self.selector.select(timeout):
                if key.fd == 0:
                    chunk = os.read(0, 1 << 20)
                    if not chunk:
                        return
                    data += chunk
                    *lines, data = data.split(b"\n")
                    for line in lines:
                        self.accept(json.loads(line))
                elif key.data in self.children:
                    self.read(key.data)
            self.expire()

    def accept(self, request: dict[str, Any]) -> None:
        task = request["task"]
        request["key"] = hashlib.sha256(json.dumps(task, sort_keys=True).encode()).hexdigest()
        if request["request"] == "release":
            child = self.children.get(request["key"])
            if child is not None and child.busy is None:
                self.end(request["key"])
            self.reply({"id": request["id"], "result": {}})
        else:
            self.waiting.append(request)

    def dispatch(self) -> None:
        for request in list(self.waiting):
            if sum(child.busy is not None for child in self.children.values()) >= self.jobs:
                return
            key = request["key"]
            child = self.children.get(key)
            if child is not None and child.busy is not None:
                continue
            self.waiting.remove(request)
            limits = request["limits"]
            if child is None:
                self.make_room()
                inherited = [d for c in self.children.values() for d in (c.send, c.receive)]
                child = self.children[key] = Child(request["task"], int(limits["memory_mb"]), inherited)
                self.selector.register(child.receive, selectors.EVENT_READ, key)
            self.children.move_to_end(key)
            child.busy, child.limit_s = request["id"], float(limits["time_s"])
            child.deadline = time.monotonic() + child.limit_s
            sent = {k: v for k, v in request.items() if k not in ("task", "key")}
            try:
                write_all(child.send, json.dumps(sent).encode() + b"\n")
            except OSError:
                self.lost(key)

    def make_room(self) -> None:
        idle = [key for key, child in self.children.items() if child.busy is None]
        for key in idle[: max(0, len(self.children) - KEPT_CHILDREN + 1)]:
            self.end(key)

    def read(self, key: str) -> None:
        child = self.children[key]
        chunk = os.read(child.receive, 1 << 20)
        if not chunk:
            self.lost(key)
            return
        child.data += chunk
        if not child.data.endswith(b"\n"):
            return
        try:
            message = json.loads(child.data)
            known = isinstance(message, dict) and (
                message.keys() == {"result"} or message.keys() == {"error"}
            )
        except ValueError:
            known = False
        if not known or child.busy is None:
            self.lost(key, "the task wrote into descriptors that are not its own")
            return
        child.data = b""
        identifier, child.busy, child.deadline = child.busy, None, math.inf
        self.reply({"id": identifier, **message})

    def lost(self, key: str, why: str = "the task ended its process (crash, exit or out of memory)") -> None:
        """End a child that is of no use any more; one that ends by itself crashed, or called os._exit."""
        identifier = self.children[key].busy
        self.end(key)
        if identifier is not None:
            self.reply({"id": identifier, "error": TaskFault("TASK_INVALID", why).as_data()})

    def expire(self) -> None:
        now = time.monotonic()
        for key, child in list(self.children.items()):
            if child.busy is not None and child.deadline <= now:
                identifier, limit_s = child.busy, child.limit_s
                self.end(key)
                fault = TaskFault(
                    "SIZE_TOO_LARGE",
                    f"the task did not answer within {limit_s:g} s; give smaller sizes with size= or SMALL",
                )
                self.reply({"id": identifier, "error": fault.as_data()})

    def end(self, key: str) -> None:
        child = self.children.pop(key)
        self.selector.unregister(child.receive)
        child.close()

    def close(self) -> None:
        for key in list(self.children):
            self.end(key)


def warm_up() -> None:
    """Import what the first use of the meta device and of convolutions imports, so that children need not."""
    with torch.no_grad(), torch.device("meta"), Tracer(OrderedDict()):
        x = torch.nn.Conv2d(1, 1, 1)(torch.rand(1, 1, 2, 2))
        torch.nn.functional.softmax(torch.nn.functional.layer_norm(x @ x, (2,)), dim=-1)


def main() -> int:
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    os.set_inheritable(REPLY_DESCRIPTOR, False)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    torch.set_num_threads(1)
    with contextlib.suppress(Exception):
        torch.set_num_interop_threads(1)
    warm_up()
    parent = Parent(jobs)
    parent.reply({**GREETING, "torch": str(torch.__version__)})
    try:
        parent.serve()
    finally:
        parent.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
