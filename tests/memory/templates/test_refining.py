"""Refining tries first what the last verdict's performance lints ask for, at the launch that they name."""

import pytest

from kernelwright_backends.core.finding import finding
from kernelwright_memory.generators.base import StartPoint
from kernelwright_verifier.results.verdict import GATES, GateResult, Verdict

PRODUCT = ({"x": (40, 50), "w": (50, 60)}, ("mm", ("x", "w"), (40, 60), {}))
SOFTMAX = ({"x": (40, 50)}, ("_softmax", ("x",), (40, 50), {"dim": 1, "half_to_float": False}))
COLUMNS = ({"x": (40, 50)}, ("sum", ("x",), (50,), {"dim": [0], "keepdim": False}))
ADDED = (
    {"x": (40, 50), "y": (50, 40)},
    ("t", ("y",), (40, 50), {}),
    ("add", ("x", "%0"), (40, 50), {"alpha": 1}),
)
DOUBLED = ({"x": ((40, 50), "float16")}, ("mul", ("x",), (40, 50), {"other": 2.0, "result": "float16"}))
IMAGES = (
    {"x": (2, 8, 9, 9), "w": (16, 8, 3, 3)},
    ("convolution", ("x", "w"), (2, 16, 7, 7), {"stride": [1, 1], "padding": [0, 0], "dilation": [1, 1],
     "transposed": False, "output_padding": [0, 0], "groups": 1, "bias": None}),
)  # fmt: skip
NORMALISED = (*PRODUCT, ("_softmax", ("%0",), (40, 60), {"dim": 1, "half_to_float": False}))
TILE = {"template": "matmul", "rows": 64, "columns": 64, "depth": 16, "patch_rows": 4, "patch_columns": 4}
ROWS = {"template": "rows", "threads": 256}
# lint, its data -> what the next candidate is made of
REMEDIES = {
    "a transposed operand is read through a tile": (
        ADDED, {"template": "elementwise", "block": 256, "vector": 1, "each": 1}, "PERF_UNCOALESCED", {}, {"tile": 32},
    ),
    "rows that lie across are walked over side by side": (
        COLUMNS, {**ROWS, "row": "block", "cache": False}, "PERF_UNCOALESCED", {}, {"row": "column"},
    ),
    "a tile is padded": (PRODUCT, {**TILE, "pad": 1}, "PERF_BANK_CONFLICT", {"degree": 2.0}, {"pad": 2, "rows": 64, "depth": 16}),
    "few blocks become smaller ones": (PRODUCT, {**TILE, "pad": 2}, "PERF_FEW_BLOCKS", {"blocks": 1}, {"columns": 32}),
    "a row is kept": (SOFTMAX, {**ROWS, "row": "block", "cache": False}, "PERF_REDUNDANT_LOAD", {"by": "block"}, {"cache": True}),
    "too much shared memory": (
        SOFTMAX, {**ROWS, "row": "block", "cache": True}, "PERF_LOW_OCCUPANCY", {"limiter": "shared_memory"}, {"cache": False},
    ),
    "too many small blocks": (
        SOFTMAX, {**ROWS, "threads": 32, "row": "warp", "rows": 4, "cache": True}, "PERF_LOW_OCCUPANCY", {"limiter": "blocks"},
        {"threads": 32, "rows": 8},
    ),
    "half types are taken by twos and more": (
        DOUBLED, {"template": "elementwise", "block": 256, "vector": 1, "each": 1}, "PERF_HALF2", {}, {"vector": 4},
    ),
    "elements are taken sixteen bytes at once": (
        DOUBLED, {"template": "elementwise", "block": 256, "vector": 1, "each": 1}, "PERF_SCALAR_ACCESS", {}, {"vector": 4},
    ),
    "places are divided out for several elements": (
        DOUBLED, {"template": "elementwise", "block": 256, "vector": 1, "each": 1}, "PERF_INTEGER_DIVISION", {}, {"vector": 4},
    ),
    "a launch less": (
        IMAGES, {"template": "convolution", "block": 256, "channels": 16, "places": 4, "packed": True}, "PERF_LAUNCH_BOUND", None,
        {"packed": None},
    ),
}  # fmt: skip


def verdict(*lints):
    gates = [GateResult(gate=gate, status="passed") for gate in GATES[:-1]]
    return Verdict(file="t.cu", dialect="cuda", feasible=True, latency_us=9.0, bottleneck="memory_bandwidth_saturated",
                   gates=(*gates, GateResult(gate=GATES[-1], status="passed", findings=lints)))  # fmt: skip


def lint(code, kernel, **data):
    named = {"kernel": kernel} if kernel else {}
    return finding(code, code, "t.cu", data={"gain": 0.5, **named, **data})


def refined(generate, description, parameters, *lints, tried=()):
    start = StartPoint(id="s", text="", latency_us=9.0, parameters=parameters)
    return generate(description, stage="refine", start_point=start, last=verdict(*lints), tried=tried)


