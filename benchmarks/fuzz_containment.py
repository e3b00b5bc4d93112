"""Files and replies that somebody else wrote, made at random: none ends in a traceback, a hang, or a write outside its folder.

    python benchmarks/fuzz_containment.py [--cases 10000] [--seed 0] [--only READER] [--again]

Each reader (`lib/fuzz_readers.py`) gets documents that hypothesis makes: valid ones, mutated ones, soups of the format's own words,
deep nests, endless repetitions, numbers and characters that nothing expects. What it writes, removes or starts meanwhile is heard by
an audit hook. A case that takes more than 2 s of the processor is a hang, and so is one that waits for a minute; its process is ended.
Batches that were done stand in `results/tables/fuzz_containment.jsonl` and are not done again, unless `--again`. Writes
`results/fuzz_containment.json`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from lib import record
from lib.fuzz_readers import HANG_S, READERS

BATCH = 250
# Of one case: by the clock, where it has computed for as long as a hang takes; by the clock alone, where it waits; and of making one.
_ENDED_S, _WAITS_S, _MAKING_S = 10.0, 60.0, 300.0
DONE = record.RESULTS / "tables" / "fuzz_containment.jsonl"


def run_batch(reader: str, batch: int, seed: int, cases: int = BATCH) -> dict[str, Any]:
    """One batch in a process of its own, started again behind a case that ends it. What went wrong stands in `faults`."""
    begun = time.monotonic()
    faults: list[dict[str, Any]] = []
    skip = 0
    with tempfile.TemporaryDirectory(prefix="fuzz-containment-") as folder:
        while skip < cases:
            report = Path(folder) / "report.jsonl"
            report.unlink(missing_ok=True)
            command = [
                sys.executable,
                str(Path(__file__).parent / "lib" / "fuzz_readers.py"),
                reader,
                str(batch),
                str(seed),
            ]
            command += [str(cases), str(skip), folder]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            lines = _watch(process, report)
            faults += [line for line in lines if "kind" in line]
            told = max((line["case"] for line in lines), default=skip - 1)
            if (end := next((line["end"] for line in lines if "end" in line), None)) is not None:
                cases = end
                break
            _, said = process.communicate()
            last = lines[-1] if lines else {"case": skip - 1, "done": True}
            if "done" in last and process.returncode != -9:
                raise RuntimeError(f"{reader} cannot be tried: {said.decode()[-2000:]}")
            if "done" not in last:
                kind = "hang" if process.returncode == -9 else "traceback"
                faults.append(
                    {
                        "case": last["case"],
                        "kind": kind,
                        "said": said.decode()[-300:],
                        "input": last["input"],
                    }
                )
            skip = max(told, last["case"]) + 1
    return {
        "reader": reader,
        "batch": batch,
        "seed": seed,
        "cases": cases,
        "seconds": round(time.monotonic() - begun, 2),
        "faults": faults,
    }


def _watch(process: "subprocess.Popen[bytes]", report: Path) -> list[dict[str, Any]]:
    """What the process reports; it is ended if nothing new comes for a while."""
    size, since, computed_s = -1, time.monotonic(), 0.0
    while process.poll() is None:
        time.sleep(0.02)
        now = report.stat().st_size if report.exists() else -1
        waited_s = time.monotonic() - since
        if now != size:
            size, since, computed_s = now, time.monotonic(), _processor_s(process.pid)
        elif waited_s > _ENDED_S:
            making = size <= 0 or b'"done"' in report.read_bytes().rsplit(b"\n", 2)[-2]
            busy = _processor_s(process.pid) - computed_s > HANG_S
            if waited_s > (_MAKING_S if making else _ENDED_S if busy else _WAITS_S):
                process.kill()
                process.wait()
    if not report.exists():
        return []
    return [json.loads(line) for line in report.read_text().splitlines() if line.endswith("}")]


def _processor_s(pid: int) -> float:
    try:
        fields = (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rsplit(")", 1)[1].split()
        )
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def figures_of(rows: list[dict[str, Any]]) -> dict[str, Any]:
    kinds = Counter(fault["kind"] for row in rows for fault in row["faults"])
    return {
        "cases": sum(row["cases"] for row in rows),
        "readers": len({row["reader"] for row in rows}),
        "tracebacks": kinds["traceback"],
        "hangs": kinds["hang"],
        "writes_outside": kinds["write outside"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=sorted(READERS))
    parser.add_argument("--again", action="store_true", help="do all batches again")
    arguments = parser.parse_args()
    names = [arguments.only] if arguments.only else sorted(READERS)
    wanted = [(name, batch) for batch in range(-(-arguments.cases // (BATCH * len(names)))) for name in names]
    if arguments.again:
        DONE.unlink(missing_ok=True)
    done = [json.loads(line) for line in DONE.read_text().splitlines()] if DONE.exists() else []
    rows = {(r["reader"], r["batch"]): r for r in done if r["seed"] == arguments.seed}
    for name, batch in wanted:
        if (name, batch) in rows:
            continue
        row = run_batch(name, batch, arguments.seed)
        rows[name, batch] = row
        with DONE.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        for fault in row["faults"]:
            print(f"{name} {batch}:{fault['case']} {fault['kind']}: {fault['said'][:200]}", flush=True)
    chosen = [rows[key] for key in wanted]
    figures = figures_of(chosen)
    print(figures)
    if arguments.only is None:
        by_reader = [
            {"reader": name, **figures_of([r for r in chosen if r["reader"] == name])} for name in names
        ]
        faults = [{"reader": r["reader"], "batch": r["batch"], **f} for r in chosen for f in r["faults"]]
        print(
            record.write("fuzz_containment", seed=arguments.seed, figures=figures, rows=[*by_reader, *faults])
        )
    return 1 if figures["tracebacks"] or figures["hangs"] or figures["writes_outside"] else 0


if __name__ == "__main__":
    sys.exit(main())
