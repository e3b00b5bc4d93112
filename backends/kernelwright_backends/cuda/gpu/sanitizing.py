"""compute-sanitizer beside our own checks: its command lines, and its reports as findings in our codes at the user's lines."""

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any

from kernelwright_backends.core.finding import Finding, Range, Related, Severity, finding
from kernelwright_backends.cuda.gpu.sanitizer_report import TOOLS, Frame, Output, Report, Side
from kernelwright_backends.cuda.nvcc.nvcc_diagnostics import Texts, plain_name

PRINT_LIMIT = 100

# cudaError_t of a launch that the device refuses.
_CONFIGURATION = (1, 9, 98, 200, 209, 701, 720)
# Errors of the device: consequences of what a tool reports before them, else all that is known.
_DEVICE = {700: "MEM_OUT_OF_BOUNDS", 702: "LAUNCH_TIME", 710: "LAUNCH_TRAP", 713: "LAUNCH_TRAP", 714: "MEM_STACK_OVERFLOW",
           715: "LAUNCH_TRAP", 716: "MEM_MISALIGNED", 717: "MEM_OUT_OF_BOUNDS", 718: "MEM_STACK_OVERFLOW", 719: "LAUNCH_CRASH"}  # fmt: skip


def chosen_tools(text: str) -> tuple[str, ...]:
    """`memcheck,racecheck`, or `all`.

    Raises:
        ValueError: a tool of that name does not exist.
    """
    if text == "all":
        return TOOLS
    named = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    unknown = [name for name in named if name not in TOOLS]
    if unknown or not named:
        raise ValueError(
            f"'{', '.join(unknown) or text}' is not a tool of compute-sanitizer; name {', '.join(TOOLS)} or all"
        )
    return tuple(tool for tool in TOOLS if tool in named)


def command(program: Path, tool: str, log: PurePath, argv: Sequence[str]) -> list[str]:
    """`argv` under one tool, whose report goes to the file `log`."""
    words = [str(program), "--tool", tool, "--print-limit", str(PRINT_LIMIT), "--strip-paths", "no"]
    words += ["--leak-check", "full"] if tool == "memcheck" else []
    return [*words, "--target-processes", "application-only", "--log-file", str(log), *argv]


def findings_of(tool: str, output: Output, texts: Texts) -> list[Finding]:
    """What one run of a tool says of the candidate; each fault at one line once, with how often it was met."""
    precise = any(report.kind not in ("api", "leak") for report in output.reports)
    made: dict[tuple[str, str, int, str], Finding] = {}
    for report in output.reports:
        if report.frames and all(_ours(frame) for frame in report.frames):
            continue
        found = _finding(tool, report, texts, precise)
        if found is None:
            continue
        key = (found.code, found.path, found.line, str(found.data.get("kernel", "")))
        met = made.get(key)
        made[key] = found if met is None else _again(met)
    return list(made.values())


def _again(met: Finding) -> Finding:
    return met.model_copy(update={"data": {**met.data, "count": int(met.data["count"]) + 1}})


def _finding(tool: str, report: Report, texts: Texts, precise: bool) -> Finding | None:
    code = _code(report, precise)
    if code is None or (report.kind in ("api", "leak") and not _of_candidate(report)):
        return None
    main, at, path = _place([*report.frames, *report.hosts], texts)
    kernel = _plain(report.frames[-1]) if report.frames else ""
    data: dict[str, Any] = {"tool": f"compute-sanitizer {tool}", "count": max(1, report.hazards)}
    data |= {name: value for name, value in (("kernel", kernel), ("thread", report.thread), ("block", report.block),
             ("address", report.address), ("space", report.space), ("size_bytes", report.size_bytes)) if value}  # fmt: skip
    # A call that failed weighs what the catalogue says; an access, what the tool says.
    severity = None if report.kind == "api" else Severity(report.severity)
    related = _related(report, main, texts)
    return finding(
        code, _message(tool, report, kernel, texts), path, at, severity=severity, related=related, data=data
    )


def _code(report: Report, precise: bool) -> str | None:
    headline, detail = report.headline, report.detail
    match report.kind:
        case "uninitialised":
            return "INIT_UNINITIALISED_READ"
        case "race":
            if "memcpy_async" in headline:
                return "SYNC_ASYNC_COPY"
            return "RACE_GLOBAL" if report.space == "global" else "RACE_SHARED"
        case "barrier":
            if headline.startswith("Deadlock"):
                return "SYNC_DEADLOCK"
            if "Invalid arguments" in headline:
                return "SYNC_INVALID_MASK"
            return "SYNC_ASYNC_COPY" if "Missing" in headline else "SYNC_DIVERGENT_BARRIER"
        case "free":
            return "MEM_INVALID_FREE"
        case "leak":
            return "LEAK_DEVICE"
        case "fault":
            return "MEM_STACK_OVERFLOW" if "overflow" in headline.lower() else "LAUNCH_TRAP"
        case "api":
            if report.error in _DEVICE:
                return None if precise else _DEVICE[report.error]
            if "Launch" in report.call and report.error in _CONFIGURATION:
                return "LAUNCH_CONFIGURATION"
            return "MEM_INVALID_FREE" if "Free" in report.call else "LAUNCH_UNCHECKED"
    if "misaligned" in detail:
        return "MEM_MISALIGNED"
    return "MEM_USE_AFTER_FREE" if "freed" in detail else "MEM_OUT_OF_BOUNDS"


