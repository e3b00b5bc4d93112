"""What nvcc says, as findings at the user's own lines and columns.

Four programs speak: NVIDIA's front end (`file(line): error: ...`, then the preprocessed line and a caret), the host's g++
(`file:line:column: error: ...`), ptxas and nvlink (no place at all, but a kernel's or a function's name).
"""

import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kernelwright_backends.core.finding import Finding, Range, finding
from kernelwright_backends.core.kernel import Function, SourceIndex
from kernelwright_backends.cuda.nvcc.nvcc_entry_stub import FIRST_ARGUMENT_LINE, STUB_PATH
from kernelwright_backends.syntax.text import Lines
from kernelwright_backends.untrusted.programs import on_path
from kernelwright_backends.untrusted.reach import Reach

_MOST = 30
_FRONT = re.compile(
    r"^(?P<path>[^\s(][^(\n]*)\((?P<line>\d+)\): (?:catastrophic )?(?P<kind>error|warning)(?: #(?P<number>[\w-]+))?: (?P<text>.*)$"
)
_HOST = re.compile(
    r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+):(?P<column>\d+): (?P<kind>(?:fatal )?error|warning): (?P<text>.*)$"
)
_SPEAKS = re.compile(r"^(ptxas|nvlink)\b.*\b(?P<kind>error|fatal|warning)\b\s*:\s*(?P<text>.*)$")
_UNDEFINED = re.compile(
    r"(?:Unresolved extern function|Undefined reference to|undefined reference to) [`'](?P<symbol>[^']+)'"
)
_MANGLED = re.compile(r"'(_Z\w+)'|\b(_Z\w+)\b")
_WORD = re.compile(rb"\w+")
_QUOTED = re.compile("[\"'\u2018](?P<name>[A-Za-z_]\\w*)[\"'\u2019]")
_OPERATOR = re.compile(r"is unavailable: kernelwright-operator: (.*)$")
_NO_SUCH_TORCH = (
    re.compile(r"(class|namespace) \"(at|c10|torch|pybind11)(::[^\"]*)?\" has no member"),
    re.compile(r"\b(torch|ATen|c10|pybind11|THC)/\S+: No such file or directory"),
    re.compile(r"is not an element type of PyTorch|not an element type of PyTorch"),
)
# Consequences of an earlier error.
_NOISE = ("compilation terminated", "this may have been caused", "Ptx assembly aborted")


@dataclass
class Texts:
    """The candidate as it is compiled, and the files that it includes."""

    main: Path
    content: bytes
    index: SourceIndex
    entry: Function | None = None
    roots: tuple[Path, ...] = ()  # folders of the user's; what lies elsewhere is not theirs
    reach: Reach | None = None
    _read: dict[Path, bytes | None] = field(default_factory=dict)

    def of(self, spelled: str) -> tuple[Path, bytes] | None:
        """Path and text of a file of the user's; None for any other."""
        path = Path(spelled)
        if path == self.main:
            return path, self.content
        if not any(path.is_relative_to(root) for root in self.roots):
            return None
        if path not in self._read:
            try:
                self._read[path] = (self.reach or Reach(self.main, self.roots)).read(path)
            except OSError:
                self._read[path] = None
        text = self._read[path]
        return None if text is None else (path, text)

    def named(self, name: str) -> Range | None:
        """Where a function of the document stands, or where it is first mentioned."""
        function = self.index.find(name)
        if function is not None:
            return function.name_range
        found = re.search(rb"\b" + re.escape(name.encode()) + rb"\b", self.content)
        return Lines(self.content).range(found.start(), found.end()) if found else None


@dataclass(frozen=True)
class _Said:
    kind: str
    text: str
    path: str = ""
    line: int = 0
    column: int = 0  # in bytes, of the host compiler; 0: not said
    echo: str = ""  # the preprocessed line
    caret: int = -1  # where in it
    number: str = ""


def nvcc_findings(
    output: str, texts: Texts, demangled: Callable[[str], str] = lambda name: name
) -> list[Finding]:
    """Findings of one run of nvcc; remarks, statistics and what is said of our own headers stay out."""
    found: list[Finding] = []
    seen: set[tuple[str, int, str]] = set()
    warned: set[tuple[str, int]] = set()  # by NVIDIA's front end, whose word g++ only repeats
    for said in _messages(output):
        made = _finding(said, texts, demangled)
        if made is None:
            continue
        if said.kind == "warning" and said.column and (made.path, made.line) in warned:
            continue
        if said.kind == "warning" and not said.column:
            warned.add((made.path, made.line))
        key = (made.path, made.line, made.message)
        if key not in seen and len(found) < _MOST:
            seen.add(key)
            found.append(made)
    return found


