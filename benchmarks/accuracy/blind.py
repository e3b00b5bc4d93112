"""The estimate's blind score: kernels predicted before anybody measured them.

    python benchmarks/accuracy/blind.py predict [FOLDER] [--only WORD] [--jobs 2] [--keep COUNTERS.json] [--again COUNTERS.json] [--out FILE]
    python benchmarks/accuracy/blind.py score [FOLDER] [--out FILE]

FOLDER as for benchmarks/estimate.py. `predict` estimates the kernels that `measured_CHIP.json` has no latency of and writes
`results/estimate_unseen.json`, which is committed before they are measured; `score` puts the measured latencies beside those
predictions, whatever the model says by then, and writes the scores into the same file.
"""

import argparse
import asyncio
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import ladders, record
from lib.latency_scores import figures, intervals
from lib.tracing import measured_in, name_of, trace_all

from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda import cost

_FILE = record.RESULTS / "estimate_unseen.json"


def predict(options: argparse.Namespace) -> None:
    chip, measured = options.chip, dict[str, float]()
    if any(options.folder.glob("measured_*.json")):
        chip, measured, _ = measured_in(options.folder)
    target = Target.parse(f"cuda:{chip}@cpu")
    files = sorted(
        file
        for file in options.folder.glob("kernels/*/*.cu")
        if options.only in name_of(file) and name_of(file) not in measured
    )
    if options.again:
        traces = json.loads(options.again.read_text(encoding="utf-8"))
    else:
        traces = asyncio.run(trace_all(files, target, options.jobs))
    if options.keep:
        options.keep.write_text(json.dumps(traces), encoding="utf-8")
    rows: list[dict[str, Any]] = []
    for name, told in sorted(traces.items()):
        row: dict[str, Any] = {"kernel": name}
        if "problem" in told:
            rows.append(row | {"problem": told["problem"]})
            continue
        counters = told["counters"]
        made = cost.estimate({k: v for k, v in counters.items() if k != "nvcc"}, target)
        row |= {
            "estimated_us": made.latency_us,
            "low_us": made.low_us,
            "high_us": made.high_us,
            "with_nvcc_us": cost.estimate(counters, target).latency_us if counters.get("nvcc") else None,
            "bottleneck": made.bottleneck.value if made.bottleneck else None,
            "parts_us": {part: round(us, 2) for part, us in made.parts.items()},
        }
        print(f"{name:45s} {made.latency_us:10.1f}   {made.parts}")
        rows.append(row)
    told_at = {"predicted": datetime.now(UTC).isoformat(timespec="seconds"), "kernels": len(rows)}
    print(
        record.write(
            "estimate_unseen", seed=None, set_number=options.set, figures=told_at, rows=rows, file=options.out
        )
    )


def score(options: argparse.Namespace) -> None:
    _, measured, _ = measured_in(options.folder)
    told = record.read(options.out or _FILE)
    rows: list[dict[str, Any]] = told["rows"]
    estimated: dict[str, float] = {}
    with_nvcc: dict[str, float] = {}
    for row in rows:
        name = row["kernel"]
        if "estimated_us" not in row or name not in measured:
            continue
        estimated[name] = row["estimated_us"]
        if row["with_nvcc_us"]:
            with_nvcc[name] = row["with_nvcc_us"]
        row |= {
            "measured_us": round(measured[name], 3),
            "factor": round(row["estimated_us"] / measured[name], 3),
            "inside": row["low_us"] <= measured[name] <= row["high_us"],
            "interval_factor": row["high_us"] / row["estimated_us"],
        }
        print(
            f"{name:45s} {measured[name]:10.1f} {row['estimated_us']:10.1f} {row['factor']:6.2f} {row['bottleneck']}"
        )
    scores = {"predicted": told["figures"]["predicted"], **figures(measured, estimated), **intervals(rows)}
    if with_nvcc:
        scores["with_nvcc"] = figures(measured, with_nvcc)
    print(json.dumps(scores, indent=1))
    print(
        record.write(
            "estimate_unseen",
            seed=None,
            set_number=told.get("set"),
            figures=scores,
            rows=rows,
            file=options.out,
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    predicting = commands.add_parser("predict")
    predicting.add_argument("folder", type=Path, nargs="?")
    predicting.add_argument("--only", default="", help="names that contain this")
    predicting.add_argument("--jobs", type=int, default=2)
    predicting.add_argument("--keep", type=Path)
    predicting.add_argument("--again", type=Path)
    predicting.add_argument("--chip", default="h200", help="where nothing in FOLDER was measured yet")
    predicting.add_argument("--out", type=Path, help="instead of the results; `score` reads it from there")
    predicting.add_argument("--set", type=int, help="number of a set that nobody had seen before")
    predicting.set_defaults(run=predict)
    scoring = commands.add_parser("score")
    scoring.add_argument("folder", type=Path, nargs="?")
    scoring.add_argument("--out", type=Path)
    scoring.set_defaults(run=score)
    options = parser.parse_args()
    options.folder = options.folder or ladders.unpacked()
    options.run(options)


if __name__ == "__main__":
    main()
