"""Save -> correctness verdict on the CPU target, for each example: cold, warm, and where the time goes.

    python benchmarks/loop.py [--repeat 5] [--examples examples]

Cold: a new verifier, an empty object cache for the file, the reference not started. Warm: the loop of somebody who edits:
the same verifier, the text changed a little before every save (so that it is compiled again), fresh seeds.
"""

import argparse
import asyncio
import statistics
import time
import tomllib
from pathlib import Path

from lib import record
from lib.edits import edited
from rich.console import Console
from rich.table import Table

from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.results.verdict import GateResult, Verdict
from kernelwright_verifier.task.task import Candidate
from kernelwright_verifier.verifier import Verifier, read_candidate


async def measure(folder: Path, names: list[str], repeat: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for name in names:
        candidate = read_candidate(folder / name, name)
        async with Verifier() as verifier:
            cold_s, verdict = await once(verifier, edited(candidate, 0))
            warm: list[float] = []
            steps: dict[str, list[float]] = {}
            for number in range(1, repeat + 1):
                elapsed_s, verdict = await once(verifier, edited(candidate, number))
                warm.append(elapsed_s)
                for step, step_s in verdict.steps_s.items():
                    steps.setdefault(step, []).append(step_s)
        rows.append(
            {
                "file": name,
                "feasible": verdict.feasible,
                "cold_s": round(cold_s, 4),
                "warm_median_s": round(statistics.median(warm), 4),
                "warm_max_s": round(max(warm), 4),
                "steps_median_s": {
                    step: round(statistics.median(values), 4) for step, values in steps.items()
                },
            }
        )
    return rows


async def once(verifier: Verifier, candidate: Candidate) -> tuple[float, Verdict]:
    """Seconds from the save to the correctness gate's answer; the verdict comes after it."""
    started = time.perf_counter()
    answered = None
    verdict: Verdict | None = None
    plan = verifier.plan(candidate)[0]
    async for step in verifier.verify(plan, VerifyOptions(latency=False)):
        if isinstance(step, Verdict):
            verdict = step
        elif isinstance(step, GateResult) and step.gate == "correctness":
            answered = time.perf_counter() - started
    assert verdict is not None
    return answered if answered is not None else time.perf_counter() - started, verdict


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--examples", type=Path, default=Path(__file__).resolve().parents[1] / "examples")
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    listing = tomllib.loads((arguments.examples / "expected.toml").read_text(encoding="utf-8"))["kernel"]
    names = list(dict.fromkeys(row["file"] for row in listing if row["feasible"]))
    rows = asyncio.run(measure(arguments.examples, names, arguments.repeat))
    figures = {
        "warm_median_s": statistics.median(float(row["warm_median_s"]) for row in rows),  # type: ignore[arg-type]
        "warm_max_s": max(float(row["warm_max_s"]) for row in rows),  # type: ignore[arg-type]
        "cold_median_s": statistics.median(float(row["cold_s"]) for row in rows),  # type: ignore[arg-type]
        "examples": len(rows),
        "goal_warm_median_s": 1.5,
    }
    table = Table("example", "cold s", "warm median s", "build s", "run s", "reference s")
    for row in rows:
        steps = row["steps_median_s"]
        assert isinstance(steps, dict)
        table.add_row(
            str(row["file"]), f"{row['cold_s']:.2f}", f"{row['warm_median_s']:.2f}",
            *(f"{steps.get(step, 0):.2f}" for step in ("build", "run", "reference")),
        )  # fmt: skip
    Console().print(table)
    print(figures)
    print("written:", record.write("loop", seed=None, figures=figures, rows=rows))


if __name__ == "__main__":
    main()
