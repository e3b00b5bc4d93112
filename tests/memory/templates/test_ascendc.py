"""Drafts in Ascend C: readable, free of literal sizes, and right when the CPU target runs them."""

from pathlib import Path
from typing import Any

import pytest

from kernelwright_backends.ascendc.syntax import index
from kernelwright_backends.core.target import Target
from kernelwright_memory.generators.base import CannotGenerate, Generation, GenerationRequest
from kernelwright_memory.generators.templates import TemplateGenerator
from kernelwright_verifier.candidate.region import outside_region_changed
from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.task.task import Candidate, Task, TaskDescription

TARGET = Target.parse("ascendc:910b@cpu")


async def draft(description: TaskDescription, path: Path, **more: Any) -> Generation:
    fields = {
        "text": f"// kernelwright: task={path.name} entry=forward\n",
        "entry": "forward",
        "form": "tensor",
        **more,
    }
    request = GenerationRequest(
        stage="draft",
        task_text="",
        path=path.with_suffix(".asc"),
        description=description,
        target=TARGET,
        **fields,
    )
    return await TemplateGenerator().generate(request)


# name: (inputs, operators) as the fixture `describe` takes them, and how many variants there are at least
TRACES: dict[str, tuple[dict[str, Any], list[Any], int]] = {
    "relu": ({"x": (64, 100)}, [("relu", ("x",), (64, 100), {})], 8),
    "gelu": ({"x": (64, 100)}, [("gelu", ("x",), (64, 100), {})], 4),
    "bias": ({"x": (64, 100), "b": (100,)}, [("add", ("x", "b"), (64, 100), {})], 8),
    "softmax": ({"x": (64, 100)}, [("_softmax", ("x",), (64, 100), {"dim": 1})], 12),
    "sum of the middle": ({"x": (4, 33, 100)}, [("sum", ("x",), (4, 1, 100), {"dim": [1], "keepdim": True})], 8),
    "place": ({"x": (64, 100)}, [("argmax", ("x",), (64,), {"dim": 1, "result": "int64"})], 8),
    "place of the middle": ({"x": (4, 33, 100)}, [("argmin", ("x",), (4, 100), {"dim": 1, "result": "int64"})], 8),
    "product": ({"a": (33, 20), "b": (20, 45)}, [("mm", ("a", "b"), (33, 45), {})], 8),
    "above the diagonal": ({"x": (33, 45)}, [("triu", ("x",), (33, 45), {"diagonal": 1})], 8),
    "truth": ({"x": (64, 100)}, [("gt", ("x",), (64, 100), {"other": 0, "result": "bool"})], 8),
    "looked up": ({"x": (45, 33), "i": ((45, 20), "int64")}, [("gather", ("x", "i"), (45, 20), {"dim": 1})], 8),
    "transposition": ({"x": (33, 20)}, [("t", ("x",), (20, 33), {}), ("clone", ("%0",), (20, 33), {})], 4),
}  # fmt: skip


@pytest.mark.parametrize("name", TRACES)
async def test_every_variant_is_readable_and_takes_its_sizes_at_run_time(
    name: str, describe: Any, tmp_path: Path
) -> None:
    inputs, operators, least = TRACES[name]
    description = describe(inputs, *((*o[:3], dict(o[3])) for o in operators))
    tried: list[dict[str, Any]] = []
    texts = set()
    while True:
        try:
            made = await draft(description, tmp_path / "task.py", tried=tuple(tried))
        except CannotGenerate:
            break
        assert made.parameters not in tried
        tried.append(made.parameters)
        texts.add(made.text)
        found = index(made.text.encode())
        assert found.syntax_errors == (), made.text
        (kernel,) = found.kernels
        assert kernel.name == "forward" and kernel.form == "ascendc"
        assert 'args="' in made.text and 'block_dim="' in made.text
        body = made.text.partition("#include")[2]
        for size in ("100", "33", "45"):
            assert f" {size}" not in body, "a size of the task stands in the kernel"
    assert len(texts) == len(tried) >= least


@pytest.mark.parametrize("name", ["softmax", "relu"])
async def test_the_next_variant_replaces_the_first_one_whole(
    name: str, describe: Any, tmp_path: Path
) -> None:
    inputs, operators, _ = TRACES[name]
    description = describe(inputs, *((*o[:3], dict(o[3])) for o in operators))
    first = await draft(description, tmp_path / "task.py")
    text, tried = first.text, [first.parameters]
    for _ in range(12):
        made = await draft(description, tmp_path / "task.py", text=text, form="ascendc", tried=tuple(tried))
        before, after = index(text.encode()), index(made.text.encode())
        changed = outside_region_changed(text.encode(), before, made.text.encode(), after, "forward")
        assert changed is None and len(after.kernels) == 1 and made.text.count("block_dim=") == 1
        assert made.text.count("_body(") == 2 and after.syntax_errors == ()
        text = made.text
        tried.append(made.parameters)


