"""How fast kernels are executed on the CPU with all checks on, and what a candidate waits for.

    python benchmarks/cpu_execution.py [--peers PYTHON] [--repeat 5]

For each class of kernel (elementwise, reduction, tiled matmul, scan): the time of one call of the whole grid here, checked,
beside one `g++ -O3` loop of the same arithmetic on one core; and, with an interpreter that has `numba` and
`pyopencl[pocl]`, beside numba's CUDA simulator (two blocks, scaled to the grid) and the same kernels as OpenCL on PoCL.
Other projects that run CUDA without a GPU (CuPBoP, HIP-CPU, GPU Ocelot) are in no package registry, so they are not run.
Then how long a typical `tensor` candidate takes to compile. What a whole verdict waits for stands in `loop.py`.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from lib import record
from lib.programs import built_anew
from rich.console import Console
from rich.table import Table

from kernelwright_backends.core.registry import index_of, toolchain_for
from kernelwright_backends.core.target import DEFAULT_TARGETS
from kernelwright_backends.interfaces.confinement import Limits
from kernelwright_backends.interfaces.run import RunRequest
from kernelwright_verifier.sandbox import open_confinement

_FOLDER = Path(__file__).resolve().parent / "performance" / "execution"
_CLASSES = ("elementwise", "reduction", "matmul", "scan")
# Every occurrence of the marker is replaced by a number that no cache has seen.
_TENSOR = """#include <torch/extension.h>
__global__ void scaled_add_MARK(const float* x, const float* y, float* z, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = a * x[i] + y[i];
}
torch::Tensor scaled_add(torch::Tensor x, torch::Tensor y, double a) {
    TORCH_CHECK(x.is_cuda() && x.is_contiguous(), "x must be a contiguous CUDA tensor");
    auto z = torch::empty_like(x);
    int n = x.numel();
    scaled_add_MARK<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), z.data_ptr<float>(), a, n);
    return z;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("scaled_add", &scaled_add); }
"""


def seconds_of(output: str) -> float | None:
    """The number after the word `seconds` at the start of a line."""
    return next((float(line.split()[1]) for line in output.splitlines() if line.startswith("seconds ")), None)


async def executed(kind: str) -> dict[str, Any]:
    """One class here: built and run as a program in the sandbox, every access checked."""
    program = await built_anew(_FOLDER / f"{kind}.cu", "cuda")
    request = RunRequest(mapping=Path("/dev/null"), calls=(), limits=Limits(time_s=60), every_launch=True)
    result = await program.run(request)
    seconds = seconds_of(result.log)
    assert seconds is not None, result.log
    return {"checked_us": 1e6 * seconds, "build_s": program.build_s}


def plain(folder: Path) -> dict[str, float | None]:
    """Microseconds of the plain loops."""
    program = folder / "plain"
    source = _FOLDER / "plain.cpp"
    subprocess.run(["g++", "-std=c++17", "-O3", "-march=native", str(source), "-o", str(program)], check=True)
    return {kind: answer([str(program), kind]) for kind in _CLASSES}


def answer(command: list[str]) -> float | None:
    """Microseconds that a program printed; None where it did not get so far."""
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = seconds_of(ended.stdout)
    return None if seconds is None else 1e6 * seconds


async def compiled(repeat: int) -> dict[str, float]:
    """Seconds from a text that no cache holds to a loaded object, for a typical tensor candidate."""
    target = DEFAULT_TARGETS["cuda"]
    confinement = open_confinement()
    toolchain = toolchain_for(target)
    await toolchain.prepare(confinement)
    taken = []
    with tempfile.TemporaryDirectory(prefix="kernelwright-") as scratch:
        for _ in range(repeat + 1):
            text = _TENSOR.replace("MARK", str(time.time_ns()))
            path = Path(scratch) / "scaled_add.cu"
            path.write_text(text, encoding="utf-8")
            started = time.perf_counter()
            built = await toolchain.build(text, path, index_of("cuda", text), None, target, confinement)
            taken.append(time.perf_counter() - started)
            assert not built.findings, built.findings
    return {
        "tensor_compile_first_s": round(taken[0], 3),
        "tensor_compile_median_s": round(statistics.median(taken[1:]), 3),
        "goal_tensor_compile_s": 0.7,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--peers", type=Path, help="an interpreter with numba and pyopencl[pocl]")
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kernelwright-") as scratch:
        loops = plain(Path(scratch))
    rows: list[dict[str, Any]] = []
    for kind in _CLASSES:
        row = {"class": kind, **asyncio.run(executed(kind)), "plain_loop_us": loops[kind]}
        if arguments.peers is not None:
            for peer in ("opencl", "simulator"):
                row[f"{peer}_us"] = answer([str(arguments.peers), str(_FOLDER / f"{peer}.py"), kind])
        rows.append({key: round(v, 2) if isinstance(v, float) else v for key, v in row.items()})
    figures: dict[str, Any] = asyncio.run(compiled(arguments.repeat))
    figures["checked_over_plain_loop_median"] = median_ratio(rows, "checked_us", "plain_loop_us")
    if arguments.peers is not None:
        figures["checked_over_opencl_median"] = median_ratio(rows, "checked_us", "opencl_us")
        figures["simulator_over_checked_median"] = median_ratio(rows, "simulator_us", "checked_us")
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    Console().print(table)
    print(json.dumps(figures, indent=1))
    print("written:", record.write("cpu_execution", seed=None, figures=figures, rows=rows))


def median_ratio(rows: list[dict[str, Any]], above: str, below: str) -> float | None:
    ratios = [row[above] / row[below] for row in rows if row[above] and row[below]]
    return round(statistics.median(ratios), 2) if ratios else None


if __name__ == "__main__":
    main()