def _messages(output: str) -> Iterator[_Said]:
    lines = output.splitlines()
    for number, line in enumerate(lines):
        front = _FRONT.match(line)
        if front is not None:
            echo, caret = _echo(lines, number + 1)
            yield _Said(
                front["kind"],
                front["text"],
                front["path"],
                int(front["line"]),
                0,
                echo,
                caret,
                front["number"] or "",
            )
            continue
        host = _HOST.match(line)
        if host is not None:
            kind = "warning" if host["kind"] == "warning" else "error"
            yield _Said(kind, host["text"], host["path"], int(host["line"]), int(host["column"]))
            continue
        speaks = _SPEAKS.match(line)
        if speaks is not None:
            yield _Said("warning" if speaks["kind"] == "warning" else "error", speaks["text"])
        elif _UNDEFINED.search(line) or line.startswith("nvcc fatal"):
            yield _Said("error", line.split(" : ", 1)[-1].strip())


def _echo(lines: list[str], at: int) -> tuple[str, int]:
    """The line of source below a message and the caret's place in it; what goes on over several lines is skipped."""
    for number in range(at, min(at + 12, len(lines) - 1)):
        below = lines[number + 1]
        if below.strip() == "^":
            return lines[number], below.index("^")
        if _FRONT.match(lines[number]):
            break
    return "", -1


def _finding(said: _Said, texts: Texts, demangled: Callable[[str], str]) -> Finding | None:
    if any(word in said.text for word in _NOISE):
        return None
    if not said.path:
        return _placeless(said, texts, demangled)
    if said.path == STUB_PATH:
        if said.kind == "warning":
            return None
        return _made("COMPILE_ERROR", said, texts.main, _parameter(said.line, texts))
    located = _located(said, texts)
    if located is None:
        # Inside of a header that is not the user's: where they asked for it is not said.
        if said.kind == "warning":
            return None
        return _made("COMPILE_ERROR", said, texts.main, Range(line=1, column=1, end_line=1, end_column=1))
    if said.kind == "warning":
        return _made("COMPILE_WARNING", said, *located)
    operator = _OPERATOR.search(said.text)
    if operator is not None:
        return finding("HACK_OPERATOR", operator[1], str(located[0]), located[1], data={"compiler": "nvcc"})
    torch = any(pattern.search(said.text) for pattern in _NO_SUCH_TORCH)
    return _made("UNSUPPORTED_TORCH" if torch else "COMPILE_ERROR", said, *located)


def _made(code: str, said: _Said, path: Path, at: Range) -> Finding:
    text = said.text.replace("\u2018", "'").replace("\u2019", "'").replace("kernelwright_user_main", "main")
    data = {"compiler": "nvcc"}
    if said.number:
        text += f" [#{said.number}]"
        data["number"] = said.number
    return finding(code, text, str(path), at, data=data)


def _placeless(said: _Said, texts: Texts, demangled: Callable[[str], str]) -> Finding | None:
    """What the assembler and the linkers say: of a kernel or a symbol, not of a line."""
    undefined = _UNDEFINED.search(said.text)
    start = Range(line=1, column=1, end_line=1, end_column=1)
    if undefined is not None:
        name = plain_name(demangled(undefined["symbol"]))
        text = f"'{name}' is declared and used, but not defined; define it in this file or in a header that it includes"
        used = _first_call(texts, name) or texts.named(name) or start
        return finding("COMPILE_LINK", text, str(texts.main), used, data={"symbol": undefined["symbol"]})
    text = said.text
    at: Range | None = None
    for match in _MANGLED.finditer(said.text):
        symbol = match[1] or match[2]
        name = plain_name(demangled(symbol))
        text = text.replace(symbol, name)
        at = at or texts.named(name)
    if at is None and (quoted := _QUOTED.search(said.text)) is not None:
        at = texts.named(quoted["name"])  # an instruction of the user's own assembly
    if at is None and said.kind == "warning":
        return None
    kernels = texts.index.kernels
    where = at or (texts.entry.name_range if texts.entry else kernels[0].name_range if kernels else start)
    code = "COMPILE_WARNING" if said.kind == "warning" else "COMPILE_ERROR"
    return finding(code, text, str(texts.main), where, data={"compiler": "ptxas"})


def _first_call(texts: Texts, name: str) -> Range | None:
    uses = list(re.finditer(rb"\b" + re.escape(name.encode()) + rb"\s*(?=\()", texts.content))
    # The first one declares it.
    use = uses[1] if len(uses) > 1 else uses[0] if uses else None
    return Lines(texts.content).range(use.start(), use.start() + len(name.encode())) if use else None


def _parameter(line: int, texts: Texts) -> Range:
    if texts.entry is None:
        return Range(line=1, column=1, end_line=1, end_column=1)
    index = line - FIRST_ARGUMENT_LINE
    if 0 <= index < len(texts.entry.parameters):
        return texts.entry.parameters[index].range
    return texts.entry.name_range


