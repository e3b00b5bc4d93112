"""The same kernels in numba's CUDA simulator, on a share of the blocks: `python simulator.py CLASS` prints the seconds of all.

Needs the packages numba and numpy in the interpreter that runs it.
"""

import math
import os
import sys
import time

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numpy
from numba import cuda, float32

BLOCKS = 2  # of each kernel; the simulator starts a thread of the system for every thread of a block


@cuda.jit
def elementwise(x, y, n):
    i = cuda.grid(1)
    if i < n:
        y[i] = x[i] / (1.0 + math.exp(-x[i]))


@cuda.jit
def reduction(x, y, columns):
    part = cuda.shared.array(256, float32)
    lane = cuda.threadIdx.x
    total = 0.0
    for i in range(lane, columns, 256):
        total += x[cuda.blockIdx.x * columns + i]
    part[lane] = total
    cuda.syncthreads()
    half = 128
    while half > 0:
        if lane < half:
            part[lane] += part[lane + half]
        cuda.syncthreads()
        half //= 2
    if lane == 0:
        y[cuda.blockIdx.x] = part[0]


@cuda.jit
def matmul(a, b, c, n):
    at = cuda.shared.array((16, 16), float32)
    bt = cuda.shared.array((16, 16), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    row, column = cuda.blockIdx.y * 16 + ty, cuda.blockIdx.x * 16 + tx
    total = 0.0
    for t in range(0, n, 16):
        at[ty, tx] = a[row * n + t + tx]
        bt[ty, tx] = b[(t + ty) * n + column]
        cuda.syncthreads()
        for k in range(16):
            total += at[ty, k] * bt[k, tx]
        cuda.syncthreads()
    c[row * n + column] = total


@cuda.jit
def scan(x, y):
    values = cuda.shared.array((2, 256), float32)
    i, source, step = cuda.threadIdx.x, 0, 1
    values[0, i] = x[cuda.blockIdx.x * 256 + i]
    cuda.syncthreads()
    while step < 256:
        values[1 - source, i] = values[source, i] + (values[source, i - step] if i >= step else 0.0)
        source = 1 - source
        step *= 2
        cuda.syncthreads()
    y[cuda.blockIdx.x * 256 + i] = values[source, i]


# class -> kernel, elements of every buffer, the integer argument, blocks of a whole call, threads of a block
KERNELS = {
    "elementwise": (elementwise, (1 << 20, 1 << 20), 1 << 20, 4096, 256),
    "reduction": (reduction, (1 << 20, 1024), 1024, 1024, 256),
    "matmul": (matmul, (65536, 65536, 65536), 256, 256, (16, 16)),
    "scan": (scan, (1024 * 256, 1024 * 256), None, 1024, 256),
}


def main() -> None:
    kernel, buffers, integer, blocks, threads = KERNELS[sys.argv[1]]
    arguments = [numpy.zeros(n, numpy.float32) for n in buffers]
    started = time.perf_counter()
    kernel[BLOCKS, threads](*arguments, *([] if integer is None else [integer]))
    print("seconds", (time.perf_counter() - started) * blocks / BLOCKS)


main()
