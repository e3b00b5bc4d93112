"""SARIF 2.1.0, as code-scanning services read it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kernelwright_backends.core.catalogue import CATALOGUE
from kernelwright_backends.core.finding import Finding
from kernelwright_verifier.results.verdict import Verdict

_LEVELS = {"error": "error", "warning": "warning", "information": "note", "hint": "note"}


def sarif_log(verdicts: Iterable[Verdict], version: str) -> dict[str, Any]:
    """One run with all findings of all verdicts; what several of an entry's targets say in the same words once."""
    said = {
        (verdict.file, verdict.entry, f.code, f.path, f.range.model_dump_json(), f.message): f
        for verdict in verdicts
        for f in verdict.findings
    }
    findings = list(said.values())
    codes = sorted({finding.code for finding in findings})
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "kernelwright",
                        "version": version,
                        "rules": [
                            {
                                "id": code,
                                "shortDescription": {"text": CATALOGUE[code].summary},
                                "defaultConfiguration": {"level": _LEVELS[CATALOGUE[code].severity.value]},
                            }
                            for code in codes
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding, codes) for finding in findings],
            }
        ],
    }


def _result(finding: Finding, codes: list[str]) -> dict[str, Any]:
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
        "properties": finding.data,
    }


def _location(path: str, line: int, column: int, end_line: int, end_column: int) -> dict[str, Any]:
    try:
        relative = Path(path).relative_to(Path.cwd())
        uri = quote(relative.as_posix())
    except ValueError:
        uri = Path(path).as_uri() if Path(path).is_absolute() else quote(path)
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": uri},
            "region": {
                "startLine": line,
                "startColumn": column,
                "endLine": end_line,
                "endColumn": max(end_column, column),
            },
        }
    }
