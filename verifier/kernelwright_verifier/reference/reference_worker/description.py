"""What a task is: signature, shapes, operators."""

from __future__ import annotations

from typing import Any

import torch

from .instance import dtype_name, tensor_spec
from .loading import LoadedTask
from .tensor_float import rounded_kinds
from .tracing import product, reduction_length, traced
from .wider import runs_in_float64


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
        "tf32": rounded_kinds(),
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
