"""What is written as SARIF against what the standard (OASIS SARIF 2.1.0) says of the objects that occur in it.

No package that pip installs carries the standard's own schema; this restates, of each object that Kernelwright writes, which
properties it may and must have and of what kind they are.
"""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kernelwright_backends.core.catalogue import CATALOGUE
from kernelwright_backends.core.finding import Finding, Range, Related, finding
from kernelwright_server.reports.sarif import sarif_log
from kernelwright_verifier.results.verdict import GATES, GateResult, Verdict

LEVEL = {"enum": ["none", "note", "warning", "error"]}
TEXT = {"type": "string", "minLength": 1}
PLACE = {"type": "integer", "minimum": 1}
BAG = {"type": "object"}


def exactly(required: str, **properties: Any) -> dict[str, Any]:
    """An object of the standard: it allows no others than its own properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def unique(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items, "uniqueItems": True}


MESSAGE = exactly("text", text=TEXT)
LOCATION = exactly(
    "physicalLocation",
    physicalLocation=exactly(
        "artifactLocation",
        artifactLocation=exactly(
            "uri", uri={"type": "string", "format": "uri-reference", "pattern": "^[^ \\\\]+$"}
        ),
        region=exactly("startLine", startLine=PLACE, startColumn=PLACE, endLine=PLACE, endColumn=PLACE),
    ),
    message=MESSAGE,
)
RULE = exactly("id", id=TEXT, shortDescription=MESSAGE, defaultConfiguration=exactly("level", level=LEVEL))
RESULT = exactly(
    "message",
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": -1},
    level=LEVEL,
    message=MESSAGE,
    locations={"type": "array", "items": LOCATION},
    relatedLocations=unique(LOCATION),
    properties=BAG,
)
RUN = exactly(
    "tool",
    tool=exactly("driver", driver=exactly("name", name=TEXT, version=TEXT, rules=unique(RULE))),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results={"type": "array", "items": RESULT},
    properties=BAG,
)
LOG = exactly(
    "version runs",
    **{"$schema": {"type": "string", "format": "uri"}},
    version={"const": "2.1.0"},
    runs={"type": "array", "items": RUN},
)


def held_to_the_standard(log: dict[str, Any]) -> None:
    jsonschema.Draft7Validator(LOG).validate(log)
    for run in log["runs"]:
        rules = run["tool"]["driver"]["rules"]
        for result in run["results"]:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
            for location in (*result["locations"], *result["relatedLocations"]):
                region = location["physicalLocation"]["region"]
                ends = (region["endLine"], region["endColumn"])
                assert ends >= (region["startLine"], region["startColumn"])


def verdict_with(*found: Finding) -> Verdict:
    gates = (
        GateResult(gate=name, status="skipped", findings=found if name == "hack" else ()) for name in GATES
    )
    return Verdict(file="a.cu", dialect="cuda", gates=tuple(gates))


@pytest.mark.parametrize(
    "path", ["/folder with blanks/k\u00e9rnel #1.cu", "relative/a.cu", str(Path.cwd() / "b.cu")]
)
def test_every_code_anywhere(path: str) -> None:
    twice = Related(message="here", path=path, line=3, column=1)
    found = [
        finding(
            code,
            f"{code} happened",
            path,
            Range(line=2, column=5, end_line=4, end_column=1),
            related=(twice, twice),
        )
        for code in CATALOGUE
    ]
    held_to_the_standard(json.loads(json.dumps(sarif_log([verdict_with(*found)], "1.0"))))


def test_a_log_without_findings() -> None:
    held_to_the_standard(sarif_log([], "1.0"))
