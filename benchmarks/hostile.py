"""Programs that attack whoever runs them: each attack of `tests/hostile` in each sandbox that works here, a row each.

    python benchmarks/hostile.py

An attack counts as contained if its test passes: the effect stayed inside, and nothing was left running or lying about. Writes
`results/hostile.json`.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import record

ROOT = Path(__file__).resolve().parents[1]
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


def rows_of(report: Path) -> list[dict[str, Any]]:
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
        })  # fmt: skip
    return rows


def main() -> int:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        report = Path(folder) / "report.xml"
        tests = [str(ROOT / "tests" / "hostile" / test) for test in ATTACKS]
        subprocess.run([sys.executable, "-m", "pytest", "-q", f"--junit-xml={report}", *tests], cwd=ROOT)
        rows = [row for row in rows_of(report) if row.pop("tried")]
    lost = [row for row in rows if not row["contained"]]
    figures = {
        "attacks": len({row["attack"] for row in rows}),
        "runs": len(rows),
        "contained": len(rows) - len(lost),
        "losses": len(lost),
    }
    print(figures)
    print(record.write("hostile", seed=0, figures=figures, rows=rows))
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