def _located(said: _Said, texts: Texts) -> tuple[Path, Range] | None:
    known = texts.of(said.path)
    if known is None:
        return None
    path, content = known
    lines = Lines(content)
    start, end = lines.offset(said.line, 1), lines.offset(said.line, 1 << 30)
    line = content[start:end]
    place = _place_in(line, said)
    if place is None:
        stripped = line.strip()
        first = line.find(stripped)
        return path, lines.range(start + first, start + first + max(len(stripped), 1))
    return path, lines.range(start + place[0], start + place[1])


def _place_in(line: bytes, said: _Said) -> tuple[int, int] | None:
    """The word that is meant, as bytes of the user's line."""
    if said.column and said.column <= len(line):
        at = said.column - 1
        word = _WORD.match(line, at)
        return at, word.end() if word else at + 1
    echo = said.echo.encode()
    if said.caret < 0:
        return None
    # What the front end echoes has been preprocessed: macros are replaced, so that columns differ, but the word is the
    # same one, the n-th of its kind in the line.
    caret = len(said.echo[: said.caret].encode())
    word = _WORD.match(echo, caret)
    meant = word[0] if word else echo[caret : caret + 1]
    if not meant.strip():
        return len(line.rstrip()) - 1 if line.strip() else 0, max(len(line.rstrip()), 1)
    bounded = (rb"\b" + re.escape(meant) + rb"\b") if word else re.escape(meant)
    before = len(re.findall(bounded, echo[:caret]))
    uses = list(re.finditer(bounded, line))
    if uses and len(uses) == len(re.findall(bounded, echo)):
        use = uses[before]
        return use.start(), use.end()
    if len(uses) > before:
        # A macro brings further ones: those to the right of the caret are the fewest to be mistaken.
        behind = len(re.findall(bounded, echo[caret:])) - 1
        use = uses[-1 - behind] if behind < len(uses) else uses[before]
        return use.start(), use.end()
    quoted = _QUOTED.search(said.text)
    if quoted is not None:
        use_of_name = re.search(rb"\b" + quoted["name"].encode() + rb"\b", line)
        if use_of_name is not None:
            return use_of_name.start(), use_of_name.end()
    return None


def plain_name(signature: str) -> str:
    """`ns::softmax<float, 256>` of `void ns::softmax<float, 256>(float const*, int)`; a mangled name stays as it is."""
    depth = 0
    for at in range(len(signature) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(signature[at], 0)
        if signature[at] == "(" and depth == 0:
            signature = signature[:at]
            break
    depth = 0
    for at in range(len(signature) - 1, -1, -1):
        depth += {">": 1, "<": -1}.get(signature[at], 0)
        if signature[at] == " " and depth == 0:
            return signature[at + 1 :]
    return signature


# ---- what the assembler counts ----------------------------------------------------------------------------------------

_ENTRY = re.compile(r"Compiling entry function '(?P<name>[^']+)' for '(?P<architecture>[^']+)'")
_SPILLS = re.compile(
    r"(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, (?P<loads>\d+) bytes spill loads"
)
_USED = re.compile(r"Used (?P<registers>\d+) registers")
_SHARED = re.compile(r"(?P<bytes>\d+) bytes smem")
_CONSTANT = re.compile(r"(?P<bytes>\d+) bytes cmem\[\d+\]")


def resources_of(
    output: str, demangled: Callable[[str], str] = lambda name: name
) -> dict[str, Mapping[str, int]]:
    """What `ptxas -v` says of each kernel: registers a thread, bytes of shared memory, stack and spills."""
    found: dict[str, dict[str, int]] = {}
    kernel: dict[str, int] | None = None
    for line in output.splitlines():
        entry = _ENTRY.search(line)
        if entry is not None:
            kernel = found.setdefault(plain_name(demangled(entry["name"])), {})
            continue
        if kernel is None:
            continue
        spills = _SPILLS.search(line)
        if spills is not None:
            kernel |= {
                "stack_bytes": int(spills["stack"]),
                "spill_store_bytes": int(spills["stores"]),
                "spill_load_bytes": int(spills["loads"]),
            }
        used = _USED.search(line)
        if used is not None:
            kernel["registers"] = int(used["registers"])
            shared = _SHARED.search(line)
            kernel["shared_bytes"] = int(shared["bytes"]) if shared else 0
            kernel["constant_bytes"] = sum(int(match["bytes"]) for match in _CONSTANT.finditer(line))
            kernel = None
    return dict(found)


def demangler(text: str) -> Callable[[str], str]:
    """For the mangled names in `text`, by the C++ filter of the binutils; without one they stay as they are."""
    names = sorted(set(re.findall(r"\b_Z\w+", text)))
    program = on_path("c++filt")
    if not names or program is None:
        return lambda name: name
    answer = subprocess.run([program], input="\n".join(names), capture_output=True, text=True, check=False)
    table = dict(zip(names, answer.stdout.splitlines(), strict=False))
    return lambda name: table.get(name, name)
