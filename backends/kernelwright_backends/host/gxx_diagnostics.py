"""What g++ says, as findings at the user's own lines and columns. A dialect adds what it knows of a message."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kernelwright_backends.core.finding import Finding, Range, Related, Severity, finding
from kernelwright_backends.host.entry_stub import FIRST_ARGUMENT_LINE, STUB_PATH
from kernelwright_backends.host.gxx import WARNINGS
from kernelwright_backends.host.missing_macros import remedy
from kernelwright_backends.host.places import Places
from kernelwright_backends.host.sources import Sources

_MOST = 30
UNPLACED = "unplaced"
"""The key in the data of an error that the compiler puts to no place of the user's."""
# Consequences of an earlier error, or of our own wrapping; they say nothing new.
_NOISE = ("[-fpermissive]", "this may have been caused", "compilation terminated")


@dataclass(frozen=True)
class Meaning:
    """What a dialect knows of a message."""

    code: str
    message: str
    data: Mapping[str, str] = field(default_factory=dict)


Reader = Callable[[str, Places], Meaning | None]
"""From a message of the compiler to what it means in the dialect; None where the dialect knows no more than g++ says."""


def _as_it_is(message: str, places: Places) -> Meaning | None:
    return None


def compiler_findings(
    stderr: str, places: Places, error: Reader = _as_it_is, warning: Reader = _as_it_is
) -> list[Finding]:
    """Findings of one run of g++ with -fdiagnostics-format=json; the linker's words are not JSON and stay out.

    Args:
        error, warning: what the dialect knows of the messages of each kind.
    """
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
            made = _finding(diagnostic, places, error, warning)
            if made is None:
                continue
            key = (made.path, made.line, made.message)
            if key not in seen and len(found) < _MOST:
                seen.add(key)
                found.append(made)
    return found


_INCLUDED = re.compile(rb"include[ \t]*[<\"]([^>\"\r\n]+)[>\"]")


_NO_NEWS = re.compile(
    r"README\.Bugs|Please submit|preprocessed source|compilation terminated|^\s*$|: In |: note: |^In file included"
)


def first_line(said: str) -> str:
    """What the compiler says first of what went wrong, without what it says of itself."""
    lines = [
        line.strip() for line in said.splitlines() if not _NO_NEWS.search(line) and not line.startswith("[")
    ]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["no message"])[0]


def refused_includes(found: list[Finding], sources: Sources) -> list[Finding]:
    """The errors with the reason of those that a header brought which is there and was not read."""
    if not sources.refused:
        return found
    reported = []
    for item in found:
        file = sources.files.get(Path(item.path))
        line = file.original.split(b"\n")[item.line - 1 : item.line] if file is not None else []
        spelled = _INCLUDED.search(line[0]) if line and item.code == "COMPILE_ERROR" else None
        name = spelled[1].decode("utf-8", "replace").strip() if spelled is not None else ""
        if name in sources.refused:
            message = f"header not read: {name} is {sources.refused[name]}; {_REMEDY}"
            item = item.model_copy(update={"message": message, "data": {**item.data, "include": name}})
        reported.append(item)
    return reported


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
        where = leads.get(item.data.get(UNPLACED, ""))
        if where is not None:
            data = {key: value for key, value in item.data.items() if key != UNPLACED}
            item = finding(item.code, item.message, str(where[0]), where[1], related=item.related, data=data)
        made.append(item)
    return made


_PLAIN = re.compile(
    r"^(?P<path>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<kind>error|fatal error): (?P<message>.*)$",
    re.MULTILINE,
)


def plain_findings(stderr: str, places: Places, error: Reader = _as_it_is) -> list[Finding]:
    """The errors of a run of g++ that says them in plain text."""
    found = []
    for match in _PLAIN.finditer(stderr):
        caret = {"file": match["path"], "line": int(match["line"]), "byte-column": int(match["column"])}
        said = {"kind": match["kind"], "message": match["message"], "locations": [{"caret": caret}]}
        made = _finding(said, places, error, _as_it_is)
        if made is not None:
            found.append(made)
    return found


def _finding(diagnostic: dict[str, Any], places: Places, error: Reader, warning: Reader) -> Finding | None:
    kind, message = diagnostic.get("kind"), str(diagnostic.get("message", ""))
    if any(word in message for word in _NOISE):
        return None
    if kind == "warning":
        return _warning(diagnostic, message, places, warning)
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
    data = {"compiler": "g++"} | ({} if located is not None else {UNPLACED: message})
    meaning = error(message, places)
    if meaning is not None:
        code, message = meaning.code, meaning.message
        data |= meaning.data
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


def _warning(diagnostic: dict[str, Any], message: str, places: Places, warning: Reader) -> Finding | None:
    option = diagnostic.get("option", "")
    located = _located(diagnostic, places)
    meaning = warning(message, places) if located is not None else None
    if meaning is not None and located is not None:
        return finding(meaning.code, meaning.message, str(located[0]), located[1], severity=Severity.WARNING,
                       data={"compiler": "g++", **meaning.data})  # fmt: skip
    if option.rstrip("=") not in WARNINGS or located is None or _STYLE.search(message):
        return None
    if option == "-Wtype-limits":
        return _endless(message, located, places)
    if option == "-Wformat=" and not _reads_another_kind(_plain(message)):
        return None
    data = {"compiler": "g++", "option": option}
    return finding("COMPILE_WARNING", f"{_plain(message)} [{option}]", str(located[0]), located[1], data=data)


_LOOP = re.compile(rb"^\s*(?:for\s*\(|while\s*\(|\}\s*while\s*\()")


def _endless(message: str, located: tuple[Path, Range], places: Places) -> Finding | None:
    """A loop that runs while something unsigned is not negative. Elsewhere such a comparison is a guard too many, and harmless."""
    path, at = located
    file = places.files.get(path)
    line = file.original.split(b"\n")[at.line - 1] if file is not None else b""
    if "always true" not in message or _LOOP.match(line) is None:
        return None
    said = "this loop never ends, since what is unsigned is never below 0; count with a signed integer"
    data = {"compiler": "g++", "option": "-Wtype-limits"}
    return finding("COMPILE_WARNING", f"{said} [-Wtype-limits]", str(path), at, data=data)


_STYLE = re.compile(r"suggest parentheses around .* within|suggest parentheses around arithmetic")


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
