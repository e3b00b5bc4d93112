"""A task, loaded at given sizes."""

from __future__ import annotations

import ast
import inspect
import linecache
import random
import sys
import types
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from .devices import map_devices
from .faults import TaskFault, fault_of, place_of
from .sizes import assignments, named_values


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
                f"{name} is a KernelBench solution ({called_name} of C++ strings), not a task. Move its CUDA source "
                "into a .cu file and name the reference file as its task",
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
            f"{name} is a KernelBench solution (class ModelNew), not a task; name the reference file instead",
            place_of(defined["ModelNew"]) if "ModelNew" in defined else None,
        )
    missing = [what for what in ("Model", "get_inputs") if what not in bound]
    if missing:
        words = {"Model": "class Model (torch.nn.Module)", "get_inputs": "function get_inputs"}
        raise TaskFault(
            "TASK_INVALID",
            f"{name} has no {' and no '.join(words[m] for m in missing)}; a task defines Model, get_inputs and "
            "get_init_inputs",
        )
    return tree


class LoadedTask:
    """A task's module at given sizes, executed in this process."""

    def __init__(self, path: str, text: str, tree: ast.Module, sizes: Sequence[str]) -> None:
        self.path = path
        self.lengths: list[int] | None = None
        self.trace: dict[str, Any] | None = None
        self.unvaried: frozenset[str] | None = None
        self.lists: dict[str, int] = {}
        module = types.ModuleType("kernelwright_task")
        module.__file__ = path
        sys.modules[module.__name__] = module
        linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
        self.namespace = module.__dict__
        map_devices(text)
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
        """forward's arguments by name, in order; those left to their defaults are not among them.

        A list of tensors `x` becomes its elements `x[0]`, `x[1]`, ..., which `run` puts together again.
        """
        made: OrderedDict[str, Any] = OrderedDict()
        for name, value in self._given(model).items():
            if not is_tensor_list(value):
                made[name] = value
                continue
            self.lists[name] = len(value)
            made.update((f"{name}[{i}]", tensor) for i, tensor in enumerate(value))
        return made

    def _given(self, model: Any) -> OrderedDict[str, Any]:
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

    def _put_together(self, inputs: OrderedDict[str, Any]) -> OrderedDict[str, Any]:
        made: OrderedDict[str, Any] = OrderedDict()
        for name, value in inputs.items():
            plain = name.partition("[")[0]
            if plain in self.lists:
                made.setdefault(plain, []).append(value)
            else:
                made[name] = value
        return made

    def run(self, model: Any, inputs: OrderedDict[str, Any]) -> list[Any]:
        """The reference's outputs, flattened. Raises TaskFault where forward does, or returns no tensor."""
        inputs = self._put_together(inputs)
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
            raise TaskFault("TASK_INVALID", "Model.forward must return tensors", place)
        for output in outputs:
            if reason := why_unfit(output):
                raise TaskFault("TASK_INVALID", f"an output {reason}", place)
        return outputs


def why_unfit(tensor: Any) -> str | None:
    """Why a kernel cannot be given a tensor, or give it, and what to write instead; None where it can."""
    if tensor.is_complex():
        kind, instead = (
            "complex",
            "torch.view_as_real(...), with real and imaginary parts in a last dimension of 2",
        )
    elif tensor.is_quantized:
        kind, instead = "quantised", "its integers (int_repr()) and its scales as tensors of their own"
    elif tensor.layout is not torch.strided:
        kind, instead = "sparse", "its values and its indices as tensors of their own"
    else:
        return None
    return f"is {kind}; inputs and outputs must be dense tensors of real numbers, so use {instead}"


def is_tensor_list(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple)) and bool(value) and all(isinstance(v, torch.Tensor) for v in value)
    )


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
