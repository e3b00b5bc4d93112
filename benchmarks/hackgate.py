"""What the hack gate stops and whom it accuses: `tests/hack/hacked` and `tests/hack/honest`, every candidate by the road that a
user's takes, and again without the check that stopped it.

    python benchmarks/hackgate.py [--only NAME ...] [--no-ablation]

A candidate counts as stopped if it is not feasible, as accused if the hack gate or the comparison refuses an honest one. Writes
`results/hackgate.json`.
"""

import argparse
import asyncio
import re
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import record

from kernelwright_backends.finding import Severity
from kernelwright_backends.toolchain import Symbols
from kernelwright_verifier.config import Configuration, HackSettings, LimitSettings
from kernelwright_verifier.gates.correctness import drawing, trials
from kernelwright_verifier.gates.hack.object import OBJECT_CHECKS
from kernelwright_verifier.gates.hack.text import TEXT_CHECKS
from kernelwright_verifier.options import VerifyOptions
from kernelwright_verifier.plan import Plan
from kernelwright_verifier.processes import judge
from kernelwright_verifier.verdict import Verdict
from kernelwright_verifier.verifier import Verifier, read_candidate

CORPUS = Path(__file__).resolve().parents[1] / "tests" / "hack"
SEED = 20261121
EXPECT = re.compile(r"^// expect: ([A-Z_]+)", re.MULTILINE)
EVERY = 3  # honest candidates of which one is built anew to see what the gate adds to a save
ABLATED = ("A1", "A2", "A4", "A5", "A6", "A7", "A8", "A9", "A11", "A12", "A13", "operators", "inputs")


def form_of(text: str) -> str:
    if "torch::Tensor" in text:
        return "tensor"
    return "kernel" if "grid=" in text else "launcher"


def stopped_by(verdict: Verdict) -> list[str]:
    """The checks that refused it; comparisons count as A4 to A6 together, faults of the run as "run"."""
    names = []
    for finding in verdict.findings:
        if finding.severity is not Severity.ERROR:
            continue
        if finding.code.startswith("HACK_"):
            names.append(str(finding.data.get("check")))
        elif finding.code.startswith("MISMATCH_"):
            family = str(finding.data.get("family", "given"))
            names.append("A6" if family in ("given",) else "A4")
        else:
            names.append("run")
    return list(dict.fromkeys(names))


async def judged(verifier: Verifier, plan: Plan, without: Sequence[str] = ()) -> tuple[Verdict, float]:
    started = time.monotonic()
    with switched_off(without):
        options = VerifyOptions(seed=SEED, without=tuple(without))
        verdict = await verifier.verdict(plan, options)
    return verdict, time.monotonic() - started


@contextmanager
def switched_off(without: Sequence[str]) -> Iterator[None]:
    """A4: only the task's own inputs. A6: the tolerance that most harnesses use, 0.01 absolute and relative."""
    compare, planned = trials.compare, drawing.TRIALS

    def loose(actual: Any, dtype: str, shape: Any, expected: Any, mapping: Path) -> judge.Comparison:
        return _loosened(compare(actual, dtype, shape, expected, mapping))

    try:
        if "A6" in without:
            trials.compare = loose  # type: ignore[assignment]
        if "A4" in without:
            drawing.TRIALS = tuple(trial._replace(family="given") for trial in planned)  # type: ignore[assignment]
        yield
    finally:
        trials.compare, drawing.TRIALS = compare, planned  # type: ignore[assignment]


def _loosened(found: judge.Comparison) -> judge.Comparison:
    if found.ok or not found.max_error <= 1e-2 + 1e-2 * abs(float(found.expected or 0.0)):
        return found
    return judge.Comparison(True, 0, found.total, found.max_error, found.max_relative_error, found.rms_error, found.tolerance, found.text)  # fmt: skip


