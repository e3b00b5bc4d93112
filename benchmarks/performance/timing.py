"""How well the timing protocol on a GPU tells latencies apart: the same kernel against itself, and against one that takes
5 % longer; on a quiet device, and beside another process that keeps it busy.

    python benchmarks/performance/timing.py [--comparisons 100] [--processes 5] [--busy 20]

Needs an NVIDIA GPU and nvcc. A comparison is 48 turns of 10 calls; `--processes` pairs of
processes share the comparisons of a row, so that what is peculiar to a process is seen as well.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import record
from lib.bound import bound

from kernelwright_backends.core.registry import toolchain_for
from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda.gpu.device import find_devices
from kernelwright_backends.interfaces.build import BuildResult
from kernelwright_backends.interfaces.confinement import Confinement, Limits
from kernelwright_backends.interfaces.run import Call
from kernelwright_verifier.gates.latency.comparison import Comparison, compare, settle, wants_another
from kernelwright_verifier.gates.latency.estimate import full_size_call
from kernelwright_verifier.project.config import Configuration
from kernelwright_verifier.reference.client import Reference
from kernelwright_verifier.sandbox import open_confinement
from kernelwright_verifier.verifier import read_candidate

_TURNS = 48
_TASK = """
import torch
import torch.nn as nn

N = 1 << 22


class Model(nn.Module):
    def forward(self, x):
        return x


def get_inputs():
    return [torch.randn(N)]


def get_init_inputs():
    return []
"""
# Time grows with the repeats: 105 for 100 of what a thread does. The second one is bound by memory.
_KERNELS = {
    "arithmetic": """
        __global__ void work(const float* x, float* out, int n) {
            int i = blockIdx.x * 256 + threadIdx.x;
            float v = x[i];
            for (int r = 0; r < REPEATS * 6; ++r) v = fmaf(v, 0.999f, 0.001f);
            out[i] = v;
        }
        extern "C" void entry(const float* x, float* out, int n, cudaStream_t stream) {
            work<<<n / 256, 256, 0, stream>>>(x, out, n);
        }""",
    "memory": """
        __global__ void work(const float* x, float* out, int n) {
            long i = ((long)blockIdx.x * 256 + threadIdx.x) % n;
            out[i] = x[i] + 1.0f;
        }
        extern "C" void entry(const float* x, float* out, int n, cudaStream_t stream) {
            work<<<(long)n / 256 * REPEATS / 50, 256, 0, stream>>>(x, out, n);
        }""",
}
_BUSY = """
import time, torch
a = torch.randn(4096, 4096, device="cuda")
print("ready", flush=True)
while True:
    for _ in range(5): a = (a @ a).clamp_(-1, 1)
    torch.cuda.synchronize(); time.sleep(0.002)
