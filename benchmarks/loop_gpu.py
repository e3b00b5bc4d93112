"""From source to verdict on a GPU, against PyTorch's `load_inline` and KernelBench's way of judging, on one machine.

    python benchmarks/loop_gpu.py [--repeat 5] [--window 20] [--inline 1]

Ours: nvcc against our own headers, the runner's process, four trials compared with float64, the timing protocol. Theirs:
`torch.utils.cpp_extension.load_inline` (PyTorch already imported), five trials with `allclose`, a hundred timed calls
with the L2 overwritten before each. Then candidates a minute in a loop of ever new texts, with 1, 4 and 16 at work.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from lib import record
from lib.bound import bound
from lib.edits import edited

from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda.gpu.device import find_devices
from kernelwright_verifier.project.config import Configuration
from kernelwright_verifier.reference.client import Reference
from kernelwright_verifier.results.verdict import Verdict
from kernelwright_verifier.sandbox import open_confinement
from kernelwright_verifier.task.task import Candidate
from kernelwright_verifier.verifier import Verifier, read_candidate

_WORKERS = (1, 4, 16)
_TASK = """
import torch
import torch.nn as nn

N = 1 << 22


class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2 + 1


def get_inputs():
    return [torch.randn(N)]


def get_init_inputs():
    return []
"""
_TEXT = """// kernelwright: task=task.py entry=forward
#include <torch/extension.h>

__global__ void act(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(x[i], 0.0f) * 2.0f + 1.0f;
}

torch::Tensor forward(torch::Tensor x) {
    auto y = torch::empty_like(x);
    int n = x.numel();
    act<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""
# In a process of its own: the interpreter has PyTorch.
_THEIRS = """
import json, sys, time, torch
from torch.utils.cpp_extension import load_inline
namespace = {}
exec(open(sys.argv[1]).read(), namespace)
torch.zeros(1, device="cuda")
began = time.perf_counter()
module = load_inline(name="theirs_" + sys.argv[3], cpp_sources="torch::Tensor forward(torch::Tensor x);",
                     cuda_sources=open(sys.argv[2]).read(), functions=["forward"])
loaded = time.perf_counter()
model = namespace["Model"]().cuda()
right = True
for seed in range(5):
    torch.manual_seed(seed)
    inputs = [x.cuda() for x in namespace["get_inputs"]()]
    right &= torch.allclose(model(*inputs), module.forward(*inputs), atol=1e-4, rtol=1e-4)
    torch.cuda.synchronize()
flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
for which in (module.forward, model):
    for _ in range(3): which(*inputs)
    for _ in range(100):
        flush.fill_(42)
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record(); which(*inputs); b.record(); torch.cuda.synchronize()
print(json.dumps({"load_s": loaded - began, "verdict_s": time.perf_counter() - began, "right": bool(right)}))
"""


async def verdict(verifier: Verifier, candidate: Candidate, target: Target) -> Verdict:
    return await verifier.verdict(verifier.plan(candidate, target=target)[0])


async def built_s(candidate: Candidate, target: Target, repeat: int) -> list[float]:
    confinement = open_confinement("auto")
    reference = Reference(Configuration().reference.interpreter, confinement)
    times = []
    try:
        for number in range(repeat + 1):
            one = await bound(edited(candidate, number), target, reference)
            began = time.perf_counter()
            made = await one.build(confinement)
            assert made.object is not None, made.findings
            times.append(time.perf_counter() - began)
    finally:
        await reference.close()
    return times[1:]


async def ours(candidate: Candidate, target: Target, repeat: int) -> tuple[list[float], dict[str, float]]:
    times: list[float] = []
    steps: dict[str, float] = {}
    async with Verifier() as verifier:
        for number in range(repeat + 1):
            began = time.perf_counter()
            seen = await verdict(verifier, edited(candidate, number), target)
            times.append(time.perf_counter() - began)
            if not seen.feasible:
                raise SystemExit(seen.model_dump_json(indent=1))
            steps = seen.steps_s
    return times[1:], steps


async def candidates_per_minute(candidate: Candidate, target: Target, workers: int, window_s: float) -> float:
    configuration = Configuration.model_validate({"limits": {"jobs": workers}})
    async with Verifier(configuration) as verifier:
        await verdict(verifier, edited(candidate, 0), target)
        began, done = time.perf_counter(), 0

        async def work(worker: int) -> None:
            nonlocal done
            number = 0
            while time.perf_counter() - began < window_s:
                number += 1
                seen = await verdict(verifier, edited(candidate, worker * 1000 + number), target)
                assert seen.feasible, seen
                done += 1

        await asyncio.gather(*(work(n) for n in range(workers)))
        return done / (time.perf_counter() - began) * 60


def theirs(folder: Path, times: int) -> list[dict[str, Any]]:
    rows = []
    for number in range(times):
        source = folder / f"theirs_{number}.cu"
        source.write_text(_TEXT, encoding="utf-8")
        argv = [
            sys.executable,
            "-c",
            _THEIRS,
            str(folder / "task.py"),
            str(source),
            f"{number}_{time.time_ns()}",
        ]
        answer = subprocess.run(argv, capture_output=True, text=True, check=False)
        if answer.returncode:
            raise SystemExit(f"load_inline failed: {answer.stderr[-2000:]}")
        rows.append(json.loads(answer.stdout.splitlines()[-1]))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--window", type=float, default=20.0, help="seconds of each loop of candidates")
    parser.add_argument(
        "--inline", type=int, default=1, help="builds by load_inline; each takes most of a minute"
    )
    options = parser.parse_args()
    if not find_devices().devices:
        parser.error(f"no GPU: {find_devices().problem}")
    device = find_devices().devices[0]
    target = Target(dialect="cuda", chip=device.architecture, where="gpu")
    with tempfile.TemporaryDirectory(prefix="kernelwright-loop-") as work:
        folder = Path(work)
        (folder / "task.py").write_text(_TASK, encoding="utf-8")
        (folder / "candidate.cu").write_text(_TEXT, encoding="utf-8")
        candidate = read_candidate(folder / "candidate.cu")
        build = asyncio.run(built_s(candidate, target, options.repeat))
        print(f"built in {statistics.median(build):.3f} s", flush=True)
        loop, steps = asyncio.run(ours(candidate, target, options.repeat))
        print(f"verdict in {statistics.median(loop):.3f} s: {steps}", flush=True)
        inline = theirs(folder, options.inline)
        print(inline, flush=True)
        pace = {
            f"candidates_per_minute_{n}_workers": round(
                asyncio.run(candidates_per_minute(candidate, target, n, options.window)), 1
            )
            for n in _WORKERS
        }
    their_load = statistics.median(row["load_s"] for row in inline)
    their_verdict = statistics.median(row["verdict_s"] for row in inline)
    figures = {
        "source_to_object_s": round(statistics.median(build), 3),
        "save_to_verdict_s": round(statistics.median(loop), 3),
        "load_inline_s": round(their_load, 3),
        "load_inline_and_evaluation_s": round(their_verdict, 3),
        "source_to_object_factor": round(their_load / statistics.median(build), 1),
        "save_to_verdict_factor": round(their_verdict / statistics.median(loop), 1),
        "goal_source_to_object_factor": 20,
        "goal_save_to_verdict_factor": 10,
        **pace,
        "device": device.name,
    }
    print(json.dumps(figures, indent=1))
    rows = [{"build_s": build, "verdict_s": loop, "steps_s": steps}, *inline]
    print(record.write("loop_gpu", seed=None, figures=figures, rows=rows))


if __name__ == "__main__":
    main()
