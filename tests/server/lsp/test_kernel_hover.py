"""Hovers on a kernel (what it takes and does) and on its memory accesses (what a warp's request comes to)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from kernelwright_backends.cuda.nvcc.toolkit import ToolkitMissing, find_toolkit

TASK = """\
import torch
import torch.nn as nn
N = 1024
class Model(nn.Module):
    def forward(self, x):
        return x.t().contiguous() * 2.0 + 1.0
def get_inputs(): return [torch.randn(N, N)]
def get_init_inputs(): return []
"""
SOURCE = """\
// kernelwright: task=turn.py entry=run args="x, out, x.shape[0]" size="N=256"
struct Pair { float scale; float shift; };
__constant__ Pair pairs[1] = {{2.0f, 1.0f}};

__global__ void turn(const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float tile[32][32];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  if (r < n && c < n) tile[threadIdx.y][threadIdx.x] = x[r * n + c];
  __syncthreads();
  int c2 = blockIdx.y * 32 + threadIdx.x, r2 = blockIdx.x * 32 + threadIdx.y;
  if (r2 < n && c2 < n) y[r2 * n + c2] = tile[threadIdx.x][threadIdx.y];
}

struct Item { float v, w; };
__global__ void scale(float* y, int n) {
  __shared__ Item items[128];
  extern __shared__ float4 quads[];
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n / 4) {
    float4 q = reinterpret_cast<float4*>(y)[i];
    quads[threadIdx.x] = q;
    items[threadIdx.x].v = q.x;
    __syncwarp();
    q = quads[threadIdx.x];
    q.x = items[threadIdx.x].v;
    q.x = fmaf(q.x, pairs[0].scale, pairs[0].shift);
    q.y = fmaf(q.y, pairs[0].scale, pairs[0].shift);
    q.z = fmaf(q.z, pairs[0].scale, pairs[0].shift);
    q.w = fmaf(q.w, pairs[0].scale, pairs[0].shift);
    reinterpret_cast<float4*>(y)[i] = q;
  }
}

void run(const float* x, float* y, int n) {
  dim3 grid((n + 31) / 32, (n + 31) / 32), block(32, 32);
  turn<<<grid, block>>>(x, y, n);
  scale<<<(n * n / 4 + 127) / 128, 128, 128 * sizeof(float4)>>>(y, n * n);
}
"""
# Worked out by hand: the piece of source that is pointed at, and what a warp's request for it comes to.
LEAST = "the minimum"
ACCESSES = [
    ("x[r * n", f"- **4 sectors of 32 bytes** per warp request, {LEAST} · load of `x`, global memory"),
    (
        "y[r2 * n",
        f"- **4 sectors of 32 bytes** per warp request, {LEAST} · store of `out0`, global memory",
    ),
    (
        "tile[threadIdx.y][threadIdx.x] =",
        f"- **1 pass, no bank conflicts** per warp request, {LEAST} · store, shared memory",
    ),
    # A column of 32 floats a row lies in one bank.
    (
        "tile[threadIdx.x][threadIdx.y];",
        "- **32 passes, 32-way bank conflicts** per warp request, minimum 1 · load, shared memory",
    ),
    # Sixteen bytes of each lane: 512 bytes are 16 sectors, and four passes of shared memory at the least.
    (
        "reinterpret_cast<float4*>(y)[i];",
        f"- **16 sectors of 32 bytes** per warp request, {LEAST} · load of `out0`, global memory",
    ),
    (
        "quads[threadIdx.x];",
        f"- **4 passes, no bank conflicts** per warp request, {LEAST} · load, shared memory",
    ),
    # Every second word: two lanes share a bank.
    (
        "items[threadIdx.x].v;",
        "- **2 passes, 2-way bank conflicts** per warp request, minimum 1 · load, shared memory",
    ),
    (
        "items[threadIdx.x].v =",
        "- **2 passes, 2-way bank conflicts** per warp request, minimum 1 · store, shared memory",
    ),
]


async def test_a_kernel_and_its_accesses_say_what_they_come_to(start: Any, tmp_path: Path) -> None:
    (tmp_path / "turn.py").write_text(TASK)
    path = tmp_path / "turn.cu"
    path.write_text(SOURCE)
    editor = await start()
    uri = await editor.open(path)
    await editor.verified(uri)

    def place(part: str) -> tuple[int, int]:
        before = SOURCE[: SOURCE.index(part)]
        return before.count("\n"), len(before) - before.rfind("\n") - 1

    for part, said in ACCESSES:
        line, column = place(part)
        # Anywhere in the expression: at its beginning, and inside of its subscript.
        for at in (column, column + part.index("[")):
            hover = await editor.hover(uri, line, at)
            assert said in hover, f"{part} at {at}: {hover}"

    line, column = place("turn(const")
    hover = await editor.hover(uri, line, column)
    assert "| `turn` | |" in hover and "| `scale`" not in hover
    assert "32 x 32 blocks of 32 x 32 threads" in hover
    assert "| 4096 bytes a block |" in hover
    assert "4.19 MB loaded, 4.19 MB stored" in hover
    assert "| bound by |" in hover and "of a processor's warps" in hover
    line, column = place("scale(float")
    hover = await editor.hover(uri, line, column)
    assert "2048 blocks of 128 threads" in hover
    assert "3072 bytes a block (1024 static, 2048 dynamic)" in hover
    # 262,144 threads, four fused products and sums each.
    assert "2.1 million floating-point" in hover
    assert "registers" in hover
    # An entry says it of all kernels that it launches.
    line, column = place("run(const")
    hover = await editor.hover(uri, line, column)
    assert "| `turn` | |" in hover and "| `scale` | |" in hover


async def test_registers_are_nvccs_or_said_to_be_unknown(start: Any, tmp_path: Path) -> None:
    path = tmp_path / "alone.cu"
    path.write_text("__global__ void alone(float* y) {\n  __shared__ float t[64];\n  t[threadIdx.x] = 1;\n  __syncthreads();\n"
                    "  y[threadIdx.x] = t[63 - threadIdx.x];\n}\n")  # fmt: skip
    try:
        find_toolkit()
    except ToolkitMissing as missing:
        pytest.skip(str(missing))
    editor = await start()
    uri = await editor.open(path)
    hover = ""
    for _ in range(2400):
        hover = await editor.hover(uri, 0, 17)
        if "registers |" in hover:
            break
        await asyncio.sleep(0.1)
    assert "a thread, nothing spilled" in hover and "256 bytes a block (static)" in hover