def _of_candidate(report: Report) -> bool:
    """Whether a call of the runtime is the candidate's own: its frames on the host are in its object, where there are any."""
    hosts = [line for line in report.lines if line.startswith("Host Frame")]
    return not hosts or any("candidate.so" in line for line in report.lines)


def _place(frames: Sequence[Frame], texts: Texts) -> tuple[Frame | None, Range, str]:
    """The innermost frame in a file of the user's; else the kernel by its name, else the entry."""
    for frame in frames:
        known = texts.of(frame.file) if frame.file else None
        if known is not None and frame.line:
            return frame, _line(known[1], frame.line), str(known[0])
    for frame in reversed(frames):
        name = _plain(frame).split("<", 1)[0]
        for spelled in (name, name.rsplit("::", 1)[-1]):
            function = texts.index.find(spelled) if spelled else None
            if function is not None:
                return None, function.name_range, str(texts.main)
    first = texts.entry or next(iter(texts.index.kernels), None)
    at = first.name_range if first is not None else Range(line=1, column=1, end_line=1, end_column=1)
    return None, at, str(texts.main)


def _line(content: bytes, number: int) -> Range:
    lines = content.decode("utf-8", "replace").split("\n")
    text = lines[number - 1].rstrip("\r") if number <= len(lines) else ""
    column = len(text) - len(text.lstrip()) + 1
    return Range(line=number, column=column, end_line=number, end_column=max(column, len(text.rstrip()) + 1))


def _related(report: Report, main: Frame | None, texts: Texts) -> tuple[Related, ...]:
    related_frames: list[tuple[str, Frame]] = [
        (f"the other access: {side.access}", side.frame) for side in report.sides
    ]
    related_frames += [("called here", frame) for frame in report.frames if not report.sides]
    made: dict[tuple[str, int], Related] = {}
    for message, frame in related_frames:
        known = texts.of(frame.file) if frame.file else None
        if (
            known is None
            or not frame.line
            or (main is not None and (frame.file, frame.line) == (main.file, main.line))
        ):
            continue
        path, at = str(known[0]), _line(known[1], frame.line)
        made.setdefault(
            (path, frame.line), Related(message=message, path=path, line=at.line, column=at.column)
        )
    return tuple(made.values())


def _message(tool: str, report: Report, kernel: str, texts: Texts) -> str:
    name = kernel or "the candidate"
    by = f", thread ({report.thread}) of block ({report.block})" if report.thread else ""
    size = f" of {report.size_bytes} byte{'s' * (report.size_bytes != 1)}" if report.size_bytes else ""
    match report.kind:
        case "uninitialised":
            text = f"{name} reads{size} of {report.space or 'global'} memory that was never written{by}"
        case "race":
            text = f"{name}: {_sides(report.sides)} {report.space} memory without synchronisation"
            text += f" ({report.hazards} hazards)" if report.hazards else ""
        case "barrier":
            text = f"{name}: {report.headline.removeprefix('Barrier error detected.').strip().rstrip('.').lower()}{by}"
        case "access":
            text = f"{name}: {report.access}{size} of {report.space} memory {_detail(report)}{by}"
        case "leak":
            text = f"{report.size_bytes} bytes of device memory are never freed"
        case "api":
            text = f"{report.call} failed: {report.detail or report.headline} (error {report.error})"
        case _:
            text = f"{name}: {report.headline.rstrip('.').lower()}{by}"
    return f"{text}; compute-sanitizer {tool}"


def _sides(sides: Sequence[Side]) -> str:
    named = sorted({side.access for side in sides}, key=lambda access: access != "write")
    if len(named) == 1:
        return f"two {named[0]} accesses of different threads use"
    return (
        f"a {' and a '.join(named)} access of different threads use"
        if named
        else "accesses of different threads use"
    )


def _detail(report: Report) -> str:
    return f"at {report.address} {report.detail}".strip() if report.address else report.detail


def _ours(frame: Frame) -> bool:
    """Whether it is a kernel of the driver program, which fills and copies."""
    return frame.function.removeprefix("void ").startswith("kw::")


def _plain(frame: Frame) -> str:
    return plain_name(frame.function)
