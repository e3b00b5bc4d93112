"""What `kernelwright check` says of whole projects, as somebody runs it there for the first time; a JSON row a file.

    python benchmarks/adoption.py FOLDER... [--output adoption] [--time-s 120] [--seed 1] [--sample 60] [--per-project 0]

Each folder is a checkout of one project; its files are those that `kernelwright check FOLDER` walks, each judged by a process of
its own without `--trust` and without a cache. `verdict_share` counts, of the files in scope, those that are correct, safe or refused.

In scope is every `.cu`, `.asc` and Ascend C `.cpp` that defines or launches a kernel, and headers that do; left out, and listed
with the rule, are files that call cuBLAS, cuDNN, NCCL, MPI, OptiX or CUTLASS' own templates, or use wgmma, TMA or tcgen05.

`false_errors` counts errors that two people found to be none, out of those of up to `--sample` files drawn by `--seed`. Their
findings are in `adoption_checked.json`, by file and code: {"PROJECT/FILE": {"CODE": "why it is none"}}; errors that
nobody has looked at are counted as `unchecked_errors`.
"""

import argparse
import json
import random
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from lib import record

from kernelwright_backends.core.registry import dialect_of, index_of, kernel_files

_RULES = (
    ("cuBLAS", re.compile(r"\bcublas\w+\s*\(|#\s*include\s*[<\"]cublas")),
    ("cuDNN", re.compile(r"\bcudnn\w+\s*\(|#\s*include\s*[<\"]cudnn")),
    ("NCCL", re.compile(r"\bnccl[A-Z]\w*\s*\(|#\s*include\s*[<\"]nccl")),
    ("MPI", re.compile(r"\bMPI_\w+\s*\(|#\s*include\s*[<\"]mpi\.h")),
    ("OptiX", re.compile(r"\boptix\w+\s*\(|#\s*include\s*[<\"]optix")),
    ("CUTLASS", re.compile(r"#\s*include\s*[<\"](?:cutlass|cute)/")),
    ("wgmma", re.compile(r"\bwgmma\b")),
    ("TMA", re.compile(r"cp\.async\.bulk|\bCUtensorMap\b|cuTensorMapEncode")),
    ("tcgen05", re.compile(r"\btcgen05\b")),
)
_CHECKED = Path(__file__).parent / "adoption_checked.json"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--output", default="adoption", help="name of the result; '' prints it alone")
    parser.add_argument("--time-s", type=float, default=120.0, help="limit for one file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=60, help="files whose errors are to be looked at")
    parser.add_argument(
        "--per-project",
        type=int,
        default=0,
        help="at most so many files of a project, drawn by the seed; 0: all",
    )
    parser.add_argument(
        "--rows", type=Path, help="a file that rows are kept in, so that a later call goes on from there"
    )
    arguments = parser.parse_args()
    rows = []
    kept: dict[str, dict[str, Any]] = {}
    if arguments.rows is not None and arguments.rows.exists():
        kept = {row["file"]: row for row in map(json.loads, arguments.rows.read_text().splitlines())}
    for folder in arguments.folders:
        files = sorted(kernel_files(folder))
        if 0 < arguments.per_project < len(files):
            files = sorted(random.Random(arguments.seed).sample(files, arguments.per_project))
        for path in files:
            name = f"{folder.resolve().name}/{path.resolve().relative_to(folder.resolve())}"
            row = kept.get(name) or row_of(folder.resolve(), path, arguments.time_s)
            rows.append(row)
            if arguments.rows is not None and name not in kept:
                with arguments.rows.open("a") as file:
                    file.write(json.dumps(row) + "\n")
            print(
                json.dumps({key: row[key] for key in ("file", "outcome", "why", "seconds")}), file=sys.stderr
            )
    figures = figures_of(rows, arguments.seed, arguments.sample)
    print(json.dumps(figures, indent=1))
    if arguments.output:
        print("written:", record.write(arguments.output, seed=arguments.seed, figures=figures, rows=rows))


def row_of(folder: Path, path: Path, time_s: float) -> dict[str, Any]:
    """One file: what it is, and what the command line says of it."""
    text = path.read_text(errors="replace")
    dialect = dialect_of(path, text)
    index = index_of(dialect, text) if dialect is not None else None
    spotted = len(index.kernels) if index is not None else 0
    launches = len(index.launches) if index is not None else 0
    row: dict[str, Any] = {
        "project": folder.name,
        "file": f"{folder.name}/{path.resolve().relative_to(folder)}",
        "spotted": spotted,
        "launches": launches,
        "left_out": next((name for name, rule in _RULES if rule.search(text)), None),
    }
    if not spotted and not launches and row["left_out"] is None:
        row["left_out"] = "no kernel and no launch"
    started = time.monotonic()
    command = [sys.executable, "-m", "kernelwright_server", "check", str(path), "--format", "json"]
    try:
        done = subprocess.run(
            [*command, "--no-cache", "--no-latency"],
            capture_output=True,
            text=True,
            timeout=time_s,
            check=False,
        )
        verdicts = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    except subprocess.TimeoutExpired:
        verdicts = []
    row["seconds"] = round(time.monotonic() - started, 2)
    findings = [f for v in verdicts for gate in v["gates"] for f in gate["findings"]]
    row["compiled"] = any(v["gates"][1]["status"] == "passed" for v in verdicts)
    row["outcome"], row["why"] = outcome_of(verdicts, findings)
    row["safe_inputs"] = sum(f["data"].get("safe_inputs", 0) for f in findings)
    row["findings"] = [
        {"code": f["code"], "line": f["line"], "severity": f["severity"], "message": f["message"][:200]}
        for f in findings
        if f["severity"] in ("error", "warning")
    ]
    return row


def outcome_of(verdicts: list[dict[str, Any]], findings: list[dict[str, Any]]) -> tuple[str, str]:
    """One of the four words, and why it is not a better one."""
    if not verdicts:
        return "not judged", "out of time"
    errors = [f for f in findings if f["severity"] == "error"]
    words = [v["outcome"] for v in verdicts]
    outcome = next(word for word in ("refused", "not judged", "safe", "correct") if word in words)
    if outcome == "refused":
        return outcome, ", ".join(sorted({f["code"] for f in errors}))
    if outcome != "not judged":
        return outcome, ""
    reasons = [f["data"]["not_judged"] for f in findings if "not_judged" in f["data"]]
    late = [f["message"] for f in findings if f["code"] in ("LAUNCH_TIME", "COMPILE_TIME")]
    open_ones = [
        g["findings"][0]["message"]
        for v in verdicts
        for g in v["gates"]
        if g["status"] == "error" and g["findings"]
    ]
    return outcome, (reasons or late or open_ones or ["nothing to run"])[0][:200]


def figures_of(rows: list[dict[str, Any]], seed: int, sample: int) -> dict[str, Any]:
    """The figures of the record."""
    scope = [row for row in rows if row["left_out"] is None]
    judged = [row for row in scope if row["outcome"] != "not judged"]
    wrong = sorted((row for row in scope if row["outcome"] == "refused"), key=lambda row: row["file"])
    drawn = random.Random(seed).sample(wrong, min(sample, len(wrong)))
    checked = json.loads(_CHECKED.read_text()) if _CHECKED.exists() else {}
    false = unchecked = 0
    for row in drawn:
        known = checked.get(row["file"], {})
        for code in sorted({f["code"] for f in row["findings"] if f["severity"] == "error"}):
            false += bool(known.get(code))
            unchecked += code not in known
    by_project = {}
    for name in sorted({row["project"] for row in scope}):
        own = [row for row in scope if row["project"] == name]
        words = [row["outcome"] for row in own]
        by_project[name] = {word: words.count(word) for word in ("correct", "safe", "refused", "not judged")}
    return {
        "files": len(rows),
        "in_scope": len(scope),
        "verdict_share": round(len(judged) / len(scope), 3) if scope else None,
        "false_errors": false,
        "unchecked_errors": unchecked,
        "median_s": round(statistics.median(row["seconds"] for row in scope), 2) if scope else None,
        "by_project": by_project,
        "left_out": {row["file"]: row["left_out"] for row in rows if row["left_out"] is not None},
    }


if __name__ == "__main__":
    main()
