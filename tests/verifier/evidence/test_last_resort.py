"""What is wrong near the task's own size, of which the estimate says that it cannot be run here."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.project.config import Configuration, LimitSettings
from kernelwright_verifier.verifier import Verifier, read_candidate

# Many operations, as they are counted, of which each takes next to no time.
TASK = """import torch
ROWS = 1024
COLUMNS = 2048
class Model(torch.nn.Module):
    def forward(self, x):
        for _ in range(240):
            x = x.neg()
        return x
def get_inputs():
    return [torch.rand(ROWS, COLUMNS) + 1]
def get_init_inputs():
    return []
"""
DIRECTIVE = '// kernelwright: task=task.py entry=same args="x, out, x.shape[0], x.shape[1]"\n'
# The first of each row by way of a room that has a place for so many rows.
ROOM = """__device__ float room[PLACES];
__global__ void firsts(const float* x, int columns) {
  if (!threadIdx.x) room[blockIdx.x] = x[blockIdx.x * columns];
}
__global__ void others(const float* x, float* out, int columns) {
  for (int i = threadIdx.x; i < columns; i += 64)
    out[blockIdx.x * columns + i] = i ? x[blockIdx.x * columns + i] : room[blockIdx.x];
}
void same(const float* x, float* out, int rows, int columns) {
  firsts<<<rows, 64>>>(x, columns);
  others<<<rows, 64>>>(x, out, columns);
}
"""
# Written for the task's own size.
OWN = """__global__ void copied(const float* x, float* out) {
  for (int i = threadIdx.x; i < COPIED; i += 64) out[blockIdx.x * 2048 + i] = x[blockIdx.x * 2048 + i];
}
void same(const float* x, float* out, int, int) { copied<<<1024, 64>>>(x, out); }
"""
# By tiles: of fewer columns there is no block. A number between the sizes has one of them tried at full size, with the others small.
TILES = """__global__ void tiles(const float* x, float* out, int columns) {
  __shared__ float tile[512];
  int at = blockIdx.x * columns + blockIdx.y * 16 + threadIdx.x;
  tile[threadIdx.x] = x[at];
  out[at] = tile[threadIdx.x];
}
void same(const float* x, float* out, int rows, int columns) {
  tiles<<<dim3(rows, columns / 16), 16>>>(x, out, columns);
}
"""
# Too large for any price, and by tiles that each thread fills for another one: of few columns there is one, which nothing overwrites.
HUGE = TASK.replace("ROWS = 1024", 'ROWS = 65536\nSMALL = {"ROWS": 32, "COLUMNS": 30}')
SWAPPED = """__global__ void swapped(const float* x, float* out, int columns) {
  __shared__ float tile[32];
  for (int first = 0; first < columns; first += 32) {
    int i = first + threadIdx.x, other = min(31, columns - first - 1) - threadIdx.x;
    if (i < columns) tile[threadIdx.x] = x[blockIdx.x * columns + i];
    __syncthreads();
    if (i < columns) out[blockIdx.x * columns + first + other] = tile[other];
    BEHIND
  }
}
void same(const float* x, float* out, int rows, int columns) { swapped<<<rows, 32>>>(x, out, columns); }
"""
# Off by what the larger size does not show.
OFF = """__global__ void scaled(const float* x, float* out, int columns) {
  for (int i = threadIdx.x; i < columns; i += 64)
    out[blockIdx.x * columns + i] = x[blockIdx.x * columns + i] * (1 + OFF / columns);
}
void same(const float* x, float* out, int rows, int columns) { scaled<<<rows, 64>>>(x, out, columns); }
"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def verifier() -> AsyncIterator[Verifier]:
    limits = LimitSettings(time_s=20.0, memory_mb=2048)
    async with Verifier(Configuration(limits=limits)) as verifier:
        yield verifier


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("text", "feasible", "codes"),
    [
        pytest.param(ROOM.replace("PLACES", "512"), False, {"MEM_OUT_OF_BOUNDS"}, id="half the room"),
        pytest.param(ROOM.replace("PLACES", "1024"), True, set(), id="room"),
        pytest.param(
            OWN.replace("COPIED", "2000"), False, {"MISMATCH_NOT_WRITTEN"}, id="wrong at its own size"
        ),
        pytest.param(OWN.replace("COPIED", "2048"), None, set(), id="right at its own size"),
        pytest.param(OFF.replace("OFF", "3e-4f"), False, {"MISMATCH_VALUE"}, id="error that shrinks"),
        pytest.param(OFF.replace("OFF", "3e-6f"), True, set(), id="rounding"),
    ],
)
async def test_what_is_wrong_near_a_size_that_looks_too_dear(
    text: str, feasible: bool | None, codes: set[str], tmp_path: Path, verifier: Verifier
) -> None:
    (tmp_path / "task.py").write_text(TASK)
    (tmp_path / "same.cu").write_text(DIRECTIVE + text)
    (plan,) = verifier.plan(read_candidate(tmp_path / "same.cu"))
    verdict = await verifier.verdict(plan, VerifyOptions(latency=False))
    assert {f.code for f in verdict.findings if f.severity == "error"} == codes
    assert verdict.feasible is feasible
    open_ones = [f.message for f in verdict.findings if f.code == "SIZE_TOO_LARGE"]
    assert [("--size full" in message) for message in open_ones] == [True] * (feasible is None)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_grid_without_blocks_where_others_are_small_says_nothing_of_a_constant(
    tmp_path: Path, verifier: Verifier
) -> None:
    (tmp_path / "task.py").write_text(TASK)
    (tmp_path / "same.cu").write_text(DIRECTIVE + TILES)
    (plan,) = verifier.plan(read_candidate(tmp_path / "same.cu"))
    verdict = await verifier.verdict(plan, VerifyOptions(latency=False))
    assert verdict.feasible
    assert "SHAPE_SPECIALISED" not in {f.code for f in verdict.findings}


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("behind", "codes"),
    [("", {"RACE_SHARED"}), ("__syncthreads();", set())],
    ids=["a barrier less", "barriers"],
)
async def test_what_threads_do_to_each_other_where_there_is_more_than_a_tile(
    behind: str, codes: set[str], tmp_path: Path, verifier: Verifier
) -> None:
    (tmp_path / "task.py").write_text(HUGE)
    (tmp_path / "same.cu").write_text(DIRECTIVE + SWAPPED.replace("BEHIND", behind))
    (plan,) = verifier.plan(read_candidate(tmp_path / "same.cu"))
    verdict = await verifier.verdict(plan, VerifyOptions(latency=False))
    assert {f.code for f in verdict.findings if f.code != "MISMATCH_VALUE"} == codes
    assert verdict.feasible is (not codes)
