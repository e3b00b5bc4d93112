"""A PyTorch extension of one kernel: the parameters of its host function, its outputs, its launch."""

from kernelwright_memory.generators.base import GenerationRequest
from kernelwright_memory.generators.skeletons.arguments import Argument, arguments_of
from kernelwright_memory.generators.skeletons.directives import directive_line, with_values
from kernelwright_memory.generators.templates.graph.operators import (
    ATEN_TYPES,
    CPP_TYPES,
    HEADERS,
    TORCH_TYPES,
)
from kernelwright_verifier.task.task import TaskDescription, TensorSpec

_NUMBERS = {"int64": "int64_t", "float64": "double", "bool": "bool"}


def fields(request: GenerationRequest) -> tuple[str, dict[str, str]]:
    """(the template's file, what fills it)."""
    description, full = request.description, request.full or request.description
    entry = request.entry or "forward"
    taken = arguments_of(description, outputs=False)
    tensors = [a for a in taken if a.kind == "tensor"]
    shapes = [_shape(position, description, full, tensors) for position in range(len(description.outputs))]
    returns = bool(tensors) and all(
        shape is not None and output.dtype in TORCH_TYPES
        for shape, output in zip(shapes, description.outputs, strict=True)
    )
    if not returns:
        # What no extent of an input tells, the caller allocates.
        taken = arguments_of(description, outputs=True)
    outputs = [a for a in arguments_of(description) if a.kind == "output"]
    names = [o.name for o in outputs]
    counts = [f"{name}_count" for name in names]
    dtypes = dict.fromkeys(a.dtype for a in (*tensors, *outputs))
    args = [a.source for a in taken]
    return "tensor.cu.template", {
        "directive": with_values(directive_line(request), args=", ".join(args)),
        "entry": entry,
        "headers": "".join(f"#include {HEADERS[d]}\n" for d in dtypes if d in HEADERS),
        "kernel_parameters": ", ".join(
            [
                *(f"const {_pointee(a.dtype)}* {a.name}" for a in tensors),
                *(f"{_pointee(o.dtype)}* {o.name}" for o in outputs),
                *(f"int64_t {count}" for count in counts),
            ]
        ),
        "stores": "".join(
            f"    if (i < {count}) {{\n        {_zero(o)};\n    }}\n"
            for o, count in zip(outputs, counts, strict=True)
        ),
        "head": f"{_return_type(outputs) if returns else 'void'} {entry}({_parameters(taken)})",
        "checks": "".join(
            f'    TORCH_CHECK({t.name}.is_cuda() && {t.name}.is_contiguous(), "{t.name} must be a contiguous CUDA tensor");\n'
            for t in tensors
        ),
        "allocations": "".join(
            _allocation(o, shape, tensors)
            for o, shape in zip(outputs, shapes, strict=True)
            if shape is not None
        )
        if returns
        else "",
        "counts": "".join(
            f"    const int64_t {c} = {n}.numel();\n" for n, c in zip(names, counts, strict=True)
        ),
        "most": counts[0] if len(counts) == 1 else f"std::max({{{', '.join(counts)}}})",
        "values": ", ".join([*(_data(a) for a in (*tensors, *outputs)), *counts]),
        "returned": _returned(names) if returns else "",
    }


def _parameters(taken: tuple[Argument, ...]) -> str:
    kinds = {"tensor": "torch::Tensor", "output": "torch::Tensor"}
    return ", ".join(f"{kinds.get(a.kind) or _NUMBERS[a.dtype]} {a.name}" for a in taken)


def _return_type(outputs: list[Argument]) -> str:
    return "torch::Tensor" if len(outputs) == 1 else "std::vector<torch::Tensor>"


def _returned(names: list[str]) -> str:
    return f"    return {names[0] if len(names) == 1 else '{' + ', '.join(names) + '}'};\n"


def _pointee(dtype: str) -> str:
    return CPP_TYPES.get(dtype, "void")


def _zero(output: Argument) -> str:
    name, dtype = output.name, output.dtype
    if dtype == "float16":
        return f"{name}[i] = __float2half(0.0f)"
    if dtype == "bfloat16":
        return f"{name}[i] = __float2bfloat16(0.0f)"
    return f"{name}[i] = 0" if dtype in CPP_TYPES else f"(void){name}"


def _data(argument: Argument) -> str:
    name, dtype = argument.name, argument.dtype
    if dtype in ATEN_TYPES:
        return f"reinterpret_cast<{CPP_TYPES[dtype]}*>({name}.data_ptr<{ATEN_TYPES[dtype]}>())"
    return f"{name}.data_ptr<{CPP_TYPES[dtype]}>()" if dtype in CPP_TYPES else f"{name}.data_ptr()"


def _allocation(output: Argument, shape: str | None, tensors: list[Argument]) -> str:
    if shape is not None and not shape.startswith("{"):
        like = next(t for t in tensors if t.name == shape)
        options = (
            ""
            if like.dtype == output.dtype
            else f", {like.name}.options().dtype({TORCH_TYPES[output.dtype]})"
        )
        return f"    auto {output.name} = torch::empty_like({like.name}{options});\n"
    options = f"{tensors[0].name}.options()"
    if tensors[0].dtype != output.dtype:
        options += f".dtype({TORCH_TYPES[output.dtype]})"
    return f"    auto {output.name} = torch::empty({shape}, {options});\n"


def _shape(
    position: int, description: TaskDescription, full: TaskDescription, tensors: list[Argument]
) -> str | None:
    """How host code writes an output's shape: the name of a tensor of that shape, or a list of extents in braces; None where no
    extent of an input says one of them.

    Args:
        full: the same task at other sizes: what agrees at both is a size, and no coincidence.
    """
    small, large = description.outputs[position], full.outputs[position]
    pairs = [
        (t.name, t.tensor, other)
        for t in tensors
        if t.tensor is not None and (other := _named(full, t.source))
    ]
    for name, own, other in pairs:
        if own.shape == small.shape and other.shape == large.shape:
            return name
    extents = []
    for axis, (here, there) in enumerate(zip(small.shape, large.shape, strict=False)):
        places = [
            (own_axis != axis, f"{name}.size({own_axis})")
            for name, own, other in pairs
            for own_axis, both in enumerate(zip(own.shape, other.shape, strict=False))
            if both == (here, there)
        ]
        if places:
            extents.append(min(places, key=lambda place: place[0])[1])
        elif here == there and (here == 1 or full is not description):
            extents.append(str(here))
        else:
            return None
    return "{" + ", ".join(extents) + "}"


def _named(description: TaskDescription, name: str) -> TensorSpec | None:
    inputs = [a.tensor for a in description.forward if a.tensor is not None]
    return next((t for t in (*inputs, *description.parameters, *description.buffers) if t.name == name), None)
