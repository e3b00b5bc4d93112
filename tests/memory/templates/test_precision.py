"""What is drafted where a candidate need be no more exact than the reference: products of one float16 number an element, for the operators
that PyTorch itself computes in TF32."""

from pathlib import Path
from typing import Any

import pytest

from kernelwright_backends.core.target import Target
from kernelwright_memory.generators.base import GenerationRequest
from kernelwright_memory.generators.templates import TemplateGenerator
from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.project.config import CheckSettings
from kernelwright_verifier.task.task import Candidate, Task
from kernelwright_verifier.verifier import Verifier

pytestmark = pytest.mark.asyncio(loop_scope="session")

TASK = """\
import torch
import torch.nn as nn

{flags}
batch, side = {full}
SMALL = {{"batch": 1, "side": 9}}


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = {layer}

    def forward(self, x):
        return torch.relu(self.layer(x))


def get_inputs():
    return [torch.randn{shape}]


def get_init_inputs():
    return []
"""
CONVOLUTION = {
    "full": "64, 64",
    "layer": "nn.Conv2d(64, 64, 3, padding=1)",
    "shape": "(batch, 64, side, side)",
}
LINEAR = {"full": "64, 256", "layer": "nn.Linear(2048, 2048)", "shape": "(batch * side, 2048)"}
ALLOWED = "torch.backends.cuda.matmul.allow_tf32 = True"


async def drafted(verifier: Verifier, path: Path, fields: dict[str, str], flags: str, precision: str) -> Any:
    text = TASK.format(flags=flags, **fields)
    path.write_text(text)
    task = Task(path=path, text=text)
    request = GenerationRequest(
        stage="draft", task_text=text, description=await verifier.describe(task),
        full=await verifier.describe(task, "full"), path=path, text="", entry=None, form="tensor",
        target=Target.parse("cuda:sm_90@cpu"), precision=precision,
    )  # fmt: skip
    return await TemplateGenerator().generate(request)


@pytest.mark.parametrize(
    ("fields", "flags", "precision", "rounded"),
    [
        (CONVOLUTION, "", "strict", False),
        (CONVOLUTION, "", "as_reference", True),
        (CONVOLUTION, "torch.backends.cudnn.allow_tf32 = False", "as_reference", False),
        (LINEAR, "", "as_reference", False),
        (LINEAR, ALLOWED, "as_reference", True),
        (LINEAR, ALLOWED, "strict", False),
    ],
)
async def test_one_number_an_element_is_drafted_where_the_reference_rounds_as_much(
    verifier: Verifier, tmp_path: Path, fields: dict[str, str], flags: str, precision: str, rounded: bool
) -> None:
    made = await drafted(verifier, tmp_path / "task.py", fields, flags, precision)
    assert (made.parameters.get("precision") == "fp16") is rounded, made.parameters
    assert ("the bits of TF32" in made.text) is rounded


async def test_a_convolution_drafted_as_the_reference_computes_is_feasible_and_says_so(
    verifier: Verifier, tmp_path: Path
) -> None:
    made = await drafted(verifier, tmp_path / "task.py", CONVOLUTION, "", "as_reference")
    file = tmp_path / "task.cu"
    file.write_text(made.text)
    (plan,) = verifier.plan(Candidate(path=file, text=made.text, name=file.name))
    held = {}
    for asked in ("strict", "as_reference"):
        configuration = plan.configuration.model_copy(update={"check": CheckSettings(precision=asked)})
        asking = plan.model_copy(update={"configuration": configuration})
        verdict = await verifier.verdict(asking, VerifyOptions(latency=False, shape={"batch": 1, "side": 9}))
        held[asked] = verdict.feasible, verdict.precision
    assert held == {"strict": (False, None), "as_reference": (True, "as_reference")}
