"""Eager PyTorch on a device: what is said where it cannot be timed. `tests/gpu/test_both.py` times it where it can."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from kernelwright_backends.core.registry import index_of
from kernelwright_backends.core.target import Target
from kernelwright_backends.interfaces.capabilities import DeviceAccess, HoldsDevice
from kernelwright_backends.interfaces.cost import CostEstimate
from kernelwright_verifier.gates.latency.estimate import beside_eager
from kernelwright_verifier.pipeline.context import VerificationContext, limits_of
from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.reference.client import WORKER, NotTimed, Reference
from kernelwright_verifier.reference.eager_latency import time_eagerly
from kernelwright_verifier.reference.interpreter import chosen_interpreter, inspect_interpreter
from kernelwright_verifier.sandbox import Sandbox
from kernelwright_verifier.task.plan import make_plans
from kernelwright_verifier.task.task import Candidate, Task

pytestmark = pytest.mark.asyncio(loop_scope="session")

NOWHERE = DeviceAccess(
    name="NVIDIA H200", driver="13.0", files=(), environment={"CUDA_VISIBLE_DEVICES": "GPU-0"}
)
TEXT = (
    "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n"
    "def get_inputs():\n    return [torch.rand(64)]\ndef get_init_inputs():\n    return []\n"
)


class Lending:
    """A toolchain as far as it lends its device."""

    @asynccontextmanager
    async def hold(self, target: Target) -> AsyncIterator[DeviceAccess]:
        yield NOWHERE


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return Task(path=tmp_path / "double.py", text=TEXT, found_by="argument")


async def test_a_torch_that_reaches_no_gpu_says_so(task: Task, confinement: Sandbox) -> None:
    """The whole conversation with the confined process, which has no device here."""
    interpreter = await inspect_interpreter(chosen_interpreter(None))
    with pytest.raises(NotTimed, match=f"^torch {interpreter.torch.split('+')[0]}.* finds no GPU$"):
        await time_eagerly(task, interpreter, WORKER, {"USER": "nobody"}, confinement, NOWHERE, seed=1)


async def test_a_time_without_eager_pytorch_says_why(
    task: Task, reference: Reference, confinement: Sandbox
) -> None:
    """COST_REFERENCE, and the kernel's own latency holds."""
    interpreter = await inspect_interpreter(chosen_interpreter(None))
    if interpreter.cuda is not None:
        pytest.skip("needs a torch without CUDA")
    text = "__global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }\n"
    candidate = Candidate(path=task.path.with_suffix(".cu"), text=text, name="double.cu")
    (plan,) = make_plans(candidate, index_of("cuda", text), task=task)
    measured = CostEstimate(source="measured", latency_us=3.0, low_us=2.9, high_us=3.1)
    lending: Any = Lending()
    assert isinstance(lending, HoldsDevice)
    context = VerificationContext(plan, VerifyOptions(), lending, confinement, reference, limits_of(plan))
    outcome = await beside_eager(context, measured, [])
    assert (outcome.estimate, outcome.reference_us, outcome.eager) == (measured, None, None)
    assert [(f.code, f.severity) for f in outcome.findings] == [("COST_REFERENCE", "information")]
    assert (
        "was built without CUDA; install a build with CUDA, or name another interpreter"
        in outcome.findings[0].message
    )
