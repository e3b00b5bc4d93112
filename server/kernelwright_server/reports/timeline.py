"""The estimated time line of a verdict: a picture, or a trace that Chrome and Perfetto open."""

import json
from pathlib import Path
from typing import Any

from kernelwright_backends.ascendc.cost.export import chrome_trace, launch_of, timeline_of, timeline_svg
from kernelwright_backends.display.visible import visible
from kernelwright_verifier.results.verdict import Verdict


def timeline_picture(verdict: Verdict) -> str | None:
    """SVG of what the launch is estimated at and of the units of its slowest core; None where the verdict has no time line."""
    found = _data(verdict)
    return _picture(found) if found is not None else None


def write_timeline(verdict: Verdict, path: Path) -> bool:
    """Write `path`, by its ending a picture or a trace; whether the verdict has a time line."""
    found = _data(verdict)
    if found is None:
        return False
    if path.suffix == ".svg":
        text = _picture(found)
    else:
        text = json.dumps(chrome_trace(timeline_of(found), found["kernel"], launch_of(found)))
    path.write_text(text, encoding="utf-8")
    return True


def _picture(found: dict[str, Any]) -> str:
    # XML knows no control characters, however they are written.
    return visible(timeline_svg(timeline_of(found), launch=launch_of(found)))


def _data(verdict: Verdict) -> dict[str, Any] | None:
    for finding in verdict.findings:
        if finding.code == "COST_ESTIMATED" and isinstance(finding.data.get("timeline"), dict):
            return dict(finding.data["timeline"])
    return None
