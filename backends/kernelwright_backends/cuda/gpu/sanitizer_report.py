"""What compute-sanitizer prints, read into reports. The standard library alone: the benchmark on a bare GPU machine uses it too.

Each report is a block of lines behind `=========`: a headline one blank in, what belongs to it further in. The text is read
and not the XML of `--xml`: it is the form that has met a device (2025.3 on an H200, `benchmarks/sanitizer.py --device`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, get_args

SanitizerTool = Literal["memcheck", "racecheck", "initcheck", "synccheck"]
TOOLS: tuple[SanitizerTool, ...] = get_args(SanitizerTool)

_PREFIX = re.compile(r"^\s?========= ?(.*)$")
_SUMMARY = re.compile(r"(ERROR|RACECHECK|LEAK) SUMMARY: (\d+)")
_ACCESS = re.compile(
    r"(?P<potential>Potential )?[Ii]nvalid __(?P<space>\w+)__ (?P<access>.+?) of size (?P<size>[\d,]+)"
)
_UNINITIALISED = re.compile(
    r"Uninitialized __(?P<space>\w+)__ memory (?P<access>\w+) of size (?P<size>[\d,]+)"
)
_RACE = re.compile(r"(?P<severity>Error|Warning|Info\w*): Race reported between (?P<rest>.+)$", re.IGNORECASE)
_HAZARD = re.compile(
    r"(?P<severity>Error|Warning|Info\w*): .*?(?P<kind>RAW|WAR|WAW) hazard detected at __(?P<space>\w+)__ (?P<address>0x[0-9a-fA-F]+)"
    r"(?: in block \((?P<block>[\d, ]+)\))?",
    re.IGNORECASE,
)
_RACE_SIDE = re.compile(
    r"(?:and )?(?P<access>\w+(?: \w+)*?) (?:access|Thread \((?P<thread>[\d, ]+)\)) at (?P<frame>.+)$"
)
_THREAD = re.compile(r"by thread \((?P<thread>[\d, ]+)\) in block \((?P<block>[\d, ]+)\)")
_ADDRESS = re.compile(r"(?:Address|Access to|Access at) (?P<address>0x[0-9a-fA-F]+)(?P<what>.*)$")
_API = re.compile(
    r'Program hit (?P<name>.+?) \(error (?P<number>\d+)\)(?: due to "?(?P<why>.*?)"?)? on CUDA API call to (?P<call>\w+)'
)
_LEAK = re.compile(
    r"Leaked (?P<size>[\d,]+) bytes? at (?P<address>0x[0-9a-fA-F]+)(?P<heap> on the device heap)?"
)
_HOST_PLACE = re.compile(
    r"(?:\b(?:in|at)\s+|Host Frame:\s*)(?P<file>\S+\.(?:cuh?|cc|cpp|cxx|c|hpp|h)):(?P<line>\d+)"
)
_HAZARDS = re.compile(r"\s*\[(?P<count>[\d,]+) hazards?\]\s*$")
_OFFSET = re.compile(r"(?:\+|:)?0x[0-9a-fA-F]+$")
# What the tool says of itself, and not of the program.
_OF_THE_TOOL = (
    "Internal Sanitizer Error", "Target application terminated before first instrumented API call", "Unable to",
    "No attachable process found", "Failed to", "Device not supported", "No CUDA", "Timed out",
)  # fmt: skip


@dataclass(frozen=True)
class Frame:
    """A place in device code; `file` is empty where the tool knows no line."""

    function: str
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class Side:
    """One access of a race."""

    access: str
    frame: Frame
    thread: str = ""


@dataclass
class Report:
    """One error as the tool reports it."""

    kind: Literal["access", "uninitialised", "race", "barrier", "free", "leak", "api", "fault"]
    headline: str
    severity: Literal["error", "warning", "information"] = "error"
    frames: list[Frame] = field(default_factory=list)
    """innermost first: inlined functions, then the kernel"""
    hosts: list[Frame] = field(default_factory=list)
    """innermost first: who called on the host, where the host's code has lines"""
    sides: list[Side] = field(default_factory=list)
    thread: str = ""
    block: str = ""
    space: str = ""
    access: str = ""
    size_bytes: int = 0
    address: str = ""
    detail: str = ""
    """what is said of the address: `is out of bounds and is 4 bytes after the nearest allocation ...`"""
    call: str = ""
    error: int = 0
    hazards: int = 0
    lines: list[str] = field(default_factory=list)


@dataclass
class Output:
    """All that one run of one tool printed."""

    reports: list[Report] = field(default_factory=list)
    summaries: list[int] = field(default_factory=list)
    """the counts that the tool ends with; none: it did not come to its end"""
    problems: list[str] = field(default_factory=list)
    """what kept the tool from its work"""

    @property
    def errors(self) -> bool:
        """Whether the tool itself counts an error."""
        return any(self.summaries)


