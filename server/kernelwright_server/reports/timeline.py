"""The estimated time line of a verdict: a picture, or a trace that Chrome and Perfetto open."""

import json
from pathlib import Path
from typing import Any

from kernelwright_backends.core.registry import support_of
from kernelwright_backends.display.visible import visible
from kernelwright_backends.interfaces.dialect import Timelines
from kernelwright_backends.untrusted.placing import put
from kernelwright_verifier.results.verdict import Verdict


def timeline_picture(verdict: Verdict) -> str | None:
    """SVG of what the launch is estimated at and of the units of its slowest core; None where the verdict has no time line."""
    found = _timeline(verdict)
    return _picture(*found) if found is not None else None


def write_timeline(verdict: Verdict, path: Path) -> bool:
    """Write `path`, by its ending a picture or a trace; whether the verdict has a time line.

    Raises:
        OSError: it cannot be written.
    """
    found = _timeline(verdict)
    if found is None:
        return False
    timelines, data = found
    text = _picture(timelines, data) if path.suffix == ".svg" else json.dumps(timelines.trace(data))
    put(path, text.encode())
    return True


def _picture(timelines: Timelines, data: dict[str, Any]) -> str:
    # XML knows no control characters, however they are written.
    return visible(timelines.picture(data))


def _timeline(verdict: Verdict) -> tuple[Timelines, dict[str, Any]] | None:
    """The data of a time line, and what draws it."""
    timelines = support_of(verdict.dialect).timelines if verdict.dialect is not None else None
    if timelines is None:
        return None
    for finding in verdict.findings:
        if finding.code == "COST_ESTIMATED" and isinstance(finding.data.get("timeline"), dict):
            return timelines, dict(finding.data["timeline"])
    return None