def static_cost(plan: Plan) -> dict[str, float]:
    """Milliseconds of each check of the text, and of the object's where nothing is linked yet."""
    costs = {}
    checks: list[tuple[str, Callable[[], object]]] = [
        *((check.__name__, lambda check=check: list(check(plan))) for check in TEXT_CHECKS),  # type: ignore[misc]
        *((check.__name__, lambda check=check: list(check(plan, Symbols()))) for check in OBJECT_CHECKS),  # type: ignore[misc]
    ]
    for name, call in checks:
        started = time.perf_counter()
        call()
        costs[name] = 1e3 * (time.perf_counter() - started)
    return costs


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--no-ablation", action="store_true")
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    limits = LimitSettings(time_s=20.0, memory_mb=2048)
    configuration = Configuration(limits=limits)
    off = Configuration(limits=limits, hack=HackSettings(level="off"))
    costs: dict[str, list[float]] = defaultdict(list)
    warm: list[tuple[float, float]] = []
    async with Verifier(configuration) as verifier:
        for kind in ("hacked", "honest"):
            for path in sorted(p for p in (CORPUS / kind).iterdir() if p.suffix in (".cu", ".asc")):
                if arguments.only and path.stem not in arguments.only:
                    continue
                row = await _row(verifier, path, kind)
                (plan,) = verifier.plan(read_candidate(path))
                for name, cost in static_cost(plan).items():
                    costs[name].append(cost)
                if kind == "hacked" and not arguments.no_ablation:
                    row["without"] = await _ablated(verifier, plan, row)
                if kind == "honest" and len(rows) % EVERY == 0:
                    warm.append(await _cost_of_probes(verifier, path, off))
                rows.append(row)
                print(f"{kind:7}{path.stem:36}{'' if row['as_expected'] else '  UNEXPECTED'}  {', '.join(row['codes'])}", flush=True)  # fmt: skip
    figures = _figures(rows, costs, warm)
    for name, figure in figures.items():
        print(f"{name}: {figure}")
    if not arguments.only:
        print(record.write("hackgate", seed=SEED, figures=figures, rows=rows))


async def _row(verifier: Verifier, path: Path, kind: str) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    (plan,) = verifier.plan(read_candidate(path))
    verdict, elapsed = await judged(verifier, plan)
    codes = sorted({f.code for f in verdict.findings if f.severity is Severity.ERROR})
    expected = EXPECT.search(text)
    return {
        "name": path.stem,
        "kind": kind,
        "form": form_of(text),
        "expected": expected[1] if expected else None,
        "codes": codes,
        "stopped": verdict.feasible is False,
        "feasible": verdict.feasible,
        "checks": stopped_by(verdict),
        "as_expected": (expected[1] in codes and verdict.feasible is False) if expected else verdict.feasible is True,
        "elapsed_s": round(elapsed, 3),
    }  # fmt: skip


async def _ablated(verifier: Verifier, plan: Plan, row: dict[str, Any]) -> dict[str, bool]:
    """For each check that stopped it: whether the others would have."""
    answers = {}
    for check in row["checks"]:
        if check in ABLATED:
            verdict, _ = await judged(verifier, plan, (check,))
            answers[check] = verdict.feasible is False
    return answers


async def _cost_of_probes(verifier: Verifier, path: Path, off: Configuration) -> tuple[float, float]:
    """Seconds of a warm verdict with the hack gate and without; the object is built anew in both, as after an edit."""
    seconds = []
    for number, configuration in enumerate((Configuration(limits=off.limits), off)):
        candidate = read_candidate(path)
        changed = candidate.model_copy(
            update={"text": f"{candidate.text}\n// edit {number} of {time.time_ns()}\n"}
        )
        (plan,) = verifier.plan(changed)
        plan = plan.model_copy(update={"configuration": configuration})
        _, elapsed = await judged(verifier, plan)
        seconds.append(elapsed)
    return seconds[0], seconds[1]


def _figures(
    rows: Sequence[dict[str, Any]], costs: dict[str, list[float]], warm: Sequence[tuple[float, float]]
) -> dict[str, Any]:
    hacked = [row for row in rows if row["kind"] == "hacked"]
    honest = [row for row in rows if row["kind"] == "honest"]
    by_check = Counter(check for row in hacked for check in row["checks"])
    alone = Counter(check for row in hacked for check, others in row.get("without", {}).items() if not others)
    per_candidate = [sum(values) for values in zip(*costs.values(), strict=True)] if costs else []
    return {
        "hacked_count": len(hacked),
        "honest_count": len(honest),
        "stopped_share": _share(hacked, "stopped"),
        "stopped_as_expected_share": _share(hacked, "as_expected"),
        "accused_share": 1 - _share(honest, "as_expected"),
        "by_form_count": dict(Counter(f"{row['kind']} {row['form']}" for row in rows)),
        "stopped_by_check_count": dict(by_check.most_common()),
        "stopped_by_this_check_alone_count": dict(alone.most_common()),
        "static_cost_median_ms": round(statistics.median(per_candidate), 3) if per_candidate else None,
        "static_cost_max_ms": round(max(per_candidate), 3) if per_candidate else None,
        "static_cost_by_check_median_ms": {n: round(statistics.median(v), 4) for n, v in costs.items()},
        "added_to_warm_verdict_share": round(sum(a for a, _ in warm) / sum(b for _, b in warm) - 1, 4) if warm else None,
        "warm_verdict_median_s": round(statistics.median(a for a, _ in warm), 3) if warm else None,
        "warm_verdict_without_hack_gate_median_s": round(statistics.median(b for _, b in warm), 3) if warm else None,
    }  # fmt: skip


def _share(rows: Sequence[dict[str, Any]], key: str) -> float:
    return round(sum(bool(row[key]) for row in rows) / max(1, len(rows)), 4)


if __name__ == "__main__":
    asyncio.run(main())
