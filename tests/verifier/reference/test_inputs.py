"""A task's tensors as it makes them, for a trace that looks at their values."""

import mmap
from typing import Any

import numpy as np
import pytest

from kernelwright_backends.core.registry import index_of
from kernelwright_backends.interfaces.run import ArgumentValue
from kernelwright_verifier.binding import bind
from kernelwright_verifier.gates.latency.estimate import full_size_call
from kernelwright_verifier.gates.latency.task_inputs import with_task_inputs
from kernelwright_verifier.reference.client import Reference
from kernelwright_verifier.reference.trial import read_tensor
from kernelwright_verifier.task.task import Task

ROWS = """
    N = 4096
    SMALL = {"N": 8}

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.full((3,), 2.5))

        def forward(self, x, rows):
            return x[rows.long()] * self.scale[0]

    def get_inputs():
        return [torch.arange(N, dtype=torch.float32), (torch.arange(N) * 7 % N).to(torch.int32)]

    def get_init_inputs():
        return []
"""
SOURCE = """
extern "C" void take(const float* x, const int* rows, const float* scale, float* out, int n) {}
"""


pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_full_size_is_made_as_the_task_makes_it(reference: Reference, make_task: Any) -> None:
    task: Task = make_task(ROWS)
    drawn = await reference.inputs(task, await reference.describe(task, "full"))
    assert set(drawn.tensors) == {"x", "rows", "scale"}
    assert all(tensor.offset % mmap.PAGESIZE == 0 for tensor in drawn.tensors.values())
    rows = read_tensor(drawn.mapping, drawn.tensors["rows"])
    assert rows.dtype == np.int32 and (rows == np.arange(4096) * 7 % 4096).all()
    assert (read_tensor(drawn.mapping, drawn.tensors["scale"]) == 2.5).all()
    again = await reference.inputs(task, await reference.describe(task, "full"))
    assert again == drawn  # made once


@pytest.mark.parametrize(("count", "expected"), [("4096", 4096), ("1 << 27", 8)])
async def test_what_is_too_large_is_made_at_its_reduced_size(
    count: str, expected: int, reference: Reference, make_task: Any
) -> None:
    task: Task = make_task(ROWS.replace("N = 4096", f"N = {count}", 1))
    full = await reference.describe(task, "full")
    index = index_of("cuda", SOURCE)
    binding = bind(index.entries[0], None, full, "take.cu", "take")
    call, values = await with_task_inputs(full_size_call(binding, full), binding, task, full, reference)
    drawn = {a.tensor.name: a.drawn for a in call.arguments if a.tensor is not None and a.drawn is not None}
    assert values is not None and set(drawn) == {"x", "rows", "scale"}
    assert drawn["x"].shape == (expected,)
    assert all(isinstance(a, ArgumentValue) and a.drawn is None for a in call.arguments if a.role == "output")
