"""A program that does more than can be looked at: it ends, what was left out is said, and memory is looked at all the same."""

from pathlib import Path

import pytest

from kernelwright_backends.core.registry import index_of
from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda.cpu.toolchain.cuda_cpu_toolchain import CudaCpuToolchain
from kernelwright_backends.interfaces.confinement import Confinement, Limits
from kernelwright_backends.interfaces.run import RunRequest, RunResult

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


# In its last block, long after the last access that is held against others, one of them goes astray.
ASTRAY = """
#include <cuda_runtime.h>
#include <stdlib.h>
__constant__ int weights[64];
__device__ int places[64];
__global__ void walk(int* x, const int* empty, int n, int kind) {
  __shared__ int tile[128], other[128];
  extern __shared__ int given[];
  int i = blockIdx.x * blockDim.x + threadIdx.x, last = blockIdx.x + 1 == gridDim.x ? kind : 0;
  int sum = 0;
  for (int k = 0; k < 64; ++k) {
    tile[threadIdx.x] = i + k;
    given[threadIdx.x] = weights[k] + places[k];
    __syncthreads();
    sum += tile[127 - threadIdx.x] + given[threadIdx.x];
    __syncthreads();
  }
  atomicAdd(&x[n + (i & 7)], 1);
  if (threadIdx.x) return;
  if (last == 1) sum += tile[128 + n % 2];
  if (last == 2) sum += given[128 + n % 2];
  if (last == 3) sum += weights[64 + n % 2];
  if (last == 4) sum += places[64 + n % 2];
  if (last == 5) atomicAdd(&x[n + 8], 1);
  if (last == 6) sum += empty[i];
  if (last == 7) sum += *(int*)((char*)x + 2);
  x[i] = sum;
}
int main(int count, char** words) {
  const int n = 128 << 8;
  int *x, *empty;
  cudaMalloc(&x, (n + 8) * sizeof(int));
  cudaMalloc(&empty, n * sizeof(int));
  cudaMemset(x, 0, (n + 8) * sizeof(int));
  walk<<<n / 128, 128, 128 * sizeof(int)>>>(x, empty, n, count > 1 ? atoi(words[1]) : 0);
  int added = 0;
  cudaMemcpy(&added, x + n, sizeof added, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(empty);
  return added == n / 8 ? 0 : 1;
}
"""


@pytest.mark.parametrize(
    ("kind", "code", "line"),
    [
        ("0", None, 0),
        ("1", "MEM_OUT_OF_BOUNDS", 20),
        ("2", "MEM_OUT_OF_BOUNDS", 21),
        ("3", "MEM_OUT_OF_BOUNDS", 22),
        ("4", "MEM_OUT_OF_BOUNDS", 23),
        ("5", "MEM_OUT_OF_BOUNDS", 24),
        ("6", "INIT_UNINITIALISED_READ", 25),
        ("7", "MEM_MISALIGNED", 26),
    ],
)
async def test_what_is_held_against_no_other_is_found_in_every_memory(
    kind: str,
    code: str | None,
    line: int,
    tmp_path: Path,
    toolchain: CudaCpuToolchain,
    confinement: Confinement,
) -> None:
    path = tmp_path / "astray.cu"
    path.write_text(ASTRAY, encoding="utf-8")
    built = await toolchain.build(ASTRAY, path, index_of("cuda", ASTRAY), None, TARGET, confinement)
    request = RunRequest(mapping=path, calls=(), limits=Limits(time_s=1.0), arguments=(kind,))
    result = await toolchain.run(built, request, TARGET, confinement)
    assert "LAUNCH_SAMPLED" in {f.code for f in result.findings}
    found = {(f.code, f.line) for f in result.findings if f.severity == "error"}
    assert found == ({(code, line)} if code else set())