def read_output(text: str) -> Output:
    """Read what one tool printed; lines of the program in between are passed over."""
    made = Output()
    for block in _blocks(text):
        headline = block[0]
        summary = _SUMMARY.search(headline)
        if summary is not None:
            if "were not printed" not in headline:
                made.summaries.append(int(summary[2]))
            continue
        report = _report(headline)
        if report is None:
            reported = headline.removeprefix("Error: ")
            if reported.startswith(_OF_THE_TOOL):
                made.problems.append(reported)
            continue
        for line in block[1:]:
            _add(report, line)
        report.lines = block
        made.reports.append(report)
    return made


def _blocks(text: str) -> Iterator[list[str]]:
    block: list[str] = []
    for line in text.splitlines():
        match = _PREFIX.match(line)
        if match is None:
            continue
        reported = match[1].rstrip()
        if not reported:
            if block:
                yield block
            block = []
        elif not reported.startswith(" ") and not reported.startswith(
            ("Device Frame", "Host Frame", "at ", "by thread", "Address ")
        ):
            if block:
                yield block
            block = [reported]
        elif block:
            block.append(reported.strip())
    if block:
        yield block


def _report(headline: str) -> Report | None:
    headline = headline.strip()
    if found := _UNINITIALISED.search(headline):
        return Report("uninitialised", headline, space=found["space"], access=found["access"],
                      size_bytes=_number(found["size"]))  # fmt: skip
    if found := _RACE.match(headline):
        made = Report("race", headline, severity=_severity(found["severity"]), space="shared")
        _side(made, found["rest"])
        return made
    if found := _HAZARD.match(headline):
        return Report("race", headline, severity=_severity(found["severity"]), space=found["space"], access=found["kind"],
                      address=found["address"], block=found["block"] or "")  # fmt: skip
    if found := _ACCESS.search(headline):
        return Report("access", headline, severity="warning" if found["potential"] else "error", space=found["space"],
                      access=found["access"], size_bytes=_number(found["size"]))  # fmt: skip
    if headline.startswith(("Barrier error detected", "Deadlock detected")):
        return Report("barrier", headline)
    if headline.startswith("Malloc/Free error"):
        return Report("free", headline)
    if found := _LEAK.match(headline):
        return Report("leak", headline, severity="warning", size_bytes=_number(found["size"]), address=found["address"],
                      space="heap" if found["heap"] else "global")  # fmt: skip
    if found := _API.match(headline):
        return Report(
            "api", headline, call=found["call"], error=int(found["number"]), detail=found["why"] or ""
        )
    if headline.startswith("Host API uninitialized"):
        return Report("uninitialised", headline, access="read", space="global")
    if headline.startswith("Host API memory access"):
        return Report("access", headline, space="global", access="access")
    if re.match(
        r"(Stack overflow|Illegal instruction|Invalid instruction|User stack overflow|Breakpoint|.*\btrap\b)",
        headline,
        re.I,
    ):
        return Report("fault", headline)
    return None


def _add(report: Report, line: str) -> None:
    if line.startswith(("Host Frame", "Saved host backtrace")):
        if found := _HOST_PLACE.search(line):
            report.hosts.append(Frame("", found["file"], int(found["line"])))
        return
    if found := _THREAD.search(line):
        report.thread, report.block = found["thread"].replace(" ", ""), found["block"].replace(" ", "")
    elif report.kind == "race" and (_RACE_SIDE.match(line)):
        _side(report, line)
    elif line.startswith("at "):
        report.frames.append(read_frame(line[3:]))
    elif line.startswith("Device Frame:"):
        report.frames.append(read_frame(line.removeprefix("Device Frame:").strip()))
    elif found := _ADDRESS.match(line):
        report.address, report.detail = found["address"], found["what"].strip()
    elif line.startswith("and is "):
        report.detail = f"{report.detail} {line}".strip()


def _side(report: Report, text: str) -> None:
    if counted := _HAZARDS.search(text):
        report.hazards += _number(counted["count"])
        text = text[: counted.start()]
    found = _RACE_SIDE.match(text.strip())
    if found is not None:
        side = Side(
            found["access"].lower(), read_frame(found["frame"]), (found["thread"] or "").replace(" ", "")
        )
        report.sides.append(side)
        report.frames.append(side.frame)


def read_frame(text: str) -> Frame:
    """`kernel(int *)+0x90 in file.cu:41`, and the forms of older versions: `0x90 in file.cu:41:kernel(int *)`."""
    text = text.strip().rstrip(".")
    text = re.sub(r"^\[[^\]]*\]\s*", "", text)  # `[clone kernel(int *)] function`
    head, found, tail = text.rpartition(" in ")
    if not found:
        return Frame(_OFFSET.sub("", text))
    place = re.match(r"(?P<file>.*?):(?P<line>\d+)(?::(?P<function>.+))?$", tail)
    function = _OFFSET.sub("", head.strip())
    if place is None:
        # `0x1b8 in kernel(float *)`: a function without a line.
        return Frame(function or _OFFSET.sub("", tail))
    return Frame(function or place["function"] or "", place["file"], int(place["line"]))


def _severity(word: str) -> Literal["error", "warning", "information"]:
    first = word[0].lower()
    return "error" if first == "e" else "warning" if first == "w" else "information"


def _number(text: str) -> int:
    return int(text.replace(",", ""))