@pytest.mark.parametrize("name", REMEDIES)
def test_the_next_candidate_is_what_the_lint_asks_for(describe, generate, name):
    task, parameters, code, data, wanted = REMEDIES[name]
    kernel = None if data is None else "forward_kernel"
    made = refined(generate, describe(*task), parameters, lint(code, kernel, **(data or {})))
    assert {key: made.parameters.get(key) for key in wanted} == wanted


def test_the_greatest_gain_comes_first_and_then_the_next(describe, generate):
    few = lint("PERF_FEW_BLOCKS", "forward_kernel")
    banks = lint("PERF_BANK_CONFLICT", "forward_kernel", degree=2.0)
    start = {**TILE, "pad": 1}
    first = refined(generate, describe(*PRODUCT), start, few, banks).parameters
    assert first["rows"] * first["columns"] < 64 * 64
    second = refined(generate, describe(*PRODUCT), start, few, banks, tried=(first,)).parameters
    assert second == {**TILE, "pad": 2}
    assert refined(generate, describe(*PRODUCT), start, banks, few).parameters == second


def test_only_the_launch_that_a_lint_names_is_changed(describe, generate):
    description = describe(*NORMALISED)
    drafted = generate(description)
    named = lint("PERF_LOW_OCCUPANCY", "forward_kernel2", limiter="shared_memory")
    made = refined(generate, description, drafted.parameters, named)
    assert made.parameters["others"]["out"]["cache"] is False
    assert {k: v for k, v in made.parameters.items() if k != "others"} == drafted.parameters
    again = refined(generate, description, made.parameters, named)
    assert again.parameters != made.parameters


@pytest.mark.asyncio(loop_scope="session")
async def test_wide_reads_of_a_tile_are_right(verifier, tmp_path):
    """What a product that is bound by its instructions gets next: eight rows a thread, read by fours."""
    from kernelwright_backends.core.target import Target
    from kernelwright_memory.generators.base import GenerationRequest
    from kernelwright_memory.generators.templates import TemplateGenerator
    from kernelwright_verifier.pipeline.options import VerifyOptions
    from kernelwright_verifier.task.task import Candidate, Task

    task = tmp_path / "product.py"
    task.write_text(
        "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n    def forward(self, x, y):\n        return x @ y\n"
        "\n\ndef get_inputs():\n    return [torch.rand(70, 45), torch.rand(45, 131)]\n\n\ndef get_init_inputs():\n    return []\n"
    )
    start = StartPoint(id="s", text="", latency_us=9.0, parameters={**TILE, "pad": 2})
    last = verdict().model_copy(update={"bottleneck": "compute_saturated"})
    made = await TemplateGenerator().generate(GenerationRequest(
        stage="refine", task_text="", description=await verifier.describe(Task(path=task, text=task.read_text())), path=task,
        text="", entry=None, form="tensor", target=Target.parse("cuda:sm_90@cpu"), start_point=start, last=last,
    ))  # fmt: skip
    assert made.parameters["lanes"] == 4 and made.parameters["patch_rows"] == 8
    file = tmp_path / "product.cu"
    (plan,) = verifier.plan(Candidate(path=file, text=made.text, name=file.name))
    judged = await verifier.verdict(plan, VerifyOptions(latency=False))
    assert judged.feasible, [f"{f.line}: {f.code} {f.message}" for f in judged.findings] + [made.text]


@pytest.mark.asyncio(loop_scope="session")
async def test_a_real_verdict_leads_to_a_faster_kernel(verifier, tmp_path):
    """Draft, the lint of its verdict, the step that it names, and a lower estimate."""
    from kernelwright_backends.core.target import Target
    from kernelwright_memory.generators.base import GenerationRequest
    from kernelwright_memory.generators.templates import TemplateGenerator
    from kernelwright_verifier.task.task import Candidate, Task

    task = tmp_path / "turned.py"
    task.write_text(
        "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n    def forward(self, x, y):\n        return x + 2 * y.t()\n"
        "\n\nN, M = 2048, 4096\n\n\ndef get_inputs():\n    return [torch.rand(N, M), torch.rand(M, N)]\n\n\ndef get_init_inputs():\n    return []\n"
    )
    description = await verifier.describe(Task(path=task, text=task.read_text()))
    fields = {"task_text": "", "description": description, "path": task, "entry": None, "form": "tensor",
              "target": Target.parse("cuda:sm_90@cpu")}  # fmt: skip

    async def judged(made):
        file = tmp_path / "turned.cu"
        (plan,) = verifier.plan(Candidate(path=file, text=made.text, name=file.name))
        return await verifier.verdict(plan)

    drafted = await TemplateGenerator().generate(GenerationRequest(stage="draft", text="", **fields))
    before = await judged(drafted)
    assert before.lints[0].code == "PERF_UNCOALESCED", [f.code for f in before.findings]
    start = StartPoint(id="s", text=drafted.text, latency_us=before.latency_us, parameters=drafted.parameters)
    request = GenerationRequest(stage="refine", text="", start_point=start, last=before, **fields)
    made = await TemplateGenerator().generate(request)
    after = await judged(made)
    assert made.parameters["tile"] and after.feasible
    assert after.latency_us < before.latency_us
    assert not any(f.code == "PERF_UNCOALESCED" for f in after.lints)
