"""Generated kernels go through the verifier: built, run under all checks, compared."""

from pathlib import Path

import pytest

from kernelwright_verifier.pipeline import VerifyOptions
from kernelwright_verifier.task import Candidate

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
# Tasks beside the examples, by what is hard about them.
TASKS = {
    "bias_over_rows": ("x * self.w + self.b", "(35, 37)", "self.w = nn.Parameter(torch.ones(37)); self.b = nn.Parameter(torch.zeros(35, 1))"),
    "transposed_sum": ("x.t() + x.sum()", "(33, 20)", ""),
    "argmax_of_columns": ("torch.argmax(x, dim=0)", "(33, 45)", ""),
    "full_mean": ("(x - 1).pow(2).mean()", "(33, 45)", ""),
    "log_softmax_of_columns": ("torch.log_softmax(x, dim=0)", "(33, 45)", ""),
    "group_norm": ("self.n(x)", "(3, 8, 5, 7)", "self.n = nn.GroupNorm(4, 8)"),
    "batch_norm": ("self.n(x)", "(3, 8, 5, 7)", "self.n = nn.BatchNorm2d(8)"),
    "reverse_cumsum": ("torch.cumsum(x.flip(1), dim=1).flip(1)", "(5, 300)", ""),
    "cumprod_of_columns": ("torch.cumprod(x, dim=0)", "(9, 33)", ""),
    "attention": ("torch.nn.functional.scaled_dot_product_attention(x, x, x)", "(2, 2, 17, 8)", ""),
    "triangle": ("torch.tril(torch.matmul(x.t(), x))", "(33, 35)", ""),
    "transposed_convolution": ("torch.relu(self.c(x))", "(2, 4, 6, 7)", "self.c = nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, groups=2)"),
    "pool": ("torch.nn.functional.avg_pool2d(x, 3, 2, 1)", "(2, 3, 9, 11)", ""),
}  # fmt: skip
TEXT = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init}

    def forward(self, x):
        return {forward}


def get_inputs():
    return [torch.rand{shape} + 0.5]


def get_init_inputs():
    return []
"""


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("name", TASKS)
async def test_drafts_of_bare_tasks_are_feasible(verifier, name, tmp_path):
    from kernelwright_backends.target import Target
    from kernelwright_memory.generators.base import GenerationRequest
    from kernelwright_memory.generators.templates import TemplateGenerator
    from kernelwright_verifier.task import Task

    forward, shape, init = TASKS[name]
    task = tmp_path / f"{name}.py"
    task.write_text(TEXT.format(forward=forward, shape=shape, init=init or "pass"))
    description = await verifier.describe(Task(path=task, text=task.read_text()))
    request = GenerationRequest(
        stage="draft", task_text="", description=description, path=task, text="", entry=None, form="tensor",
        target=Target.parse("cuda:sm_90@cpu"),
    )  # fmt: skip
    made = await TemplateGenerator().generate(request)
    file = tmp_path / f"{name}.cu"
    file.write_text(made.text)
    (plan,) = verifier.plan(Candidate(path=file, text=made.text, name=file.name))
    verdict = await verifier.verdict(plan, VerifyOptions(latency=False))
    assert verdict.feasible, [f"{f.line}: {f.code} {f.message}" for f in verdict.findings] + [made.text]
