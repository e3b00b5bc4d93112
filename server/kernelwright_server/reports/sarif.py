"""SARIF 2.1.0, as code-scanning services read it.

Findings are results, but those that only inform (what was estimated, which task is missing). What was not judged is no result: it
stands in the run's invocation.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kernelwright_backends.core.catalogue import CATALOGUE
from kernelwright_backends.core.finding import Finding, Severity
from kernelwright_server.reports.outcome import why
from kernelwright_verifier.results.verdict import Verdict

_LEVELS = {"error": "error", "warning": "warning", "information": "note", "hint": "note"}
# As code-scanning services sort rules.
_PROBLEMS = {
    "error": "error",
    "warning": "warning",
    "information": "recommendation",
    "hint": "recommendation",
}
_ROOT = "SRCROOT"
# What changes from one verification to the next of the same defect: numbers, and what was drawn.
_VARYING = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\binf\b|\bnan\b")


def sarif_log(verdicts: Iterable[Verdict], version: str) -> dict[str, Any]:
    """One run with all findings of all verdicts; what several of an entry's targets say in the same words once."""
    verdicts = list(verdicts)
    said = {
        (verdict.file, verdict.entry, f.code, f.path, f.range.model_dump_json(), f.message): f
        for verdict in verdicts
        for f in verdict.findings
        if f.severity is not Severity.INFORMATION
    }
    findings = list(said.values())
    codes = sorted({finding.code for finding in findings})
    seen: Counter[str] = Counter()
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "kernelwright",
                        "version": version,
                        "rules": [_rule(code) for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {_ROOT: {"uri": f"{Path.cwd().as_uri().rstrip('/')}/"}},
                "invocations": [_invocation(verdicts)],
                "results": [_result(finding, codes, seen) for finding in findings],
            }
        ],
    }


def _rule(code: str) -> dict[str, Any]:
    severity = CATALOGUE[code].severity.value
    return {
        "id": code,
        "shortDescription": {"text": CATALOGUE[code].summary},
        "defaultConfiguration": {"level": _LEVELS[severity]},
        "properties": {"problem.severity": _PROBLEMS[severity]},
    }


def _invocation(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """That the run came to its end, and what it could not judge."""
    return {
        "executionSuccessful": not any(_failed(verdict) for verdict in verdicts),
        "toolExecutionNotifications": [
            _not_judged(verdict)
            for verdict in verdicts
            if verdict.outcome == "not judged" and verdict.dialect is not None
        ],
    }


def _failed(verdict: Verdict) -> bool:
    """Whether a gate could not run for want of something on this machine."""
    return any(
        gate.status == "error" and any(f.code.startswith("ENV_") for f in gate.findings)
        for gate in verdict.gates[:3]
    )


def _not_judged(verdict: Verdict) -> dict[str, Any]:
    name = " ".join(filter(None, (verdict.file, verdict.entry)))
    first = next((f for gate in verdict.gates if gate.status == "error" for f in gate.findings), None)
    said = f": {first.message}" if first is not None else ""
    return {
        "level": "error" if _failed(verdict) else "note" if verdict.task is None else "warning",
        "message": {"text": f"{name} was not judged: {why(verdict)}{said}"},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(verdict.file)}}],
    }


def _result(finding: Finding, codes: list[str], seen: Counter[str]) -> dict[str, Any]:
    related = {
        (r.path, r.line, r.column, r.message): r for r in finding.related
    }  # no two of them alike, says the standard
    return {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": _LEVELS[finding.severity.value],
        "message": {"text": finding.message},
        "locations": [
            _location(finding.path, finding.line, finding.column, finding.end_line, finding.end_column)
        ],
        "relatedLocations": [
            {**_location(r.path, r.line, r.column, r.line, r.column + 1), "message": {"text": r.message}}
            for r in related.values()
        ],
        "partialFingerprints": {"kernelwright/v1": _fingerprint(finding, seen)},
        "properties": finding.data,
    }


def _fingerprint(finding: Finding, seen: Counter[str]) -> str:
    """The same for the same defect in another run, also where lines moved; several alike in one file are counted."""
    alike = "\n".join((finding.code, _artifact(finding.path)["uri"], _VARYING.sub("#", finding.message)))
    seen[alike] += 1
    return hashlib.sha256(f"{alike}\n{seen[alike]}".encode()).hexdigest()[:32]


def _artifact(path: str) -> dict[str, Any]:
    """A file below the working folder by its place there, any other by its own."""
    try:
        return {"uri": quote(Path(path).relative_to(Path.cwd()).as_posix()), "uriBaseId": _ROOT}
    except ValueError:
        if Path(path).is_absolute():
            return {"uri": Path(path).as_uri()}
        return {"uri": quote(path), "uriBaseId": _ROOT}


def _location(path: str, line: int, column: int, end_line: int, end_column: int) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(path),
            "region": {
                "startLine": line,
                "startColumn": column,
                "endLine": end_line,
                "endColumn": max(end_column, column),
            },
        }
    }
