"""What CANN's compiler, its build scripts and the device say, as findings."""

import re
from pathlib import Path

from kernelwright_backends.core.finding import Finding, Range, finding

_MOST = 30
_COMPILER = re.compile(
    r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+):(?P<column>\d+): (?P<kind>(?:fatal )?error|warning): (?P<text>.*)$"
)
_LINKER = re.compile(r"(?:ld\.lld|lld|ld|bisheng|ccec)(?:\.\w+)?: error: (?P<text>.*)$")
_UNDEFINED = re.compile(r"undefined (?:symbol|reference to)[: ]+[`']?(?P<symbol>[\w:~]+)")
_TOOL = re.compile(r"^\[(?:ERROR|error)\]\s*(?P<text>.+)$")
_CMAKE = re.compile(r"^CMake Error(?: at (?P<path>[^:\s]+):(?P<line>\d+))?[^\n]*:?$")
_CLANG_OPTION = re.compile(r"\s*\[-W[\w-]+(?:,-W[\w-]+)*\]$")

# What the device tells of an exception, and what it means. `errorStr` is a sentence for each bit of the error code.
_EXTENDED = re.compile(
    r"errorStr:\s*(?P<text>.*?)(?:\.\s*fixp_error0|\s*fixp_error0|\s*subErrType|\[FUNC|\n|$)", re.DOTALL
)
_CORE = re.compile(
    r"exception of (?P<kind>aivec|aicore|fftsplus \w+) error, core id is (?P<core>\d+)|there is an? (?P<other>[\w ]*?) ?error exception, core id is (?P<number>\d+)"
)
_MEANINGS = (
    (re.compile(r"DDR address of the MTE instruction is out of range"), "MEM_OUT_OF_BOUNDS", "a copy reads or writes beyond global memory"),
    (re.compile(r"ub address out of bounds", re.IGNORECASE), "MEM_OUT_OF_BOUNDS", "a vector instruction goes beyond the unified buffer"),
    (re.compile(r"(?:ub )?address (?:is )?(?:misalign|not align|unalign)", re.IGNORECASE), "MEM_MISALIGNED", "an address is not a multiple of 32 bytes"),
    (re.compile(r"address check error|out of bounds|out of range", re.IGNORECASE), "MEM_OUT_OF_BOUNDS", "an access beyond memory"),
)  # fmt: skip
_TIMEOUT = re.compile(
    r"aicore timeout|vector core timeout|\b507014\b|task timeout|stream synchronize timeout", re.IGNORECASE
)
_EXCEPTION = re.compile(r"\b5070(?:15|34|35)\b|(?:aicore|vector core) exception|EZ9999")


def compiler_findings(output: str, source: Path, text: str) -> list[Finding]:
    """Findings of one run of bisheng (clang's words) or of a project's build (cmake, msopgen).

    Args:
        source: the file that was compiled; errors of other files are reported at its start.
    """
    found: list[Finding] = []
    lines = text.split("\n")
    for line in output.splitlines():
        made = _compiler_line(line.rstrip(), source, lines)
        if made is not None and made not in found and len(found) < _MOST:
            found.append(made)
    return found


def _compiler_line(line: str, source: Path, lines: list[str]) -> Finding | None:
    if match := _COMPILER.match(line):
        code = "COMPILE_WARNING" if match["kind"] == "warning" else "COMPILE_ERROR"
        message = _CLANG_OPTION.sub("", match["text"])
        if Path(match["path"]).name != source.name:
            return finding(code, f"{Path(match['path']).name}, line {match['line']}: {message}", str(source))
        return finding(code, message, str(source), _place(lines, int(match["line"]), int(match["column"])))
    if match := _LINKER.search(line) or _UNDEFINED.search(line):
        return finding("COMPILE_LINK", match.groupdict().get("text") or line.strip(), str(source))
    if match := _TOOL.match(line):
        return finding("COMPILE_ERROR", match["text"], str(source))
    if match := _CMAKE.match(line):
        where = f" in {Path(match['path']).name}, line {match['line']}" if match["path"] else ""
        return finding("COMPILE_ERROR", f"the project's build stopped{where}", str(source))
    return None


def _place(lines: list[str], line: int, byte_column: int) -> Range:
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    column = len(text.encode()[: byte_column - 1].decode("utf-8", "replace")) + 1
    word = re.match(r"\w+|.", text[column - 1 :])
    end = column + (len(word[0]) if word else 0)
    return Range(line=max(line, 1), column=column, end_line=max(line, 1), end_column=end)


def device_findings(output: str, source: Path, kernel_line: int = 1) -> list[Finding]:
    """Findings of what a program printed whose kernel the device stopped. The device names no line: they stand at the kernel's.

    Args:
        output: standard error, or the log of the device.
    """
    at = Range(line=kernel_line, column=1, end_line=kernel_line, end_column=1)
    where = _core(output)
    found: list[Finding] = []
    for match in _EXTENDED.finditer(output):
        said = " ".join(match["text"].split()).rstrip(".")
        meaning = next(((code, words) for pattern, code, words in _MEANINGS if pattern.search(said)), None)
        code, words = meaning or ("LAUNCH_ERROR", said)
        made = finding(code, f"{words}{where}; the device reports \u201c{said}\u201d", str(source), at)
        if said and made not in found:
            found.append(made)
    if found:
        return found[:_MOST]
    if _TIMEOUT.search(output):
        return [
            finding(
                "LAUNCH_TIME",
                f"the kernel did not end{where}; look for a flag or a queue that it waits for and that is never set",
                str(source),
                at,
            )
        ]
    if _EXCEPTION.search(output):
        return [
            finding(
                "LAUNCH_ERROR",
                f"the device stopped the kernel{where} without a reason; verify it on ascendc:910b@cpu",
                str(source),
                at,
            )
        ]
    return []


def _core(output: str) -> str:
    match = _CORE.search(output)
    if match is None:
        return ""
    kind, number = match["kind"] or match["other"], match["core"] or match["number"]
    return f" on {'vector' if 'vec' in (kind or '') else 'AI'} core {number}"
