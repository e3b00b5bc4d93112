"""The beginning of a task for a kernel: a KernelBench-format file whose `forward` the user fills in."""

import keyword

from kernelwright_backends.core.kernel import Function, Parameter

_TORCH_TYPES = {
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int8",
    "uint8",
    "int16",
    "int32",
    "int64",
    "bool",
}


def task_skeleton(function: Function | None) -> str:
    """A task with an input for each constant pointer or tensor of `function`, and for each scalar that is no count."""
    inputs = [p for p in function.parameters if _is_input(p)] if function is not None else []
    names = [_name(p.name) for p in inputs] or ["x"]
    makers = [_maker(p) for p in inputs] or ["torch.randn(N)"]
    what = function.name if function is not None else "the kernel"
    arguments = "".join(f", {name}" for name in names)
    lines = [
        "import torch",
        "import torch.nn as nn",
        "",
        "",
        "class Model(nn.Module):",
        f'    """What {what} must compute, in PyTorch."""',
        "",
        f"    def forward(self{arguments}):",
        f'        raise NotImplementedError("compute {what} in PyTorch here")',
        "",
        "",
        "N = 4096",
        "",
        "",
        "def get_inputs():",
        f"    return [{', '.join(makers)}]",
        "",
        "",
        "def get_init_inputs():",
        "    return []",
    ]
    return "\n".join(lines) + "\n"


def _is_input(parameter: Parameter) -> bool:
    return parameter.tensor or (parameter.pointer and parameter.const)


def _name(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) or not name.isidentifier() else name


def _maker(parameter: Parameter) -> str:
    element = parameter.element
    if element == "bool":
        return "torch.rand(N) < 0.5"
    if element is not None and "int" in element and element in _TORCH_TYPES:
        return f"torch.randint(0, 10, (N,), dtype=torch.{element})"
    if element in _TORCH_TYPES and element != "float32":
        return f"torch.randn(N).to(torch.{element})"
    return "torch.randn(N)"
