"""Whether what stops a hacked candidate hangs on the draw of the judge's seed: each is judged under several.

    python benchmarks/integrity/hackgate_seeds.py [FOLDER ...] [--seeds 5] [--jobs 1] [--only NAME ...] [--keep ROWS] [-o FILE.json]

A folder holds `cheats/` and `legitimate/`; without one it is `tests/corpora`. What the text alone shows, no seed changes, so candidates that are
refused before anything is drawn are judged once. With `--keep` the rows are kept in that file as they come, and a later run
takes up what is left. A hacked candidate that passes under any of the seeds is listed with them, as is an honest one that is refused under any.

Of N hacked candidates that are stopped under all of S seeds, a check that missed one of them in a share p of its draws would have
shown with 1 - (1 - p)^S each: the figure `missed_share_95_percent` is the largest p, alike for all, that NS draws without a miss leave open.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import record
from lib.hack_corpus import CORPUS, LIMITS, candidates, digest
from lib.warm_verifier import WarmVerifier

from kernelwright_backends.core.finding import Severity
from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.project.config import Configuration, HackSettings
from kernelwright_verifier.results.verdict import Verdict
from kernelwright_verifier.task.plan import Plan
from kernelwright_verifier.verifier import read_candidate

SEEDS = (3, 20_261_121, 77_777, 1_234_567_891, 40_000_007, 6, 918_273, 55, 2_000_000_011, 123)


class Job(NamedTuple):
    """One candidate to be judged under these seeds."""

    path: Path
    kind: str
    seeds: tuple[int, ...]


class Judging(WarmVerifier):
    """Judges one candidate after the other, in a process of the pool."""

    def __init__(self) -> None:
        super().__init__(Configuration(limits=LIMITS, hack=HackSettings(level="strict")))

    def row(self, job: Job) -> dict[str, Any]:
        return self.run(self._row(job))

    async def _row(self, job: Job) -> dict[str, Any]:
        started = time.monotonic()
        plans = self.verifier.plan(read_candidate(job.path))
        codes: dict[str, list[str]] = {}
        feasible: dict[str, bool | None] = {}
        for seed in job.seeds:
            found: set[str] = set()
            verdicts = [await self._verdict(plan, seed, job.kind) for plan in plans]
            for verdict in verdicts:
                found |= {f.code for f in verdict.findings if f.severity is Severity.ERROR}
            states = [verdict.feasible for verdict in verdicts]
            codes[str(seed)] = sorted(found)
            feasible[str(seed)] = False if False in states else None if None in states or not states else True
            if all(verdict.gate("compile").status == "skipped" for verdict in verdicts):
                break
        return {
            "name": job.path.stem,
            "kind": job.kind,
            "text": digest(job.path),
            "feasible": feasible,
            "codes": codes,
            "elapsed_s": round(time.monotonic() - started, 2),
        }  # fmt: skip

    async def _verdict(self, plan: Plan, seed: int, kind: str) -> Verdict:
        """Without the latency, which takes longest, but where nothing else refuses what is hacked."""
        verdict = await self.verifier.verdict(plan, VerifyOptions(seed=seed, latency=False))
        if kind == "hacked" and verdict.feasible:
            verdict = await self.verifier.verdict(plan, VerifyOptions(seed=seed))
        return verdict


_judging: Judging | None = None


def judged_row(job: Job) -> dict[str, Any]:
    global _judging
    _judging = _judging or Judging()
    return _judging.row(job)


def judge_all(jobs: Sequence[Job], processes: int) -> Iterator[dict[str, Any]]:
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for future in as_completed([pool.submit(judged_row, job) for job in jobs]):
            yield future.result()


def is_odd(row: dict[str, Any]) -> bool:
    """A hacked candidate that is not refused under each seed, an honest one that is not right under each."""
    wanted = row["kind"] == "honest"
    return any(feasible is not wanted for feasible in row["feasible"].values())


def figures_of(rows: Sequence[dict[str, Any]], seeds: int) -> dict[str, Any]:
    hacked = [row for row in rows if row["kind"] == "hacked"]
    drawn = [row for row in hacked if len(row["feasible"]) > 1]
    odd = [row for row in rows if is_odd(row)]
    by_some = [row for row in odd if len(set(row["feasible"].values())) > 1]
    draws = seeds * len(drawn)
    return {
        "seeds": seeds,
        "hacked_count": len(hacked),
        "hacked_judged_by_what_is_drawn_count": len(drawn),
        "honest_count": len(rows) - len(hacked),
        "hacked_passed_under_some_seed_count": sum(row["kind"] == "hacked" for row in by_some),
        "hacked_passed_under_all_count": sum(
            row["kind"] == "hacked" and set(row["feasible"].values()) == {True} for row in odd
        ),
        "honest_refused_under_some_seed_count": sum(row["kind"] == "honest" for row in odd),
        "hacked_passed_under_some_seed": sorted(row["name"] for row in by_some if row["kind"] == "hacked"),
        "hacked_passed_under_all": sorted(
            row["name"] for row in odd if row["kind"] == "hacked" and set(row["feasible"].values()) == {True}
        ),
        "honest_refused_under_some_seed": sorted(row["name"] for row in odd if row["kind"] == "honest"),
        "missed_share_95_percent": round(3 / draws, 6) if draws and not by_some else None,
        "goal_passed_under_some_seed_count": 0,
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("folders", nargs="*", type=Path, default=[CORPUS])
    parser.add_argument("--seeds", type=int, default=5, choices=range(1, len(SEEDS) + 1))
    parser.add_argument("--jobs", type=int, default=1, help="candidates judged at once")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--kind", choices=("hacked", "honest"))
    parser.add_argument("--keep", type=Path, help="keep each row in this file, and judge only what it lacks")
    parser.add_argument("-o", "--output", type=Path, default=record.RESULTS / "hackgate_seeds.json")
    arguments = parser.parse_args()
    kept: list[dict[str, Any]] = []
    if arguments.keep and arguments.keep.is_file():
        kept = [json.loads(line) for line in arguments.keep.read_text(encoding="utf-8").splitlines()]
    listed = [
        (kind, path)
        for folder in arguments.folders
        for kind, path in candidates(folder.resolve(), arguments.only)
        if arguments.kind in (None, kind)
    ]
    known = {(row["kind"], row["text"]): row for row in kept}
    rows = [known[key] for kind, path in listed if (key := (kind, digest(path))) in known]
    jobs = [
        Job(path, kind, SEEDS[: arguments.seeds])
        for kind, path in listed
        if (kind, digest(path)) not in known
    ]
    for row in judge_all(jobs, max(1, arguments.jobs)):
        rows.append(row)
        print(f"{row['kind']:7}{row['name']:40}{'UNEXPECTED ' if is_odd(row) else ''}{row['feasible'] if is_odd(row) else ''}", flush=True)  # fmt: skip
        if arguments.keep:
            with arguments.keep.open("a", encoding="utf-8") as log:
                print(json.dumps(row), file=log)
    figures = figures_of(rows, arguments.seeds)
    print(json.dumps(figures, indent=1))
    if not arguments.only:
        print(
            record.write(
                "hackgate_seeds",
                seed=None,
                figures=figures,
                rows=rows,
                file=arguments.output,
                compressed=True,
            )
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
