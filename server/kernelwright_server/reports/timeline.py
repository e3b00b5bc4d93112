"""The estimated time line of a verdict: a picture, or a trace that Chrome and Perfetto open."""

import json
from pathlib import Path
from typing import Any

from kernelwright_backends.ascendc.cost.export import chrome_trace, launch_of, timeline_of, timeline_svg
from kernelwright_verifier.verdict import Verdict


def timeline_picture(verdict: Verdict) -> str | None:
    """SVG of what the launch is estimated at and of the units of its slowest core; None where the verdict has no time line."""
    found = _data(verdict)
    return timeline_svg(timeline_of(found), launch=launch_of(found)) if found is not None else None


def write_timeline(verdict: Verdict, path: Path) -> bool:
    """Write `path`, by its ending a picture or a trace; whether the verdict has a time line."""
    found = _data(verdict)
    if found is None:
        return False
    line, launch = timeline_of(found), launch_of(found)
    if path.suffix == ".svg":
        text = timeline_svg(line, launch=launch)
    else:
        text = json.dumps(chrome_trace(line, found["kernel"], launch))
    path.write_text(text, encoding="utf-8")
    return True


def _data(verdict: Verdict) -> dict[str, Any] | None:
    for finding in verdict.findings:
        if finding.code == "COST_ESTIMATED" and isinstance(finding.data.get("timeline"), dict):
            return dict(finding.data["timeline"])
    return None