"""


async def built(folder: Path, name: str, repeats: int, target: Target, confinement: Confinement,
                reference: Reference) -> tuple[BuildResult, Call]:  # fmt: skip
    file = folder / f"{name}_{repeats}.cu"
    text = textwrap.dedent(_KERNELS[name]).replace("REPEATS", str(repeats))
    file.write_text(
        f'// kernelwright: task=task.py entry=entry args="x, out, x.numel()"\n{text}\n', encoding="utf-8"
    )
    one = await bound(read_candidate(file), target, reference)
    made = await one.build(confinement)
    if made.object is None:
        raise SystemExit("; ".join(f.message for f in made.findings))
    return made, full_size_call(one.binding, one.full)


async def row(
    pair: Any, target: Target, confinement: Confinement, comparisons: int, processes: int
) -> dict[str, Any]:
    (first, first_call), (second, second_call) = pair
    toolchain = toolchain_for(target)
    share = comparisons // processes
    looks: list[list[Comparison]] = []
    # One pair more than asked for: a small difference that a pair sees is looked at again by the next one, as in Refine.
    for _ in range(processes + 1):
        one, other = await toolchain.run_in_turns(  # type: ignore[attr-defined]
            first, second, (first_call, second_call), target, confinement,
            turns=_TURNS * share, limits=Limits(time_s=300),
        )  # fmt: skip
        if one.status != "ok" or other.status != "ok":
            raise SystemExit(one.message or other.message or str(one.calls) + str(other.calls))
        ours, theirs = one.counters["timing"]["turns"], other.counters["timing"]["turns"]
        each = _TURNS // 2
        looks.append(
            [
                compare(ours[n * each : (n + 1) * each], theirs[n * each : (n + 1) * each], seed=n)
                for n in range(share)
            ]
        )
    firsts = [seen for pair in looks[:-1] for seen in pair]
    settled = [
        settle(seen, again) if wants_another(seen) else seen
        for pair, following in pairwise(looks)
        for seen, again in zip(pair, following, strict=True)
    ]
    answers, ratios = Counter(seen.answer for seen in settled), [seen.ratio for seen in firsts]
    return {
        "answers": dict(answers),
        "answers_at_first": dict(Counter(seen.answer for seen in firsts)),
        "comparisons": sum(answers.values()),
        "ratio_p05": record.percentile(ratios, 0.05),
        "ratio_median": record.percentile(ratios, 0.5),
        "ratio_p95": record.percentile(ratios, 0.95),
        "first_us": round(firsts[-1].first_us, 3),
    }


async def measure(options: argparse.Namespace) -> list[dict[str, Any]]:
    device = find_devices().devices[0]
    target = Target(dialect="cuda", chip=device.architecture, where="gpu")
    confinement = open_confinement("auto")
    reference = Reference(Configuration().reference.interpreter, confinement)
    rows = []
    try:
        with tempfile.TemporaryDirectory(prefix="kernelwright-timing-") as work:
            folder = Path(work)
            (folder / "task.py").write_text(_TASK, encoding="utf-8")
            for name in _KERNELS:
                same, longer = [
                    await built(folder, name, repeats, target, confinement, reference)
                    for repeats in (100, 105)
                ]
                for what, pair in (("itself", (same, same)), ("5 % longer", (same, longer))):
                    made = await row(pair, target, confinement, options.comparisons, options.processes)
                    rows.append({"kernel": name, "against": what, "device": "quiet", **made})
                    print(rows[-1], flush=True)
                if options.busy:
                    other = subprocess.Popen([sys.executable, "-c", _BUSY], stdout=subprocess.PIPE)
                    assert other.stdout is not None
                    other.stdout.readline()
                    try:
                        made = await row((same, same), target, confinement, options.busy, 1)
                    finally:
                        other.kill()
                        other.wait()
                    rows.append({"kernel": name, "against": "itself", "device": "busy", **made})
                    print(rows[-1], flush=True)
    finally:
        await reference.close()
    return rows


def share(rows: list[dict[str, Any]], answer: str, **of: str) -> float:
    chosen = [r for r in rows if all(r[k] == v for k, v in of.items())]
    return round(
        sum(r["answers"].get(answer, 0) for r in chosen) / max(1, sum(r["comparisons"] for r in chosen)), 4
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--comparisons", type=int, default=100, help="of each row")
    parser.add_argument("--processes", type=int, default=5, help="pairs of processes a row")
    parser.add_argument("--busy", type=int, default=20, help="comparisons beside another process; 0: none")
    options = parser.parse_args()
    if not find_devices().devices:
        parser.error(f"no GPU: {find_devices().problem}")
    rows = asyncio.run(measure(options))
    figures = {
        "itself_no_difference_share": share(rows, "no difference seen", against="itself", device="quiet"),
        "longer_seen_share": share(rows, "slower", against="5 % longer", device="quiet"),
        "busy_false_faster_share": share(rows, "faster", device="busy"),
        "busy_unstable_share": share(rows, "unstable", device="busy"),
        "goal_itself_no_difference_share": 0.95,
        "goal_longer_seen_share": 0.9,
        "device": find_devices().devices[0].name,
    }
    print(figures)
    print(record.write("timing", seed=0, figures=figures, rows=rows))


if __name__ == "__main__":
    main()
