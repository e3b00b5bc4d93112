"""Any folder of marked CUDA or Ascend C files under `kernelwright check`: what is told at the marked line, elsewhere, or not at all.

Behind `sanitizer.py --folder` and `coverage/mutants_ascendc.py --folder`. The marks stand in the files, so that a set can be written by people who know nothing of the
checks: `// expect: CODE, CODE` at the end of a line where a defect is to be told (any one of a file's marks is enough, a code
with `?` behind it may be told besides), `// expect-lint: CODE` where advice is due, `// expect: none` or `// expect-lint: none` for a
file of which nothing bad or no advice is to be said, and, if wanted, `// class: WORD`. A file without any mark counts as correct.
"""

import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_SUFFIXES = (".cu", ".asc")
_MARK = re.compile(r"//\s*(expect(?:-lint)?):\s*([A-Z][A-Z0-9_]*\??(?:,\s*[A-Z][A-Z0-9_]*\??)*|none)")
_CLASS = re.compile(r"^//\s*class:\s*(\S+)", re.MULTILINE)
# What says nothing about the kernel: it has no task, its estimate has no table, this machine lacks something.
_BESIDE = ("COST_", "TASK_", "ENV_")


@dataclass(frozen=True, slots=True)
class Marks:
    """What the author of a file expects: (code, line) of defects and of lints, and whether advice would be noise."""

    kind: str
    defects: frozenset[tuple[str, int]]
    lints: frozenset[tuple[str, int]]
    allowed: frozenset[str]
    tuned: bool

    @classmethod
    def read(cls, text: str) -> "Marks":
        found: dict[str, set[tuple[str, int]]] = {"expect": set(), "expect-lint": set()}
        allowed: set[str] = set()
        tuned = False
        for number, line in enumerate(text.splitlines(), 1):
            for match in _MARK.finditer(line):
                if match[2] == "none":
                    tuned |= match[1] == "expect-lint"
                    continue
                for code in re.split(r",\s*", match[2]):
                    if code.endswith("?"):
                        allowed.add(code[:-1])
                    else:
                        found[match[1]].add((code, number))
        named = _CLASS.search(text)
        kind = named[1] if named else next((code for code, _ in sorted(found["expect"])), "none")
        return cls(
            kind, frozenset(found["expect"]), frozenset(found["expect-lint"]), frozenset(allowed), tuned
        )


@dataclass(slots=True)
class Told:
    """What `check` said of one file, over its entries: findings of weight, lints, and whether it could be judged."""

    findings: set[tuple[str, int]] = field(default_factory=set)
    lints: set[tuple[str, int]] = field(default_factory=set)
    judged: bool = True

    def add(self, verdict: dict[str, Any]) -> None:
        self.judged &= verdict["feasible"] is not None or all(
            g["status"] != "error" for g in verdict["gates"]
        )
        for gate in verdict["gates"]:
            for found in gate["findings"]:
                place = (found["code"], found["line"])
                if found["code"].startswith("PERF_"):
                    self.lints.add(place)
                elif found["severity"] in ("error", "warning") and not found["code"].startswith(_BESIDE):
                    self.findings.add(place)


def judge(folder: Path) -> Iterator[dict[str, Any]]:
    """One row a file: `outcome` is caught, elsewhere, missed, accused or silent; `lint` likewise where lints are marked."""
    command = [sys.executable, "-m", "kernelwright_server", "check", str(folder), "--format", "json"]
    told: dict[str, Told] = defaultdict(Told)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            verdict = json.loads(line)
            told[str(Path(verdict["file"]).resolve())].add(verdict)
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES):
        marks = Marks.read(path.read_text(encoding="utf-8"))
        yield row_of(path.relative_to(folder).with_suffix("").as_posix(), marks, told[str(path.resolve())])


def row_of(name: str, marks: Marks, told: Told) -> dict[str, Any]:
    row: dict[str, Any] = {"name": name, "class": marks.kind, "judged": told.judged}
    if not marks.lints and not marks.tuned:
        row["defect"] = bool(marks.defects)
        row["outcome"] = _outcome(marks.defects, told.findings, bool(marks.defects))
        row["told"] = _listed(told.findings)
    else:
        row["lint"] = _outcome(marks.lints, told.lints, bool(marks.lints))
        row["told"] = _listed(told.lints | told.findings)
        row["outcome"] = "accused" if told.findings else "silent"
    row["stray"] = _listed(
        place for place in told.findings - marks.defects if place[0] not in marks.allowed and marks.defects
    )
    return row


def _outcome(wanted: Iterable[tuple[str, int]], found: set[tuple[str, int]], marked: bool) -> str:
    if not marked:
        return "accused" if found else "silent"
    if found & set(wanted):
        return "caught"
    return "elsewhere" if found else "missed"


def _listed(places: Iterable[tuple[str, int]]) -> list[str]:
    return sorted(f"{code}:{line}" for code, line in places)


def figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Shares over defects, correct files, lints and tuned kernels, and the defects by class."""
    defects = [row for row in rows if row.get("defect")]
    correct = [row for row in rows if row.get("defect") is False]
    slow = [row for row in rows if row["class"] != "tuned" and "lint" in row]
    tuned = [row for row in rows if row["class"] == "tuned" or row.get("lint") in ("silent", "accused")]
    by_class: dict[str, Counter[str]] = defaultdict(Counter)
    for row in defects:
        by_class[row["class"]][row["outcome"]] += 1
    return {
        "defects": len(defects),
        "caught_share": _share(defects, "outcome", "caught"),
        "caught_elsewhere_share": _share(defects, "outcome", "elsewhere"),
        "missed_share": _share(defects, "outcome", "missed"),
        "correct_programs": len(correct),
        "accused_share": _share(correct, "outcome", "accused"),
        "lints": len(slow),
        "lint_caught_share": _share(slow, "lint", "caught"),
        "lint_elsewhere_share": _share(slow, "lint", "elsewhere"),
        "lint_missed_share": _share(slow, "lint", "missed"),
        "tuned_kernels": len(tuned),
        "advised_share": _share(tuned, "lint", "accused"),
        "not_judged": sum(not row["judged"] for row in rows),
        "by_class": {
            kind: " ".join(f"{count} {outcome}" for outcome, count in sorted(each.items()))
            for kind, each in sorted(by_class.items())
        },
    }


def _share(rows: list[dict[str, Any]], key: str, value: str) -> float:
    return round(sum(1 for row in rows if row[key] == value) / max(1, len(rows)), 4)
