"""Drafts a kernel for every task of a folder with the built-in templates, unattended, and says how many are feasible.

    python benchmarks/drafting.py path/to/KernelBench/KernelBench/level1 [--only 12_,19_] [--steps 3] [--jobs 2] [--name drafting]

The tasks are used unchanged; nothing is written beside them.
"""

import argparse
import asyncio
import time
from collections import Counter
from pathlib import Path

import record
from rich.progress import Progress

from kernelwright_backends.toolchain import ConfinementError
from kernelwright_memory.agent import Finished, draft
from kernelwright_memory.generators.choosing import choose_generator
from kernelwright_server.assignment import NotAssignable, Work, bare_task, choose_plan
from kernelwright_verifier.config import Configuration, LimitSettings
from kernelwright_verifier.processes.reference import TaskError
from kernelwright_verifier.verifier import Verifier


async def draft_one(verifier: Verifier, task: Path, steps: int) -> dict[str, object]:
    started = time.perf_counter()
    row: dict[str, object] = {"file": task.name}
    try:
        candidate = bare_task(task, "cuda")
        work = await Work.prepare(verifier, choose_plan(verifier.plan(candidate), "forward", task.name))
        async for event in draft(
            work.assignment,
            verify=work.verify,
            generator=choose_generator("templates"),
            memory=None,
            steps=steps,
            outside_region_changed=work.outside_changed,
        ):
            if isinstance(event, Finished):
                row |= outcome_of(event)
    except TaskError as error:
        row |= {"outcome": "not_tried", "reason": f"{error.findings[0].code}: {error.findings[0].message}"}
    except (NotAssignable, ConfinementError) as error:
        row |= {"outcome": "not_tried", "reason": str(error)}
    return row | {"elapsed_s": round(time.perf_counter() - started, 2)}


def outcome_of(event: Finished) -> dict[str, object]:
    verdict = event.verdict
    first = next((f for f in verdict.findings if f.severity == "error"), None) if verdict else None
    return {
        "outcome": event.outcome,
        "reason": f"{first.code}: {first.message}" if first and event.outcome != "found" else event.reason,
        "steps": event.step,
        "size": verdict.size if verdict else None,
        "latency_us": verdict.latency_us if verdict else None,
        "latency_source": verdict.latency_source if verdict else None,
        "reference_latency_us": verdict.reference_latency_us if verdict else None,
    }


async def measure(tasks: list[Path], steps: int, jobs: int) -> list[dict[str, object]]:
    configuration = Configuration(limits=LimitSettings(jobs=jobs, time_s=60))
    turns = asyncio.Semaphore(jobs)
    async with Verifier(configuration) as verifier:
        with Progress() as progress:
            bar = progress.add_task("drafting", total=len(tasks))

            async def one(task: Path) -> dict[str, object]:
                async with turns:
                    row = await draft_one(verifier, task, steps)
                progress.advance(bar)
                progress.console.print(f"{task.name}: {row['outcome']} in {row['elapsed_s']} s", markup=False)
                return row

            return list(await asyncio.gather(*(one(task) for task in tasks)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="beginnings of file names, separated by commas")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--name", default="drafting", help="of the result's file")
    arguments = parser.parse_args()
    beginnings = tuple(filter(None, arguments.only.split(",")))
    tasks = sorted(
        p for p in arguments.folder.glob("*.py") if not beginnings or p.name.startswith(beginnings)
    )
    rows = asyncio.run(measure(tasks, arguments.steps, arguments.jobs))
    outcomes = Counter(str(row["outcome"]) for row in rows)
    figures = {
        "tasks": len(rows),
        "feasible": outcomes["found"],
        "feasible_share": outcomes["found"] / max(len(rows), 1),
    }
    for row in rows:
        if row["outcome"] != "found":
            print(f"{row['file']}: {row['outcome']}: {row['reason']}")
    print(figures)
    print("written:", record.write(arguments.name, seed=0, figures=figures, rows=rows))


if __name__ == "__main__":
    main()
