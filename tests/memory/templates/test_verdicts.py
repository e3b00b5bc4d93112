"""Generated kernels go through the verifier: built, run under all checks, compared."""

from pathlib import Path

import pytest

from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.task.task import Candidate

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
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
    # Fusions: several launches by way of temporaries, and what joins them.
    "packed_convolution": ("torch.nn.functional.gelu(self.c(x)) * 2", "(2, 4, 7, 9)", "self.c = nn.Conv2d(4, 18, 3, padding=1)"),
    "packed_groups": ("self.c(x)", "(2, 8, 3, 5, 4)", "self.c = nn.Conv3d(8, 10, 2, groups=2)"),
    "packed_strided_transposed": ("torch.clamp(self.c(x), -0.5, 0.5)", "(2, 4, 5, 6)", "self.c = nn.ConvTranspose2d(4, 9, 3, stride=2)"),
    "group_norm_behind_a_convolution": (
        "torch.tanh(self.n(y := torch.relu(self.c(x)))) + y", "(2, 3, 7, 7)", "self.c = nn.Conv2d(3, 8, 3); self.n = nn.GroupNorm(4, 8)"),
    "batch_norm_then_pools": (
        "torch.nn.functional.avg_pool2d(self.n(self.c(x)), 2).amax(dim=1)", "(2, 3, 8, 8)",
        "self.c = nn.Conv2d(3, 8, 3); self.n = nn.BatchNorm2d(8)"),
    "softmax_behind_a_product": (
        "torch.softmax(self.n(torch.sigmoid(self.l(x))), dim=1) * 3", "(6, 20)",
        "self.l = nn.Linear(20, 36); self.n = nn.BatchNorm1d(36)"),
    "reductions_of_reductions": (
        "torch.logsumexp(torch.max(self.l(x), dim=1, keepdim=True)[0] - x.amin(dim=1, keepdim=True), dim=1, keepdim=True)",
        "(6, 20)", "self.l = nn.Linear(20, 36)"),
    "softmax_of_minima": ("torch.softmax(self.c(x).min(dim=2)[0], dim=1)", "(2, 3, 5, 6, 7)", "self.c = nn.Conv3d(3, 8, 3)"),
    "constant_of_the_task": ("torch.min(self.l(x), torch.tensor(0.25)) - x.mean()", "(6, 20)", "self.l = nn.Linear(20, 36)"),
    # Moved elements.
    "padded_rolled_repeated": ("torch.nn.functional.pad(x, (1, 2, 0, 3), value=2.0).roll(2, 1).repeat(2, 1)", "(6, 9)", ""),
    "halves": (
        "torch.stack([torch.nn.functional.glu(x, dim=1), nn.Softshrink(0.2)(x.chunk(2, dim=1)[1] - 1), nn.Hardshrink(0.2)(x[:, :10] - 1)])",
        "(6, 20)", ""),
    "resampled": (
        "torch.nn.functional.adaptive_avg_pool2d(nn.Upsample(scale_factor=2)(torch.pixel_shuffle(self.c(x), 2)), (4, 6))",
        "(2, 3, 4, 6)", "self.c = nn.Conv2d(3, 8, 1)"),
    "gathered": ("x.gather(1, (x * 2).argmax(dim=1, keepdim=True)) - x.gather(1, x.argmin(dim=1, keepdim=True))", "(6, 20)", ""),
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
    from kernelwright_backends.core.target import Target
    from kernelwright_memory.generators.base import GenerationRequest
    from kernelwright_memory.generators.templates import TemplateGenerator
    from kernelwright_verifier.task.task import Task

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
