"""The codes of the latency gate: each where it belongs, and none of the others beside it."""

from pathlib import Path

import pytest

from kernelwright_backends.core.finding import Severity
from kernelwright_backends.core.target import Target
from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.project.config import FindingSettings
from kernelwright_verifier.results.verdict import Verdict
from kernelwright_verifier.task.task import Candidate
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
# Each block waits for the one before it, and of the full size sampled blocks alone are executed.
UNTRACED = """
// kernelwright: task=double.py entry=doubled args="x, out, workspace(4), x.numel()"
__global__ void begin(unsigned* turn) { *turn = 0; }
__global__ void twice(const float* x, float* y, unsigned* turn, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) while (atomicAdd(turn, 0) != blockIdx.x);
  __syncthreads();
  if (i < n) y[i] = 2.0f * x[i];
  if (threadIdx.x == 0) atomicAdd(turn, 1);
}
void doubled(const float* x, float* y, void* turn, int n) {
  begin<<<1, 1>>>((unsigned*)turn);
  twice<<<(n + 255) / 256, 256>>>(x, y, (unsigned*)turn, n);
}
"""
# A thread a row: neighbouring threads are a row apart.
STRIDED = """
// kernelwright: task=SHAPE_SPECIALISED/wide.py entry=doubled args="x, out, x.shape[0], x.shape[1]"
__global__ void twice(const float* x, float* y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int c = 0; c < columns; ++c) {
    float v = x[row * columns + c];
    y[row * columns + c] = 2.0f * v;
  }
}
void doubled(const float* x, float* y, int rows, int columns) {
  twice<<<(rows + 31) / 32, 32>>>(x, y, rows, columns);
}
"""
# The parameter `scale` and the number that it is made of have one name: each goes where its kind is due.
NAMESAKES = """
// kernelwright: task=scaled.py entry=scaled args="x, scale, out, scale, x.numel()"
__global__ void times(const float* x, const float* scale, float* y, float made_of, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && made_of > 0.0f) y[i] = *scale * x[i];
}
void scaled(const float* x, const float* scale, float* y, float made_of, int n) {
  times<<<(n + 255) / 256, 256>>>(x, scale, y, made_of, n);
}
"""


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("text", "task", "target", "code"),
    [
        (TWICE, "double.py", "cuda:h200@cpu", "COST_ESTIMATED"),
        (NAMESAKES, "scaled.py", "cuda:h200@cpu", "COST_ESTIMATED"),
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


async def strided(
    verifier: Verifier, text: str = STRIDED, *, latency: bool = True, **settings: object
) -> Verdict:
    path = CASES / "lints.cu"
    (plan,) = verifier.plan(Candidate(path=path, text=text, name=path.name))
    configuration = plan.configuration.model_copy(update={"findings": FindingSettings(**settings)})  # type: ignore[arg-type]
    plan = plan.model_copy(update={"configuration": configuration})
    verdict = await verifier.verdict(plan, VerifyOptions(latency=latency))
    assert verdict.feasible is True, verdict.findings
    return verdict


@pytest.mark.asyncio(loop_scope="session")
async def test_lints_are_hints_of_the_latency_gate_and_refuse_nothing(verifier: Verifier) -> None:
    verdict = await strided(verifier, min_gain=0.05)
    assert verdict.gate("latency").status == "passed"
    assert verdict.gate("latency").findings[0].code == "COST_ESTIMATED"
    places = {(f.code, f.line) for f in verdict.lints}
    assert {("PERF_UNCOALESCED", 7), ("PERF_UNCOALESCED", 8)} <= places, verdict.lints
    assert {f.severity for f in verdict.lints} == {Severity.HINT}
    assert all(
        f.data["gain"] >= 0.05 and f.data["latency_us"] == pytest.approx(verdict.latency_us)
        for f in verdict.lints
    )
    gains = [f.data["gain"] for f in verdict.lints]
    assert gains == sorted(gains, reverse=True)


@pytest.mark.asyncio(loop_scope="session")
async def test_the_estimate_says_what_bounds_it_and_what_comes_next(verifier: Verifier) -> None:
    verdict = await strided(verifier)
    longest = sorted(verdict.latency_parts, key=lambda name: -verdict.latency_parts[name])[:2]
    first, second = (name.replace("_", " ") for name in longest)
    message = verdict.gate("latency").findings[0].message
    assert f"({first} " in message and f", then {second} " in message


@pytest.mark.asyncio(loop_scope="session")
async def test_lints_can_be_hidden(verifier: Verifier) -> None:
    assert (await strided(verifier, latency=False)).lints == ()
    assert (await strided(verifier, min_gain=1.0)).lints == ()
    ignored = await strided(verifier, ignore=("PERF_UNCOALESCED",))
    assert "PERF_UNCOALESCED" not in {f.code for f in ignored.lints}
    text = STRIDED.replace(
        "    float v", "    // kernelwright: allow=PERF_UNCOALESCED as it comes\n    float v"
    )
    allowed = await strided(verifier, text)
    assert ("PERF_UNCOALESCED", 8) not in {(f.code, f.line) for f in allowed.lints}
    assert ("PERF_UNCOALESCED", 9) in {(f.code, f.line) for f in allowed.lints}
