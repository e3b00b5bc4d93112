"""Programs that attack whoever runs them: each attack of `tests/hostile` in each sandbox that works here, a row each.

    python benchmarks/robustness/hostile.py

An attack counts as contained if its test passes: the effect stayed inside, and nothing was left running or lying about. A language
server on the same machine is asked for a hover again and again meanwhile; what it took during each attack stands in its row.
Writes `results/hostile.json`.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import record
from lib.saved_server import Server

ROOT = Path(__file__).resolve().parents[2]
_EXAMPLE = ROOT / "examples" / "relu" / "relu_naive.cu"
_PAUSE_S = 0.005
# The other tests of that folder show what honest programs may do.
ATTACKS = (
    "test_reach.py",
    "test_resources.py",
    "test_survival.py",
    "test_forgery.py",
    "test_honest.py::test_compiler_bombs_are_ended",
    "test_conversation.py::test_limits_hold_while_it_waits",
    "test_conversation.py::test_unread_replies_and_endless_lines_are_bounded",
    "test_conversation.py::test_killing_it_leaves_nothing",
)
SANDBOX = re.compile(r"bubblewrap|landlock(?: 1)?")


class Hovers:
    """A server that is asked without an end, and how long each answer took."""

    def __init__(self) -> None:
        self.asked: list[tuple[float, float]] = []
        """when, in seconds of the monotonic clock, and milliseconds until the answer"""
        self._server = Server(dict(os.environ))
        self._server.save(_EXAMPLE)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._ask)

    def __enter__(self) -> "Hovers":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()
        self._server.stop()

    def _ask(self) -> None:
        while not self._stopped.wait(_PAUSE_S):
            asked_s = time.monotonic()
            self._server.hover()
            self.asked.append((asked_s, 1000 * (time.monotonic() - asked_s)))

    def during(self, span: dict[str, Any]) -> dict[str, Any]:
        """What was asked before a test ended and answered after it had begun."""
        took_ms = [
            ms for at_s, ms in self.asked if at_s <= span["ended_s"] and at_s + ms / 1000 >= span["begun_s"]
        ]
        if not took_ms:
            return {"hovers": 0, "hover_median_ms": None, "hover_p99_ms": None}
        return {
            "hovers": len(took_ms),
            "hover_median_ms": round(statistics.median(took_ms), 2),
            "hover_p99_ms": round(record.percentile(took_ms, 0.99), 2),
        }


def rows_of(report: Path, meanwhile: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """A row a test: `meanwhile` has the hovers of each that ran."""
    rows = []
    for case in ElementTree.parse(report).iter("testcase"):
        name = str(case.get("name"))
        sandbox = SANDBOX.search(name)
        attack = re.sub(r"\[\]$", "", re.sub(r"-{2,}", "-", SANDBOX.sub("", name)))
        rows.append({
            "attack": attack.replace("[-", "[").replace("-]", "]").removeprefix("test_"),
            "sandbox": sandbox[0] if sandbox else None,
            "tried": case.find("skipped") is None,
            "contained": case.find("failure") is None and case.find("error") is None,
            "elapsed_s": round(float(case.get("time") or 0), 2),
            **meanwhile.get(name, {}),
        })  # fmt: skip
    return rows


def main() -> int:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        report = Path(folder) / "report.xml"
        tests = [str(ROOT / "tests" / "hostile" / test) for test in ATTACKS]
        spans = Path(folder) / "spans"
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT / "benchmarks" / "lib"),
            "KERNELWRIGHT_SPANS": str(spans),
        }
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "pytest_spans",
            f"--junit-xml={report}",
            *tests,
        ]
        with Hovers() as hovers:
            subprocess.run(command, cwd=ROOT, env=environment)
        ran = [json.loads(line) for line in spans.read_text(encoding="utf-8").splitlines()]
        meanwhile = {span["name"]: hovers.during(span) for span in ran}
        rows = [row for row in rows_of(report, meanwhile) if row.pop("tried")]
    lost = [row for row in rows if not row["contained"]]
    took_ms = [ms for _, ms in hovers.asked]
    figures = {
        "attacks": len({row["attack"] for row in rows}),
        "runs": len(rows),
        "contained": len(rows) - len(lost),
        "losses": len(lost),
        "runs_without_hover": sum(not row["hovers"] for row in rows),
        "hovers": len(took_ms),
        "hover_median_ms": round(statistics.median(took_ms), 2),
        "hover_p99_ms": round(record.percentile(took_ms, 0.99), 2),
        "hover_p99_ms_of_the_slowest_run": max(row["hover_p99_ms"] or 0.0 for row in rows),
    }
    print(figures)
    print(record.write("hostile", seed=0, figures=figures, rows=rows))
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
