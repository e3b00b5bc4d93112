"""What the command line makes of a set of hacked and honest candidates that the verifier's authors have not seen.

    python benchmarks/hackgate_unseen.py FOLDER [--keep RAW] [--jobs 1] [--set N] [-o FILE.json]

`FOLDER/manifest.json` is a list of `{"file", "hacked", "row"}`: a candidate, whether it must be refused, and a word for the kind
of its trick (the row of the catalogue A1 to A14 that it is written against). They are run as a user would: `kernelwright check FILE...
--format json --no-cache`, a dozen files to a call, `--jobs` calls at once. A hacked one counts as stopped if a verdict of it is not feasible, an honest one as accused if one is;
what could not be judged is counted by itself. With `--keep` the answers are kept in the folder RAW and not asked for again.

The record names the candidates and their rows, never their text, so that a set stays unseen. What was seen once is no longer
unseen: only the first run of a set says how well the gate does on what is new.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lib import record

TOGETHER = 12
DIALECTS = {".cu": "cuda", ".asc": "ascendc", ".cpp": "ascendc"}


def asked(folder: Path, files: Sequence[str], keep: Path) -> None:
    """Has some candidates checked and keeps the verdicts of each as they come."""
    command = [
        sys.executable,
        "-m",
        "kernelwright_server",
        "check",
        *files,
        "--format",
        "json",
        "--no-cache",
        "--strict-hack",
    ]
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if not line.startswith("{"):
                continue
            verdict = json.loads(line)
            found[verdict["file"]].append(verdict)
            elapsed = sum(gate["elapsed_s"] for v in found[verdict["file"]] for gate in v["gates"])
            answer = {"verdicts": found[verdict["file"]], "elapsed_s": round(elapsed, 2)}
            kept_of(keep, verdict["file"]).write_text(json.dumps(answer), encoding="utf-8")
    for file in files:  # without a verdict is not judged either
        if not kept_of(keep, file).is_file():
            kept_of(keep, file).write_text(json.dumps({"verdicts": [], "elapsed_s": 0.0}), encoding="utf-8")


def kept_of(keep: Path, file: str) -> Path:
    return keep / f"{file.replace('/', '_')}.json"


def row_of(listed: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    verdicts = found["verdicts"]
    feasible = [verdict["feasible"] for verdict in verdicts]
    state = "refused" if False in feasible else "not judged" if None in feasible or not feasible else "passed"
    codes = sorted(
        {
            finding["code"]
            for verdict in verdicts
            for gate in verdict["gates"]
            for finding in gate["findings"]
            if finding["severity"] == "error"
        }
    )
    return {
        "name": Path(listed["file"]).stem,
        "dialect": DIALECTS.get(Path(listed["file"]).suffix, "unknown"),
        "row": listed["row"],
        "hacked": listed["hacked"],
        "state": state,
        "as_expected": state == ("refused" if listed["hacked"] else "passed"),
        "codes": codes,
        "elapsed_s": found["elapsed_s"],
    }


def figures_of(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    by_row: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_row[f"{row['dialect']} {row['row']}"].append(row)
    figures: dict[str, Any] = {}
    for dialect in ("all", *sorted({row["dialect"] for row in rows})):
        of = [row for row in rows if dialect in ("all", row["dialect"])]
        hacked = [row for row in of if row["hacked"]]
        honest = [row for row in of if not row["hacked"]]
        stopped = sum(row["as_expected"] for row in hacked)
        accused = sum(row["state"] == "refused" for row in honest)
        figures[dialect] = {
            "hacked_count": len(hacked),
            "stopped_count": stopped,
            "stopped_share": round(stopped / max(1, len(hacked)), 4),
            "honest_count": len(honest),
            "accused_count": accused,
            "accused_share": round(accused / max(1, len(honest)), 4),
            "not_judged_count": sum(row["state"] == "not judged" for row in of),
        }
    return {
        **figures.pop("all"),
        **figures,
        "stopped_of_hacked_by_row": {
            name: f"{sum(row['as_expected'] for row in of if row['hacked'])}/{sum(row['hacked'] for row in of)}"
            for name, of in sorted(by_row.items())
            if any(row["hacked"] for row in of)
        },
        "goal_stopped_share": 1.0,
        "goal_accused_share": 0.0,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keep", type=Path, help="keep the verdicts of each candidate in this folder")
    parser.add_argument("--jobs", type=int, default=1, help="calls of kernelwright check at once")
    parser.add_argument("--set", type=int, help="number of a set that nobody had seen before")
    parser.add_argument("-o", "--output", type=Path, default=record.RESULTS / "hackgate_unseen.json")
    arguments = parser.parse_args()
    manifest = json.loads((arguments.folder / "manifest.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as passing, ThreadPoolExecutor(arguments.jobs) as pool:
        keep = arguments.keep or Path(passing)
        keep.mkdir(parents=True, exist_ok=True)
        left = [listed["file"] for listed in manifest if not kept_of(keep, listed["file"]).is_file()]
        calls = [left[at : at + TOGETHER] for at in range(0, len(left), TOGETHER)]
        list(pool.map(lambda files: asked(arguments.folder, files, keep), calls))
        rows = [
            row_of(listed, json.loads(kept_of(keep, listed["file"]).read_text(encoding="utf-8")))
            for listed in manifest
        ]
    for row in rows:
        print(f"{row['name']:36}{row['state']:12}{'' if row['as_expected'] else 'UNEXPECTED  '}{', '.join(row['codes'])}")  # fmt: skip
    figures = figures_of(rows)
    print(json.dumps(figures, indent=1))
    print(
        record.write(
            "hackgate_unseen",
            seed=None,
            set_number=arguments.set,
            figures=figures,
            rows=rows,
            file=arguments.output,
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
