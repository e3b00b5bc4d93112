"""A task skeleton that binds to an entry as it stands, and the directive that binds it: what `kernelwright init` writes."""

import json
import keyword
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kernelwright_backends.core.kernel import Function, Parameter

_OUTPUT = re.compile(
    r"(d_|p_|g_)?(y|o|c|z|dst|dest|res|result|ret|out\w*|\w*_?out(put)?s?|results?|grad_\w+|d[A-Z]\w*)", re.I
)
_TORCH = {
    "float64", "float32", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool",
}  # fmt: skip
_SIGNED = {"uint16": "int16", "uint32": "int32", "uint64": "int64"}
SIZES = (4096, 256, 64, 32, 16)
_BLOCK = 256


class Answers(NamedTuple):
    """What the user said of an entry."""

    shapes: Mapping[str, tuple[int, ...]] = {}
    """of tensors by their parameters; those of nobody follow from the sizes"""
    dtype: str | None = None
    """of tensors whose type the entry does not spell"""
    sizes: Mapping[str, int] = {}


class StartingTask(NamedTuple):
    """Texts of a new task."""

    task: str
    directive: str


def tensors_of(function: Function) -> tuple[Parameter, ...]:
    """The parameters that hold tensors, in order."""
    return tuple(p for p in function.parameters if (p.tensor or p.pointer) and "optional" not in p.type)


def outputs_of(function: Function) -> tuple[Parameter, ...]:
    """Those of them that the entry fills: by their names, else the last that is not const; none where it returns its result."""
    if function.form == "tensor" and function.return_type.strip() != "void":
        return ()
    open_to = [p for p in tensors_of(function) if not (p.pointer and p.const)]
    named = [p for p in open_to if _OUTPUT.fullmatch(p.name)]
    if any(p.pointer and p.const for p in tensors_of(function)):
        named = open_to
    return tuple(named or open_to[-1:])


def starting_task(function: Function, file: str, answers: Answers) -> StartingTask:
    """The task and the directive of an entry.

    Args:
        file: name of the task's file, as the directive spells it.
    """
    outputs = outputs_of(function)
    inputs = [p for p in tensors_of(function) if p not in outputs]
    inplace = [p for p in outputs if not inputs]  # nothing else is there to be read
    inputs = inplace or inputs
    sizes = _sizes(function, answers)
    scalars = [p for p in function.parameters if _is_number(p) and p.name not in sizes]
    shape = _usual_shape(sizes)
    names = {p.name: _identifier(p.name) for p in function.parameters}

    def shape_of(parameter: Parameter) -> str:
        given = answers.shapes.get(parameter.name)
        return _tuple(given) if given else shape

    results = [f"torch.zeros({shape_of(p)}, dtype=torch.{_dtype(p, answers)})" for p in outputs] or [
        f"torch.zeros({shape_of(inputs[0])}, dtype=torch.{answers.dtype or 'float32'})"
    ]
    made = [_made(p, shape_of(p), answers) for p in inputs]
    used = {name: size for name, size in sizes.items() if _is_used(name, function, [*results, *made])}
    lines = [
        "import torch",
        "import torch.nn as nn",
        "",
        *(f"{name} = {size}" for name, size in used.items()),
        *(f"{names[p.name]} = {_number(p)}" for p in scalars),
        "",
        "",
        "class Model(nn.Module):",
        f'    """What {function.name} must compute, in PyTorch."""',
        "",
        f"    def forward(self, {', '.join(names[p.name] for p in inputs)}):",
        f"        # Write here what {function.name} computes; these zeros only have the shape of its result.",
        f"        return {', '.join(results)}",
        "",
        "",
        "def get_inputs():",
        f"    return [{', '.join(made)}]",
        "",
        "",
        "def get_init_inputs():",
        "    return []",
    ]
    words = []
    for parameter in function.parameters:
        if parameter.stream:
            continue
        if parameter in inplace:
            words.append(f"inout({names[parameter.name]})")
        elif parameter in outputs:
            position = outputs.index(parameter)
            taken = "out" in (names[p.name] for p in inputs)
            words.append(f"out{position}" if position or taken or len(outputs) > 1 else "out")
        elif "optional" in parameter.type:
            words.append("None")
        else:
            words.append(names[parameter.name])
    said = {"task": file, "entry": function.qualified_name, "args": ", ".join(words)}
    if function.kind == "kernel":
        first = next(iter(sizes), None)
        said |= {"grid": f"ceil_div({first}, {_BLOCK})" if first else "1", "block": str(_BLOCK)}
    directive = " ".join(f"{key}={_quoted(value)}" for key, value in said.items())
    return StartingTask("\n".join(lines) + "\n", f"// kernelwright: {directive}")


def _is_used(name: str, function: Function, texts: Iterable[str]) -> bool:
    """An argument of the entry, or in what makes its tensors."""
    own = any(_identifier(p.name) == name for p in function.parameters)
    return own or any(re.search(rf"\b{name}\b", text) for text in texts)


def _quoted(value: str) -> str:
    return json.dumps(value) if re.search(r'[ ",()]', value) else value


def _identifier(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) or not name.isidentifier() else name


def _is_number(parameter: Parameter) -> bool:
    return not (parameter.tensor or parameter.pointer or parameter.stream or "optional" in parameter.type)


def _sizes(function: Function, answers: Answers) -> dict[str, int]:
    """Each integer as a constant of the task; without any, one size of its own."""
    whole = [
        p.name for p in function.parameters if _is_number(p) and (p.element or "").startswith(("int", "uint"))
    ]
    made = {}
    for position, name in enumerate(whole):
        usual = SIZES[0] if len(whole) == 1 else SIZES[min(position + 1, len(SIZES) - 1)]
        if re.search(r"block|thread", name, re.I):
            usual = _BLOCK
        made[_identifier(name)] = answers.sizes.get(name, usual)
    return made or {"N": answers.sizes.get("N", SIZES[0])}


def _usual_shape(sizes: Mapping[str, int]) -> str:
    names = [n for n in sizes if not re.search(r"block|thread", n, re.I)] or list(sizes)
    return _tuple(names)


def _tuple(parts: Iterable[object]) -> str:
    texts = [str(part) for part in parts]
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def _number(parameter: Parameter) -> str:
    return "False" if parameter.element == "bool" else "0.5"


def _dtype(parameter: Parameter, answers: Answers) -> str:
    element = _SIGNED.get(parameter.element or "", parameter.element)
    return element if element in _TORCH else answers.dtype or "float32"


def _made(parameter: Parameter, shape: str, answers: Answers) -> str:
    dtype = _dtype(parameter, answers)
    if dtype == "bool":
        return f"torch.rand({shape}) < 0.5"
    if "int" in dtype:
        return f"torch.randint(0, 10, {shape}, dtype=torch.{dtype})"
    return f"torch.randn({shape}).to(torch.{dtype})" if dtype != "float32" else f"torch.randn({shape})"
