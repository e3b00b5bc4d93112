"""What g++ says, as findings at the user's own lines and columns."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelwright_backends.core.finding import Finding, Range, Related, Severity, finding
from kernelwright_backends.core.kernel import Function
from kernelwright_backends.cuda.cpu.analysis.unsupported import (
    explain,
    explain_maskless,
    feature_of_message,
    maskless_of_message,
    missing_names,
)
from kernelwright_backends.cuda.cpu.frontend.sources import Sources
from kernelwright_backends.cuda.cpu.frontend.torch_headers import missing_header
from kernelwright_backends.cuda.cpu.prebuilt import WARNINGS
from kernelwright_backends.cuda.cpu.rewriting.cuda_cpu_entry_stub import FIRST_ARGUMENT_LINE, STUB_PATH
from kernelwright_backends.cuda.cpu.rewriting.edits import Rewritten
from kernelwright_backends.cuda.cpu.rewriting.inline_ptx import UNSUPPORTED_MARK
from kernelwright_backends.host.missing_macros import remedy

_MOST = 30
UNPLACED = "unplaced"
"""The key in the data of an error that the compiler puts to no place of the user's."""
# Consequences of an earlier error, or of our own wrapping; they say nothing new.
_NOISE = ("[-fpermissive]", "this may have been caused", "compilation terminated")


class Places:
    """From what the compiler calls a place to what the user does."""

    def __init__(self, main: Path, files: Mapping[Path, Rewritten], entry: Function | None = None) -> None:
        self.main, self.files, self.entry = main, files, entry

    def of(self, path: str, line: int, byte_column: int) -> tuple[Path, int, int] | None:
        """Path, line and column (code points) of the user's text; None for text that is not the user's."""
        rewritten = self.files.get(Path(path))
        if rewritten is None:
            return None
        at = rewritten.original_offset(line, byte_column)
        return rewritten.path, *rewritten.lines.place(at)

    def range(
        self, path: str, line: int, byte_column: int, finish: tuple[int, int] | None = None
    ) -> tuple[Path, Range] | None:
        """Like `of`, with the end: where the compiler said, else that of the word that stands there."""
        rewritten = self.files.get(Path(path))
        if rewritten is None:
            return None
        start = rewritten.original_offset(line, byte_column)
        end = rewritten.original_offset(*finish) + 1 if finish else start
        if end <= start + 1:
            end = _word_end(rewritten.original, start)
        return rewritten.path, rewritten.lines.range(start, end)


def _word_end(text: bytes, start: int) -> int:
    match = re.compile(rb"\w+").match(text, start)
    return match.end() if match else min(start + 1, len(text))


def compiler_findings(stderr: str, places: Places) -> list[Finding]:
    """Findings of one run of g++ with -fdiagnostics-format=json; the linker's words are not JSON and stay out."""
    found: list[Finding] = []
    seen: set[tuple[str, int, str]] = set()
    for line in stderr.splitlines():
        if not line.startswith("["):
            continue
        try:
            diagnostics = json.loads(line)
        except ValueError:
            continue
        # What ends the compilation behind a warning is put below that warning.
        below = [
            child for one in diagnostics for child in one.get("children", ()) if "error" in child["kind"]
        ]
        for diagnostic in (*diagnostics, *below):
            made = _finding(diagnostic, places)
            if made is None:
                continue
            key = (made.path, made.line, made.message)
            if key not in seen and len(found) < _MOST:
                seen.add(key)
                found.append(made)
    return _without_consequences(found)


_INCLUDED = re.compile(rb"include[ \t]*[<\"]([^>\"\r\n]+)[>\"]")


def refused_includes(found: list[Finding], sources: Sources) -> list[Finding]:
    """The errors with the reason of those that a header brought which is there and was not read."""
    if not sources.refused:
        return found
    told = []
    for item in found:
        file = sources.files.get(Path(item.path))
        line = file.original.split(b"\n")[item.line - 1 : item.line] if file is not None else []
        spelled = _INCLUDED.search(line[0]) if line and item.code == "COMPILE_ERROR" else None
        name = spelled[1].decode("utf-8", "replace").strip() if spelled is not None else ""
        if name in sources.refused:
            message = f"header not read: {name} is {sources.refused[name]}; {_REMEDY}"
            item = item.model_copy(update={"message": message, "data": {**item.data, "include": name}})
        told.append(item)
    return told


_REMEDY = "keep it in the project, or run 'kernelwright trust' on the folder that holds both"
_LED_BY = re.compile(
    r"^(?P<path>[^:\n]+):(?P<line>\d+):(?P<column>\d+):\s+(?:recursively )?required (?:from|by) ",
    re.MULTILINE,
)
_INSTANTIATION = re.compile(r": (?:In (?:instantiation|substitution) of|In (?:member )?function) ")


