"""Outputs of 8 and 16 bits and of whole numbers: what `benchmarks/tolerance.py` judges as a whole, a few operators of each kind here."""

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernelwright_verifier.gates.correctness.judge import compare
from kernelwright_verifier.reference import elements
from kernelwright_verifier.reference.client import Reference
from kernelwright_verifier.reference.trial import Trial

pytestmark = pytest.mark.asyncio(loop_scope="session")

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "benchmarks"))
tolerance: Any = importlib.import_module("tolerance")
cases: Any = importlib.import_module("lib.tolerance_cases")

OPERATORS = {
    one.name: one
    for one in (
        cases.scores("bfloat16", 16, 48, 60),
        cases.layer_norm("bfloat16", 100, 64),
        cases.layer_norm_by_hand("bfloat16", 64, 64),
        cases.rms_norm("float16", 50, 64),
        cases.attention("bfloat16", True, 2, 24, 20),
        cases.mean("float16", 60, 200),
        cases.product("float32", "float8_e5m2", 16, 24, 40, bias=False),
        cases.product("bfloat16", "float8_e4m3fn", 16, 24, 40, bias=True),
        cases.quantised("float8_e5m2", 20, 60),
        cases.quantised("int8", 20, 60, "bfloat16"),
        cases.product_to_int8(16, 24, 40, "float32"),
    )
}


async def trials_of(reference: Reference, make_task: Any, text: str, families: Sequence[str]) -> list[Trial]:
    task = make_task(text)
    description = await reference.describe(task, "full")
    return [await reference.trial(task, description, seed=7 + n, family=f) for n, f in enumerate(families)]


@pytest.mark.parametrize("name", OPERATORS)
async def test_wrong_kernels_are_refused_and_right_ones_pass(
    name: str, reference: Reference, make_task: Any
) -> None:
    operator = OPERATORS[name]
    trials = await trials_of(reference, make_task, operator.text, ("given", "shifted", "negative", "onehot"))
    for kind, kernels in (("right", operator.right), ("wrong", operator.wrong)):
        for kernel, compute in kernels.items():
            passed, text = tolerance.judged(compute, trials)
            assert passed is (kind == "right"), f"{kind} {kernel}: {text or 'passes'}"


async def test_what_is_compared_with_an_output_of_one_byte_is_not_rounded(
    reference: Reference, make_task: Any
) -> None:
    (trial,) = await trials_of(
        reference,
        make_task,
        """
        class Model(nn.Module):
            def forward(self, x):
                low = (x * 3).to(torch.float8_e4m3fn)
                return low, low.t().contiguous(), low.float() + 1

        def get_inputs():
            return [torch.randn(8, 5)]
        """,
        ("given",),
    )
    one, moved, after = (e.values(trial.mapping) for e in trial.expected)
    rounded = elements.rounded(one, "float8_e4m3fn")
    assert (one != rounded).any(), "the output itself stands before its rounding"
    assert np.array_equal(moved, one.T)
    assert np.array_equal(after, rounded + 1), "what is made of it is made of rounded numbers"


async def test_whole_numbers_may_differ_where_rounding_decides_and_nowhere_else(
    reference: Reference, make_task: Any
) -> None:
    (trial,) = await trials_of(
        reference,
        make_task,
        """
        class Model(nn.Module):
            def forward(self, x):
                return torch.round(x * 1.1).to(torch.int32)

        def get_inputs():
            # 5 * 1.1 is a half but for rounding.
            return [torch.arange(100).float()]
        """,
        ("given",),
    )
    expected = trial.expected[0]
    wanted = expected.values(trial.mapping)
    judged = {}
    for at in (5, 7):
        got = wanted.copy()
        got[at] += 1 if got[at] < at * 1.1 else -1
        judged[at] = compare(
            elements.encoded(got, "int32"), "int32", got.shape, expected, trial.mapping, explained=False
        ).ok
    assert judged == {5: True, 7: False}
