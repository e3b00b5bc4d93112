"""Estimated against measured latency, over a folder of kernels that were measured on a device.

    python benchmarks/estimate.py [FOLDER] [--jobs 2] [--keep COUNTERS.json] [--again COUNTERS.json]

FOLDER (without one: the ladders of an H200, which are unpacked into the cache) holds `kernels/GROUP/NN_variant.cu` (each with its directive), their tasks, and one
`measured_CHIP.json` with a list `kernels` of `{"group", "variant", "median_us"}` and, where there are some, `held`: the
groups that had no part in fitting the constants, scored apart. In a group every variant computes the same, and the next
number is a step that somebody took. `--keep` writes what was counted; `--again` estimates from that without tracing.
What nvcc says of registers is left out of the estimate where the name of a figure does not say otherwise. `lint_gain` puts the
gains that lints state beside what was measured: of steps after which the lint of the greatest gain is told no more, or of less
than a quarter of it.
"""

import argparse
import asyncio
import json
import statistics
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from lib import ladders, record
from lib.latency_scores import figures, intervals
from lib.tracing import measured_in, name_of, trace_all

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda import cost

_LINT_LEAST, _LINT_LEFT = 0.05, 0.25


def _lint_gains(findings: Sequence[Finding]) -> dict[str, float]:
    """The greatest gain of each code."""
    gains: dict[str, float] = {}
    for told in findings:
        if told.code.startswith("PERF_"):
            gains[told.code] = max(gains.get(told.code, 0.0), told.data["gain"])
    return gains


def lint_steps(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Steps that mend what a lint told of: its gain as stated, and as measured."""
    steps = []
    for before, after in pairwise(row for row in rows if "lint_gains" in row):
        if before["kernel"].split("/")[0] != after["kernel"].split("/")[0]:
            continue
        fixed = {
            code: gain
            for code, gain in before["lint_gains"].items()
            if gain >= _LINT_LEAST and after["lint_gains"].get(code, 0.0) < gain * _LINT_LEFT
        }
        if fixed:
            code = max(fixed, key=lambda one: fixed[one])
            steps.append(
                {
                    "kernel": before["kernel"],
                    "next": after["kernel"],
                    "lint": code,
                    "stated_gain": fixed[code],
                    "measured_gain": round(1 - after["measured_us"] / before["measured_us"], 4),
                }
            )
    return steps


def lint_figures(steps: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Of the steps that `lint_steps` found: gains are shares of the latency before."""
    off = {row["kernel"]: abs(row["stated_gain"] - row["measured_gain"]) for row in steps}
    by_code: dict[str, list[float]] = {}
    for row in steps:
        by_code.setdefault(row["lint"], []).append(off[row["kernel"]])
    return {
        "steps": len(steps),
        "faster_share": round(sum(row["measured_gain"] > 0 for row in steps) / max(1, len(steps)), 3),
        "difference_median": round(statistics.median(off.values()), 3) if off else None,
        "difference_median_by_lint": {
            code: round(statistics.median(values), 3) for code, values in sorted(by_code.items())
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="names that contain this")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--again", type=Path)
    options = parser.parse_args()
    options.folder = options.folder or ladders.unpacked()
    chip, measured, held = measured_in(options.folder)
    target = Target.parse(f"cuda:{chip}@cpu")
    files = sorted(
        f
        for f in options.folder.glob("kernels/*/*.cu")
        if options.only in name_of(f) and name_of(f) in measured
    )
    if options.again:
        traces = json.loads(options.again.read_text(encoding="utf-8"))
    else:
        traces = asyncio.run(trace_all(files, target, options.jobs))
    if options.keep:
        options.keep.write_text(json.dumps(traces), encoding="utf-8")
    estimated: dict[str, float] = {}
    with_nvcc: dict[str, float] = {}
    table = []
    for file in files:
        name = name_of(file)
        told = traces[name]
        row: dict[str, Any] = {"kernel": name, "measured_us": round(measured[name], 3)}
        if "problem" in told:
            row["problem"] = told["problem"]
        else:
            counters = told["counters"]
            if counters.get("nvcc"):
                compiled = cost.estimate(counters, target).latency_us
                assert compiled is not None
                with_nvcc[name] = compiled
                row["with_nvcc_us"] = round(compiled, 3)
            made = cost.estimate({k: v for k, v in counters.items() if k != "nvcc"}, target)
            assert made.latency_us is not None and made.low_us is not None and made.high_us is not None
            estimated[name] = made.latency_us
            row |= {
                "held": name.split("/")[0] in held,
                "estimated_us": round(made.latency_us, 3),
                "factor": round(made.latency_us / measured[name], 3),
                "inside": made.low_us <= measured[name] <= made.high_us,
                "interval_factor": round(made.high_us / made.latency_us, 3),
                "bottleneck": made.bottleneck.value if made.bottleneck else None,
                "parts_us": {k: round(v, 2) for k, v in made.parts.items()},
                "trace_s": told["trace_s"],
                "lint_gains": _lint_gains(made.findings),
            }
        table.append(row)
        print(f"{name:45s} {measured[name]:10.1f} {row.get('estimated_us', '-'):>10} {row.get('factor', row.get('problem'))!s:6} "
              f"{row.get('bottleneck', '')}")  # fmt: skip
    seconds = [row["trace_s"] for row in table if "trace_s" in row]
    scores: dict[str, Any] = figures(measured, estimated)
    scores |= {
        **intervals(table),
        "trace_median_s": statistics.median(seconds),
        "trace_max_s": max(seconds),
        "untraced": [row["kernel"] for row in table if "problem" in row],
    }
    if held:
        for label, chosen in (("fitted", False), ("held", True)):
            names = {row["kernel"] for row in table if row.get("held") is chosen}
            if not names:
                continue
            part = figures(measured, {n: estimated[n] for n in names})
            part |= intervals([row for row in table if row["kernel"] in names])
            scores |= {
                f"{label}_{key}": value for key, value in part.items() if key != "pairs_by_predicted_ratio"
            }
    if with_nvcc:
        scores["with_nvcc"] = figures(measured, with_nvcc)
        of_held = {n: v for n, v in with_nvcc.items() if n.split("/")[0] in held}
        if of_held:
            scores["held_with_nvcc"] = figures(measured, of_held)
    scores["lint_gain"] = lint_figures(lint_steps(table))
    print(json.dumps(scores, indent=1))
    if not options.only:
        print(record.write("estimate", seed=None, figures=scores, rows=table, compressed=True))


if __name__ == "__main__":
    main()