def placed(found: list[Finding], stderr: str, places: Places) -> list[Finding]:
    """Errors inside of templates of ours, put to the user's line that asked for the template. Only plain text names it.

    Args:
        stderr: of a run of g++ over the same text that says its errors in plain text.
    """
    leads: dict[str, tuple[Path, Range]] = {}
    lead: tuple[Path, Range] | None = None
    for line in stderr.splitlines():
        led, error = _LED_BY.match(line), _PLAIN.match(line)
        if _INSTANTIATION.search(line):
            lead = None
        elif led is not None:
            lead = lead or places.range(led["path"], int(led["line"]), int(led["column"]))
        elif error is not None and lead is not None:
            leads.setdefault(_plain(error["message"]), lead)
    made = []
    for item in found:
        where = leads.get(item.message) if UNPLACED in item.data else None
        if where is not None:
            data = {key: value for key, value in item.data.items() if key != UNPLACED}
            item = finding(item.code, item.message, str(where[0]), where[1], related=item.related, data=data)
        made.append(item)
    return made


_PLAIN = re.compile(
    r"^(?P<path>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<kind>error|fatal error): (?P<message>.*)$",
    re.MULTILINE,
)


def plain_findings(stderr: str, places: Places) -> list[Finding]:
    """The errors of a run of g++ that says them in plain text."""
    found = []
    for match in _PLAIN.finditer(stderr):
        caret = {"file": match["path"], "line": int(match["line"]), "byte-column": int(match["column"])}
        made = _finding(
            {"kind": match["kind"], "message": match["message"], "locations": [{"caret": caret}]}, places
        )
        if made is not None:
            found.append(made)
    return _without_consequences(found)


def _without_consequences(found: list[Finding]) -> list[Finding]:
    """Where something is not executed here, each such thing once and nothing that only follows from it."""
    if not any(f.code == "UNSUPPORTED_CUDA" for f in found):
        return found
    kept: list[Finding] = []
    told: set[str] = set()
    for item in found:
        if item.code == "UNSUPPORTED_CUDA":
            feature = str(item.data["feature"])
            if feature in told and not feature.startswith("inline PTX"):
                continue
            told.add(feature)
        elif item.code == "COMPILE_ERROR":
            continue
        kept.append(item)
    return kept


def _finding(diagnostic: dict[str, Any], places: Places) -> Finding | None:
    kind, message = diagnostic.get("kind"), str(diagnostic.get("message", ""))
    if any(word in message for word in _NOISE):
        return None
    if kind == "warning":
        return _warning(diagnostic, message, places)
    if kind not in ("error", "fatal error"):
        return None
    children = diagnostic.get("children", [])
    related = tuple(r for r in (_related(child, places) for child in children) if r is not None)
    located = _located(diagnostic, places)
    if located is None:
        # An error inside of a header of ours: the user's line is the one that led there.
        for child in children:
            located = _located(child, places)
            if located is not None:
                break
    where = located or (places.main, Range(line=1, column=1, end_line=1, end_column=1))
    message = _plain(message)
    code = "COMPILE_ERROR"
    data = {"compiler": "g++"} | ({} if located is not None else {UNPLACED: "yes"})
    operator = _OPERATOR.search(message)
    unsupported = _UNSUPPORTED.search(message)
    feature = unsupported[1] if unsupported else feature_of_message(message)
    maskless = maskless_of_message(message)
    if maskless:
        message, data["maskless"] = explain_maskless(maskless), maskless
    elif feature:
        code, message, data["feature"] = "UNSUPPORTED_CUDA", explain(feature), feature
    elif operator:
        code, message = "HACK_OPERATOR", operator[1]
    elif header := missing_header(missing_names(message), (file.original for file in places.files.values())):
        message = f"{message}; <{header}> declares it and is not part of <torch/extension.h>, so include it"
        data["header"] = header
    elif any(pattern.search(message) for pattern in _NO_SUCH_TORCH):
        code = "UNSUPPORTED_TORCH"
    elif left := remedy(message, (file.original for file in places.files.values())):
        message = f"{message}; {left}"
    return finding(code, message, str(where[0]), where[1], related=related, data=data)


_FORMAT_TYPES = re.compile(r"expects argument of type '([^']+)', but argument \d+ has type '([^']+)'")