async def test_what_is_not_written_is_said(describe: Any, tmp_path: Path) -> None:
    for operators, words in (
        ([("prod", ("x",), (64,), {"dim": 1})], "prod"),
        (
            [
                ("mul", ("x", "x"), (64, 100), {"result": "float16"}),
                ("argmax", ("%0",), (64,), {"dim": 1, "result": "int64"}),
            ],
            "rounded values",
        ),
        ([("sin", ("x",), (64, 100), {})], "'sin' is not written"),
        ([("constant_pad_nd", ("x",), (64, 102), {"pad": [1, 1]})], "joined or padded"),
        ([("_to_copy", ("x",), (64, 100), {"result": "int32"})], "arithmetic in int32"),
        ([("arange", (), (1 << 25,), {"end": 1 << 25})], "beyond 2\\^24"),
    ):
        with pytest.raises(CannotGenerate, match=words):
            await draft(describe({"x": (64, 100)}, *operators), tmp_path / "task.py")


TASKS = {
    "activations": ("torch.tanh(x) * torch.sigmoid(x) + nn.functional.silu(x) - nn.functional.elu(x)", "(35, 37)", "", 0),
    "more_activations": ("nn.functional.mish(x) + nn.functional.hardswish(x) + nn.functional.softplus(x)", "(35, 37)", "", 1),
    "logistic": ("torch.sigmoid(x)", "(35, 37)", "", 0),
    "half": ("nn.functional.gelu(x).half()", "(35, 37)", "", 0),
    "bias_over_rows": ("x * self.w + self.b", "(35, 37)", "self.w = nn.Parameter(torch.ones(37)); self.b = nn.Parameter(torch.zeros(35, 1))", 0),
    "softmax": ("torch.softmax(x, dim=1)", "(35, 5000)", "", 0),
    "softmax_on_the_vector_unit": ("torch.softmax(x, dim=1)", "(35, 5000)", "", -1),
    "layer_norm_on_the_vector_unit": ("self.n(x)", "(7, 5, 100)", "self.n = nn.LayerNorm(100)", -1),
    "largest": ("torch.amax(x, dim=0)", "(33, 45)", "", 0),
    "place_of_the_largest": ("torch.argmax(x, dim=1)", "(7, 5000)", "", 0),
    "place_of_the_smallest_in_tiles": ("torch.argmin(torch.relu(x), dim=-1, keepdim=True)", "(2, 5, 1003)", "", -1),
    "place_of_the_largest_above": ("torch.argmax(x, dim=1)", "((3, 33, 345), dtype=torch.half)", "", 0),
    "place_of_the_smallest_of_all": ("torch.argmin(torch.relu(x))", "(33, 45)", "", 0),
    "mean": ("x.mean(dim=1)", "(33, 45)", "", -1),
    "linear": ("nn.functional.relu(self.l(x))", "(9, 33)", "self.l = nn.Linear(33, 20)", -1),
    "transposition": ("x.t().contiguous()", "(33, 45)", "", 0),
    "cumulative_sum": ("torch.cumsum(torch.relu(x), dim=1) * 2 + x", "(7, 5000)", "", 0),
    "cumulative_sum_in_tiles": ("torch.cumsum(x, dim=1)", "(5, 1003)", "", -1),
    "cumulative_sum_of_the_middle": ("torch.cumsum(x, dim=1)", "(3, 9, 37)", "", 0),
    "cumulative_product": ("torch.cumprod(x, dim=0)", "(33,)", "", 0),
    "convolution": ("torch.relu(self.c(x))", "(2, 3, 11, 13)", "self.c = nn.Conv2d(3, 10, 3, padding=1)", 0),
    "strided_convolution": ("self.c(x)", "(2, 4, 11, 14)", "self.c = nn.Conv2d(4, 6, (3, 2), stride=(2, 3), padding=(2, 1), dilation=(1, 2), groups=2, bias=False)", 0),
    "half_convolution": ("self.c(x)", "((1, 3, 6, 37), dtype=torch.half)", "self.c = nn.Conv2d(3, 5, 3, stride=(1, 2), padding=1).half()", -1),
    "convolution_that_reaches_far": ("self.c(x)", "(2, 2, 5, 70)", "self.c = nn.Conv2d(2, 3, (1, 5), padding=(0, 12), dilation=(1, 6))", 0),
    "half_convolution_that_reaches_far": ("self.c(x)", "((1, 2, 4, 61), dtype=torch.half)", "self.c = nn.Conv2d(2, 3, (1, 7), stride=(1, 2), padding=(0, 21), dilation=(1, 7)).half()", 0),
    "transposed_convolution_that_reaches_far": ("self.c(x)", "(2, 3, 90)", "self.c = nn.ConvTranspose1d(3, 2, 5, dilation=4)", 0),
    "pool_that_reaches_far": ("nn.functional.max_pool2d(x, (3, 21), stride=(1, 2), padding=(1, 10))", "(1, 2, 5, 64)", "", 0),
    "convolution_of_a_line": ("self.c(x) + x", "(2, 3, 300)", "self.c = nn.Conv1d(3, 3, 5, padding=2)", -1),
    "largest_of_windows": ("torch.relu(self.p(x))", "(2, 3, 11, 13)", "self.p = nn.MaxPool2d(3, stride=2, padding=1)", 0),
    "largest_of_half_windows": ("self.p(x)", "((1, 3, 10, 37), dtype=torch.half)", "self.p = nn.MaxPool2d((2, 3), stride=(1, 2), padding=(1, 1), dilation=(2, 1))", 0),
    "mean_of_windows_of_a_line": ("self.p(x) + 1", "(2, 3, 301)", "self.p = nn.AvgPool1d(4, stride=3, padding=2)", -1),
    "mean_of_windows_of_volumes": ("self.p(x)", "(1, 2, 6, 7, 9)", "self.p = nn.AvgPool3d(3, stride=2, padding=1)", 0),
    "largest_of_what_is_computed": ("self.p(torch.tanh(x))", "(2, 3, 11, 13)", "self.p = nn.MaxPool2d(2)", 0),
    "transposed_convolution": ("torch.relu(self.c(x))", "(2, 3, 7, 9)", "self.c = nn.ConvTranspose2d(3, 5, 3, stride=2, padding=1, output_padding=1)", 0),
    "transposed_convolution_of_groups": ("self.c(x)", "(2, 4, 7, 9)", "self.c = nn.ConvTranspose2d(4, 6, (3, 2), groups=2, dilation=(2, 1), bias=False)", -1),
    "half_transposed_convolution": ("self.c(x)", "((1, 3, 5, 11), dtype=torch.half)", "self.c = nn.ConvTranspose2d(3, 5, (2, 5), stride=(3, 2), padding=(1, 2)).half()", 0),
    "transposed_convolution_of_a_line": ("self.c(x)", "(2, 3, 57)", "self.c = nn.ConvTranspose1d(3, 4, 5, stride=3, padding=1, dilation=2)", 0),
    "transposed_convolution_of_volumes": ("self.c(x) * 2", "(1, 2, 3, 5, 6)", "self.c = nn.ConvTranspose3d(2, 3, 3, stride=(2, 1, 2), padding=(1, 0, 1))", -1),
    "batch_norm": ("self.n(x)", "(3, 5, 7, 9)", "self.n = nn.BatchNorm2d(5)", 0),
    "norm_of_the_middle": ("x / torch.sqrt((x * x).mean(dim=1, keepdim=True) + 1e-5)", "(3, 5, 37)", "", 0),
    "product_of_transposed_matrices": ("x.t() @ self.w.t()", "(33, 20)", "self.w = nn.Parameter(torch.ones(45, 33))", 0),
    "losses_of_lines_and_squares": ("nn.functional.smooth_l1_loss(x, self.y) + nn.functional.huber_loss(x, self.y, delta=0.5)", "(35, 37)", "self.y = nn.Parameter(torch.zeros(35, 37))", 0),
    "divergence": ("nn.functional.kl_div(torch.log_softmax(x, dim=1), torch.softmax(self.y, dim=1), reduction='batchmean')", "(35, 37)", "self.y = nn.Parameter(torch.ones(35, 37))", 0),
    "hinge_of_broadcast_targets": ("torch.mean(torch.clamp(1 - x * self.y, min=0))", "(35, 37)", "self.y = nn.Parameter(torch.ones(37))", 0),
    "products_of_batches": ("torch.bmm(x, x.transpose(1, 2))", "(3, 9, 17)", "", 0),
    "many_tensors": ("torch.addcmul(x, self.a, self.b) + self.c * self.d", "(3, 5)", "; ".join(f"self.{n} = nn.Parameter(torch.ones(3, 5))" for n in "abcd"), 0),
    "norm_of_a_convolution": ("self.n(self.c(x)) / 2", "(2, 3, 9, 11)", "self.c = nn.Conv2d(3, 4, 3); self.n = nn.InstanceNorm2d(4)", 0),
    "above_the_diagonal": ("torch.triu(x @ self.w, diagonal=1)", "(33, 20)", "self.w = nn.Parameter(torch.ones(20, 45))", 0),
    "below_the_diagonal_of_each": ("torch.tril(x + 1, diagonal=-2)", "(3, 33, 300)", "", 0),
    "rows_above_the_diagonal": ("torch.triu(x).sum(dim=1)", "(45, 45)", "", -1),
    "numbers_of_columns": ("x * torch.arange(300)", "(3, 300)", "", 0),
    "roundings": ("torch.floor(x) + torch.ceil(x) * torch.round(x * 3) - torch.trunc(x) + torch.sign(x)", "(35, 37)", "", 0),
    "choice": ("torch.where(x > self.y, x, self.y * 2) + torch.where((x < 0) & (self.y != 1), 3.0, x)", "(35, 37)", "self.y = nn.Parameter(torch.ones(37))", 0),
    "truth": ("(x > 0.5) | ~(self.y < x)", "(35, 37)", "self.y = nn.Parameter(torch.ones(37))", 0),
    "truth_of_rows": ("(x > 1.9).any(dim=1)", "(35, 37)", "", 0),
    "shrunk": ("nn.functional.hardshrink(x) + nn.functional.softshrink(x) * nn.functional.threshold(x, 0.1, 2.0)", "(35, 37)", "", 0),
    "masked_by_a_buffer": ("x.masked_fill(self.m, float('-inf')).softmax(dim=1)", "(35, 45)", "self.register_buffer('m', torch.arange(45).remainder(3) == 1)", -1),
    "largest_among_its_row": ("torch.where(x == x.amax(dim=1, keepdim=True), x, 0.0)", "(9, 300)", "", -1),
    "looked_up_rows": ("torch.relu(nn.functional.embedding(self.i, x))", "(35, 37)", "self.register_buffer('i', torch.arange(24).reshape(4, 6))", 0),
    "looked_up_elements": ("torch.gather(x, 1, self.i) * 2", "(5, 37)", "self.register_buffer('i', torch.arange(45).remainder(37).reshape(5, 9))", 0),
    "cross_entropy": ("nn.functional.cross_entropy(x, self.t)", "(33, 45)", "self.register_buffer('t', torch.arange(33).remainder(7) * 3)", 0),
    "cross_entropy_of_some": ("nn.functional.nll_loss(x, self.t, ignore_index=2)", "(33, 45)", "self.register_buffer('t', torch.arange(33).remainder(7))", -1),
    "mean_of_windows_inside": ("self.p(x) + x[:, :, :6, :7]", "(2, 3, 11, 13)", "self.p = nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False)", 0),
    "mean_of_volumes_inside": ("self.p(x)", "(1, 2, 6, 7, 9)", "self.p = nn.AvgPool3d(3, stride=2, padding=1, count_include_pad=False)", -1),
    "mean_of_a_line_inside": ("self.p(x)", "((2, 3, 301), dtype=torch.half)", "self.p = nn.AvgPool1d(4, stride=3, padding=2, count_include_pad=False)", 0),
    "convolution_of_volumes": ("self.c(x)", "(1, 2, 4, 6, 7)", "self.c = nn.Conv3d(2, 3, 3, padding=1)", 0),
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
    return [torch.rand{shape} * 4 - 2]


def get_init_inputs():
    return []
"""


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("name", TASKS)
async def test_drafts_are_feasible(verifier: Any, name: str, tmp_path: Path) -> None:
    forward, shape, init, which = TASKS[name]
    task = tmp_path / f"{name}.py"
    task.write_text(TEXT.format(forward=forward, shape=shape, init=init or "pass"))
    description = await verifier.describe(Task(path=task, text=task.read_text()))
    tried: list[dict[str, Any]] = []
    made = await draft(description, task)
    # The which-th variant: -1 is the last, whose results stay on the vector unit.
    while which:
        tried.append(made.parameters)
        which -= 1 if which > 0 else 0
        try:
            made = await draft(description, task, tried=tuple(tried))
        except CannotGenerate:
            break
    file = tmp_path / f"{name}.asc"
    file.write_text(made.text)
    (plan,) = verifier.plan(Candidate(path=file, text=made.text, name=file.name), target=TARGET)
    verdict = await verifier.verdict(plan, VerifyOptions(latency=False))
    said = [f"{f.line}: {f.code} {f.message}" for gate in verdict.gates for f in gate.findings]
    assert verdict.feasible is True, "\n".join([*said, made.text])
    assert not [text for text in said if "RACE" in text or "UNINIT" in text], said
