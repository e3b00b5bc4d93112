"""The same kernels as OpenCL on a CPU (PoCL): `python opencl.py CLASS` prints the seconds of one call.

Needs the packages `pyopencl[pocl]` and numpy in the interpreter that runs it.
"""

import sys
import time
from pathlib import Path

import numpy
import pyopencl

# class -> elements of every buffer, the integer argument, global size, local size
SHAPES = {
    "elementwise": ((1 << 20, 1 << 20), 1 << 20, (1 << 20,), (256,)),
    "reduction": ((1 << 20, 1024), 1024, (1024 * 256,), (256,)),
    "matmul": ((65536, 65536, 65536), 256, (256, 256), (16, 16)),
    "scan": ((1024 * 256, 1024 * 256), None, (1024 * 256,), (256,)),
}


def main() -> None:
    buffers, integer, whole, group = SHAPES[sys.argv[1]]
    context = pyopencl.Context([pyopencl.get_platforms()[0].get_devices()[0]])
    queue = pyopencl.CommandQueue(context)
    started = time.perf_counter()
    program = pyopencl.Program(context, Path(__file__).with_name("kernels.cl").read_text()).build()
    kernel = pyopencl.Kernel(program, sys.argv[1])
    flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR
    arguments = [pyopencl.Buffer(context, flags, hostbuf=numpy.zeros(n, numpy.float32)) for n in buffers]
    kernel.set_args(*arguments, *([] if integer is None else [numpy.int32(integer)]))
    pyopencl.enqueue_nd_range_kernel(queue, kernel, whole, group).wait()
    print("compile_seconds", time.perf_counter() - started)
    calls, began = 0, time.perf_counter()
    while time.perf_counter() - began < 0.5:
        pyopencl.enqueue_nd_range_kernel(queue, kernel, whole, group).wait()
        calls += 1
    print("seconds", (time.perf_counter() - began) / calls)


main()