def _reads_another_kind(message: str) -> bool:
    """Is a number printed as one of another kind? Integers of another width are left to the host's compiler."""
    types = _FORMAT_TYPES.search(message)

    def kind(spelled: str) -> str:
        if "*" in spelled:
            return "pointer"
        return "real" if re.search(r"\b(float|double)\b", spelled) else "integer"

    return types is not None and kind(types[1]) != kind(types[2])


def _warning(diagnostic: dict[str, Any], message: str, places: Places) -> Finding | None:
    option = diagnostic.get("option", "")
    located = _located(diagnostic, places)
    operator = _OPERATOR.search(message)
    if operator is not None and located is not None:
        # Nothing is run here that could take it for a kernel's work.
        return finding("HACK_OPERATOR", operator[1], str(located[0]), located[1], severity=Severity.WARNING,
                       data={"compiler": "g++"})  # fmt: skip
    if option.rstrip("=") not in WARNINGS or located is None or _STYLE.search(message):
        return None
    if option == "-Wformat=" and not _reads_another_kind(_plain(message)):
        return None
    data = {"compiler": "g++", "option": option}
    return finding("COMPILE_WARNING", f"{_plain(message)} [{option}]", str(located[0]), located[1], data=data)


_STYLE = re.compile(r"suggest parentheses around .* within|suggest parentheses around arithmetic")
# How shim/kernelwright/operator.h marks the text of an operator.
_OPERATOR = re.compile(r"is (?:unavailable|deprecated): kernelwright-operator: (.*)$")
_UNSUPPORTED = re.compile(rf"declared with attribute error: {UNSUPPORTED_MARK}(.*)$")
_NO_SUCH_TORCH = (
    re.compile(
        r"(class|struct|enum)? ?'?(const )?(at|c10|torch|caffe2|pybind11)::[^']*'? has no member named"
    ),
    re.compile(r"is not a member of '(at|c10|torch|pybind11)(::[^']*)?'"),
    re.compile(r"\b(torch|ATen|c10|pybind11|THC)/\S+: No such file or directory"),
    re.compile(r"not an element type of PyTorch"),
)


def _located(diagnostic: dict[str, Any], places: Places) -> tuple[Path, Range] | None:
    for location in diagnostic.get("locations", []):
        caret = location.get("caret", {})
        file, line = caret.get("file", ""), caret.get("line", 0)
        if file == STUB_PATH:
            return _of_parameter(line, places)
        column = caret.get("byte-column", caret.get("column", 1))
        start, finish = location.get("start"), location.get("finish")
        if start and start.get("line") == line and start.get("file") == file:
            column = start.get("byte-column", start.get("column", column))
        end = None
        if finish and finish.get("file") == file:
            end = (finish.get("line", line), finish.get("byte-column", finish.get("column", column)))
        made = places.range(file, line, column, end)
        if made is not None:
            return made
    return None


def _of_parameter(line: int, places: Places) -> tuple[Path, Range] | None:
    if places.entry is None:
        return None
    index = line - FIRST_ARGUMENT_LINE
    if 0 <= index < len(places.entry.parameters):
        return places.main, places.entry.parameters[index].range
    return places.main, places.entry.name_range


def _related(child: dict[str, Any], places: Places) -> Related | None:
    located = _located(child, places)
    if located is None:
        return None
    path, at = located
    return Related(
        message=_plain(str(child.get("message", ""))), path=str(path), line=at.line, column=at.column
    )


def _plain(message: str) -> str:
    """Without our own names for what the user wrote."""
    message = re.sub(r"kw_base_\d+|kw_type_\d+_\d+", "this array", message)
    return message.replace("\u2018", "'").replace("\u2019", "'").replace("kernelwright_user_main", "main")


_UNDEFINED = re.compile(r"undefined reference to [`'](?P<symbol>[^']+)'")
_LINKER_PLACE = re.compile(r"^(?P<path>/?[^:\n]+):(?P<line>\d+)(?::\d+)?: ")


def linker_findings(stderr: str, places: Places) -> list[Finding]:
    """One finding for each undefined symbol, at its first use."""
    found: dict[str, Finding] = {}
    for line in stderr.splitlines():
        match = _UNDEFINED.search(line)
        if match is None or match["symbol"] in found:
            continue
        where = _LINKER_PLACE.match(line)
        located = places.range(where["path"], int(where["line"]), 1) if where else None
        path, at = located or (places.main, Range(line=1, column=1, end_line=1, end_column=1))
        found[match["symbol"]] = finding(
            "COMPILE_LINK", f"'{match['symbol']}' is declared and used, but not defined; define it in this file or in a header that it includes", str(path), at,
            data={"symbol": match["symbol"]},
        )  # fmt: skip
    return list(found.values())
