"""Estimated against measured latency, over a folder of kernels that were measured on a device.

    python benchmarks/estimate.py FOLDER [--jobs 2] [--keep COUNTERS.json] [--again COUNTERS.json]

FOLDER (such as benchmarks/ladders) holds `kernels/GROUP/NN_variant.cu` (each with its directive), their tasks, and one
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
import math
import statistics
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import record
from rich.progress import Progress

from kernelwright_backends.cuda import cost
from kernelwright_backends.dialect import index_of, toolchain_for
from kernelwright_backends.finding import Finding
from kernelwright_backends.target import Target
from kernelwright_backends.toolchain import Confinement, Limits, RunRequest
from kernelwright_verifier.binding import bind
from kernelwright_verifier.config import Configuration
from kernelwright_verifier.gates import compile as compile_gate
from kernelwright_verifier.gates.latency import full_size_call
from kernelwright_verifier.gates.own_values import with_own_values
from kernelwright_verifier.plan import make_plans
from kernelwright_verifier.processes.reference import Reference, TaskError
from kernelwright_verifier.sandbox import open_confinement
from kernelwright_verifier.verifier import read_candidate

# The tracer has a limit of its own, of the processor's time: how busy the machine is counts for nothing.
_LIMITS = Limits(time_s=120.0)
_STEP = 0.05  # the smallest change on the device that counts as one
_TIE = 0.005  # estimates nearer than this have no sign
_SIZES = {
    "above_50": (0.5, math.inf),
    "15_to_50": (0.15, 0.5),
    "5_to_15": (0.05, 0.15),
}  # of steps, in percent
_DARES = 1.1  # predicted ratios below are not told as a difference
_LINT_LEAST, _LINT_LEFT = 0.05, 0.25
_BANDS = ((1.6, math.inf), (1.25, 1.6), (1.1, 1.25), (1.0, 1.1))


async def trace(file: Path, target: Target, reference: Reference, confinement: Confinement) -> dict[str, Any]:
    """What the launches of one kernel were counted to do, and the seconds that took."""
    candidate = read_candidate(file)
    plan = make_plans(candidate, index_of("cuda", candidate.text), Configuration(), target)[0]
    assert plan.task is not None and plan.entry is not None, f"{file}: no task or no entry"
    full = await reference.describe(plan.task, "full")
    binding = bind(plan.entry, plan.directive, full, str(file), plan.entry_name)
    toolchain = toolchain_for(target)
    built, _, _ = await compile_gate.build(plan, binding.call, toolchain, target, confinement)
    if built.object is None:
        return {"problem": "; ".join(f.message for f in built.findings)}
    started = time.perf_counter()
    with tempfile.NamedTemporaryFile(prefix="kernelwright-") as mapping:
        call = full_size_call(binding, full)
        call, values = await with_own_values(call, binding, plan.task, full, reference)
        request = RunRequest(
            mapping=Path(mapping.name), values=values, calls=(call,), mode="trace", limits=_LIMITS
        )
        result = await toolchain.run(built, request, target, confinement)
    if result.status != "ok" or any(call.status != "ok" for call in result.calls):
        return {"problem": result.message or "; ".join(f.message for f in result.findings) or result.status}
    return {"counters": result.counters, "trace_s": round(time.perf_counter() - started, 3)}


async def trace_all(files: Sequence[Path], target: Target, jobs: int) -> dict[str, dict[str, Any]]:
    confinement = open_confinement("auto")
    reference = Reference(Configuration().reference.interpreter, confinement)
    turns = asyncio.Semaphore(jobs)
    traces: dict[str, dict[str, Any]] = {}
    with Progress() as progress:
        bar = progress.add_task("tracing", total=len(files))

        async def one(file: Path) -> None:
            async with turns:
                try:
                    traces[name_of(file)] = await trace(file, target, reference, confinement)
                except TaskError as error:
                    traces[name_of(file)] = {"problem": str(error)}
                progress.advance(bar)

        try:
            await asyncio.gather(*(one(file) for file in files))
        finally:
            await reference.close()
    return traces


def name_of(file: Path) -> str:
    return f"{file.parent.name}/{file.stem}"


# ---- scores -----------------------------------------------------------------------------------------------------------


def spearman(a: Sequence[float], b: Sequence[float]) -> float:
    x, y = ranks(a), ranks(b)
    return statistics.correlation(x, y) if len(set(x)) > 1 and len(set(y)) > 1 else 0.0


def ranks(values: Sequence[float]) -> list[float]:
    """From 1; equal values share the mean of theirs."""
    order = sorted(values)
    first = {v: order.index(v) + 1 for v in set(values)}
    return [first[v] + (order.count(v) - 1) / 2 for v in values]


def sign(old: float, new: float, least: float) -> int:
    return -1 if new < old * (1 - least) else 1 if new > old * (1 + least) else 0


def figures(measured: dict[str, float], estimated: dict[str, float]) -> dict[str, Any]:
    names = sorted(estimated)
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name.split("/")[0], []).append(name)
    within = {
        group: round(spearman([measured[n] for n in of], [estimated[n] for n in of]), 3)
        for group, of in groups.items()
        if len(of) >= 3
    }
    steps = [(a, b) for of in groups.values() for a, b in pairwise(of)]
    told = [(a, b) for a, b in steps if sign(measured[a], measured[b], _STEP)]
    right = sum(_same_sign(measured, estimated, a, b) for a, b in told)
    pairs = [(a, b) for of in groups.values() for i, a in enumerate(of) for b in of[i + 1 :]]
    bands = {}
    for low, high in _BANDS:
        inside = [(a, b) for a, b in pairs if low <= _ratio(estimated, a, b) < high]
        agree = sum((estimated[a] < estimated[b]) == (measured[a] < measured[b]) for a, b in inside)
        bands[f"from_{low:g}"] = {"right": agree, "of": len(inside)}
    by_size = {}
    for label, (least, most) in _SIZES.items():
        of_size = [(a, b) for a, b in told if least < abs(measured[b] / measured[a] - 1) <= most]
        dared = [(a, b) for a, b in of_size if _ratio(estimated, a, b) >= _DARES]
        by_size[label] = {
            "of": len(of_size),
            "right": sum(_same_sign(measured, estimated, a, b) for a, b in of_size),
            "dared": len(dared),
            "dared_right": sum(_same_sign(measured, estimated, a, b) for a, b in dared),
        }
    called = [(a, b) for a, b in steps if _ratio(estimated, a, b) >= _DARES]
    called_right = sum(
        sign(measured[a], measured[b], 0.0) == sign(estimated[a], estimated[b], 0.0) for a, b in called
    )
    factors = [math.exp(abs(math.log(estimated[n] / measured[n]))) for n in names]
    return {
        "kernels": len(names),
        "spearman": round(spearman([measured[n] for n in names], [estimated[n] for n in names]), 4),
        "spearman_within_mean": round(statistics.mean(within.values()), 4) if within else None,
        "spearman_within": within,
        "steps_sign_right": right,
        "steps": len(told),
        "sign_share": round(right / len(told), 4) if told else None,
        "steps_by_percent": by_size,
        "called_share": round(len(called) / len(steps), 4) if steps else None,
        "called_right_share": round(called_right / len(called), 4) if called else None,
        "pairs_by_predicted_ratio": bands,
        "factor_median": round(statistics.median(factors), 3),
        "factor_p90": round(record.percentile(factors, 0.9), 3),
    }


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
        mended = {
            code: gain
            for code, gain in before["lint_gains"].items()
            if gain >= _LINT_LEAST and after["lint_gains"].get(code, 0.0) < gain * _LINT_LEFT
        }
        if mended:
            code = max(mended, key=lambda one: mended[one])
            steps.append(
                {
                    "kernel": before["kernel"],
                    "next": after["kernel"],
                    "lint": code,
                    "stated_gain": mended[code],
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


def _ratio(estimated: dict[str, float], a: str, b: str) -> float:
    return max(estimated[a] / estimated[b], estimated[b] / estimated[a])


def _same_sign(measured: dict[str, float], estimated: dict[str, float], a: str, b: str) -> bool:
    return sign(estimated[a], estimated[b], _TIE) == sign(measured[a], measured[b], _STEP)


def measured_in(folder: Path) -> tuple[str, dict[str, float], frozenset[str]]:
    """The chip's product, microseconds of each kernel that was measured on it, and the groups that are held back.

    Raises:
        SystemExit: the folder holds no such measurements.
    """
    file = next(iter(sorted(folder.glob("measured_*.json"))), None)
    if file is None:
        raise SystemExit(f"{folder} holds no measured_CHIP.json")
    told = json.loads(file.read_text(encoding="utf-8"))
    latencies = {
        f"{r['group']}/{r['variant']}": r["median_us"] for r in told["kernels"] if r.get("median_us")
    }
    return file.stem.removeprefix("measured_"), latencies, frozenset(told.get("held", ()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="names that contain this")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--again", type=Path)
    options = parser.parse_args()
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
    steps = lint_steps(table)
    scores["lint_gain"] = lint_figures(steps) | {"rows": steps}
    print(json.dumps(scores, indent=1))
    if not options.only:
        print(record.write("estimate", seed=None, figures=scores, rows=table))


def intervals(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The share of measured latencies inside the interval, and how far it reaches to either side of the estimate."""
    estimates = [row for row in rows if "inside" in row]
    if not estimates:
        return {}
    return {
        "inside_share": round(sum(row["inside"] for row in estimates) / len(estimates), 3),
        "interval_factor_median": round(statistics.median(row["interval_factor"] for row in estimates), 3),
    }


if __name__ == "__main__":
    main()
