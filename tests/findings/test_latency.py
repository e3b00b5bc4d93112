"""The codes of the latency gate: each where it belongs, and none of the others beside it."""

from pathlib import Path

import pytest

from kernelwright_backends.target import Target
from kernelwright_verifier.pipeline import VerifyOptions
from kernelwright_verifier.task import Candidate
from kernelwright_verifier.verifier import Verifier

CASES = Path(__file__).resolve().parent / "cases"

TWICE = """
// kernelwright: task=double.py entry=doubled
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
void doubled(const float* x, float* y, int n) { twice<<<(n + 255) / 256, 256>>>(x, y, n); }
"""
# Launches at the reduced size only.
UNTRACED = TWICE.replace("{ twice<<<", "{ if (n < 1000000) twice<<<")


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("text", "task", "target", "code"),
    [
        (TWICE, "double.py", "cuda:h200@cpu", "COST_ESTIMATED"),
        (TWICE, "double.py", "cuda:sm_86@cpu", "COST_NO_TABLE"),
        (UNTRACED, "SHAPE_SPECIALISED/wide.py", "cuda:h200@cpu", "COST_NOT_TRACED"),
    ],
)
async def test_a_latency_is_estimated_or_it_is_said_why_not(
    text: str, task: str, target: str, code: str, verifier: Verifier
) -> None:
    path = CASES / "latency.cu"
    candidate = Candidate(path=path, text=text.replace("double.py", task), name=path.name)
    (plan,) = verifier.plan(candidate, target=Target.parse(target))
    verdict = await verifier.verdict(plan, VerifyOptions())
    assert verdict.feasible is True, verdict.findings
    assert [f.code for f in verdict.findings] == [code]
    assert (verdict.latency_us is not None) == (code == "COST_ESTIMATED")
