"""A program that does more than can be looked at: it ends, what was left out is said, and memory is looked at all the same."""

from pathlib import Path

import pytest

from kernelwright_backends.cuda.cpu.toolchain import CudaCpuToolchain
from kernelwright_backends.dialect import index_of
from kernelwright_backends.target import Target
from kernelwright_backends.toolchain import Confinement, Limits, RunRequest, RunResult

pytestmark = pytest.mark.asyncio(loop_scope="session")
TARGET = Target.parse("cuda:sm_90@cpu")
# The last blocks write what others write, and, with a second word, behind the end.
LONG = """
#include <cuda_runtime.h>
#include <stdio.h>
__global__ void walk(float* x, int n, int behind) {
  __shared__ float tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; ++k) {
    tile[threadIdx.x] = i + k;
    __syncthreads();
    x[i] = tile[127 - threadIdx.x];
    __syncthreads();
  }
  if (i >= n - 4) x[0] = i;
  if (i == n - 1) x[i + behind] = 1;
}
int main(int count, char**) {
  const int n = 128 << 10;
  float* x;
  cudaMalloc(&x, n * sizeof(float));
  walk<<<n / 128, 128>>>(x, n, count > 1);
  float last;
  cudaMemcpy(&last, x + n - 3, sizeof last, cudaMemcpyDeviceToHost);
  cudaFree(x);
  return last == n - 128 + 2 + 7 ? 0 : 1;
}
"""


async def run(
    path: Path, toolchain: CudaCpuToolchain, confinement: Confinement, time_s: float, *words: str
) -> RunResult:
    path.write_text(LONG, encoding="utf-8")
    built = await toolchain.build(LONG, path, index_of("cuda", LONG), None, TARGET, confinement)
    assert built.object is not None
    request = RunRequest(mapping=path, calls=(), limits=Limits(time_s=time_s), arguments=words)
    return await toolchain.run(built, request, TARGET, confinement)


async def test_what_was_not_looked_at_is_said(
    tmp_path: Path, toolchain: CudaCpuToolchain, confinement: Confinement
) -> None:
    result = await run(tmp_path / "long.cu", toolchain, confinement, 0.5)
    assert (result.status, result.exit_status) == ("ok", 0)
    assert [(f.code, f.severity, f.line) for f in result.findings] == [("LAUNCH_SAMPLED", "information", 20)]
    assert "of the 1024 blocks of walk (1 of 1 launches)" in result.findings[0].message


async def test_bounds_are_looked_at_everywhere(
    tmp_path: Path, toolchain: CudaCpuToolchain, confinement: Confinement
) -> None:
    result = await run(tmp_path / "long.cu", toolchain, confinement, 0.5, "behind")
    assert {(f.code, f.line) for f in result.findings if f.severity == "error"} == {("MEM_OUT_OF_BOUNDS", 14)}


async def test_with_more_time_everything_is_looked_at(
    tmp_path: Path, toolchain: CudaCpuToolchain, confinement: Confinement
) -> None:
    result = await run(tmp_path / "long.cu", toolchain, confinement, 30.0)
    assert {f.code for f in result.findings} == {"RACE_GLOBAL"}
