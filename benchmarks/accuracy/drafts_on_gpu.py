"""Drafts that the CPU target found feasible, on a real GPU: are they right there, how good was the estimate, and do they beat PyTorch?

    python benchmarks/drafting.py TASKS --keep DRAFTS --name drafting_level2
    python benchmarks/accuracy/drafts_on_gpu.py DRAFTS TASKS --estimates benchmarks/results/drafting_level2.json
                                       [--target cuda:sm_90@gpu] [--jobs 4] [--within SECONDS]

Each draft is verified as a user would: `kernelwright check FILE --target ...`, at the task's full sizes, its latency measured in
turns with nothing else of ours on the GPU, and eager PyTorch on the same GPU beside it. What was not reached within the time is
counted and not guessed. Needs a GPU, nvcc and PyTorch with CUDA.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import record
from lib.latency_scores import spearman

Row = dict[str, Any]


def verified(file: Path, target: str, until: float) -> Row:
    """What the command line says of one draft on the GPU; `not_reached` if the time is over."""
    row: Row = {"file": file.name}
    left = until - time.monotonic()
    if left <= 0:
        return row | {"outcome": "not_reached"}
    command = [sys.executable, "-m", "kernelwright_server", "check", file.name, "--target", target]
    try:
        done = subprocess.run(
            [*command, "--format", "json", "--no-cache"],
            cwd=file.parent, capture_output=True, text=True, timeout=left,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return row | {"outcome": "not_reached"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        return row | {"outcome": "error", "reason": done.stderr.strip().splitlines()[-1:]}
    verdict = json.loads(lines[0])
    told = [f for gate in verdict["gates"] for f in gate["findings"] if f["severity"] == "error"]
    return row | {
        "outcome": {True: "feasible", False: "refused", None: "not_judged"}[verdict["feasible"]],
        "reason": f"{told[0]['code']}: {told[0]['message']}" if told else None,
        "size": verdict["size"],
        "measured_us": verdict["latency_us"] if verdict["latency_source"] == "measured" else None,
        "pytorch_us": verdict["reference_latency_us"],
    }


def figures_of(rows: list[Row]) -> dict[str, Any]:
    outcomes = Counter(row["outcome"] for row in rows)
    against = [
        row["pytorch_us"] / row["measured_us"] for row in rows if row.get("measured_us") and row["pytorch_us"]
    ]
    both = [row for row in rows if row.get("measured_us") and row.get("estimated_us")]
    factors = sorted(
        max(row["measured_us"] / row["estimated_us"], row["estimated_us"] / row["measured_us"])
        for row in both
    )
    return {
        "drafts": len(rows),
        **dict(sorted(outcomes.items())),
        "as_fast_as_pytorch_median": round(statistics.median(against), 3) if against else None,
        "faster_than_pytorch_share": round(sum(a > 1 for a in against) / len(against), 3)
        if against
        else None,
        "estimate_factor_median": round(statistics.median(factors), 3) if factors else None,
        "estimate_factor_p90": round(factors[int(0.9 * (len(factors) - 1))], 3) if factors else None,
        "estimate_spearman": round(
            spearman([row["measured_us"] for row in both], [row["estimated_us"] for row in both]), 4
        )
        if len(both) > 2
        else None,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("drafts", type=Path)
    parser.add_argument("tasks", type=Path)
    parser.add_argument("--estimates", type=Path, help="a result of drafting.py, for the estimated latencies")
    parser.add_argument("--target", default="cuda:sm_90@gpu")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--within", type=float, default=3600.0, help="seconds")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    estimated: dict[str, float | None] = {}
    if arguments.estimates:
        told = record.read(arguments.estimates)["rows"]
        estimated = {Path(row["file"]).stem: row.get("latency_us") for row in told}
    until = time.monotonic() + arguments.within
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in (*arguments.drafts.glob("*.cu"), *arguments.tasks.glob("*.py")):
            shutil.copy(file, folder)

        def one(file: Path) -> Row:
            row = verified(file, arguments.target, until)
            row["estimated_us"] = estimated.get(file.stem)
            print(
                row["file"],
                row["outcome"],
                row.get("measured_us"),
                row["estimated_us"],
                row.get("pytorch_us"),
            )
            return row

        with ThreadPoolExecutor(arguments.jobs) as pool:
            rows = list(pool.map(one, sorted(folder.glob("*.cu"))))
    figures = figures_of(rows)
    print(json.dumps(figures, indent=1))
    print(record.write("drafts_on_gpu", seed=0, figures=figures, rows=rows, file=arguments.output))


if __name__ == "__main__":
    main()
