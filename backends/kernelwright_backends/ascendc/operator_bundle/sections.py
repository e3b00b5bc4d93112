"""The text of a bundle: six string literals, each with the place of every character of it."""

import ast
import io
import re
import textwrap
import tokenize
from collections.abc import Mapping

from kernelwright_backends.interfaces.operator_bundle import (
    SECTIONS,
    BundleError,
    OperatorBundle,
    Section,
    spelled,
)
from kernelwright_backends.untrusted.parsing import parse_python

_MARKER = re.compile(rf"^[ \t]*({'|'.join(SECTIONS)})[ \t]*(?::[^=\n]*)?=", re.MULTILINE)
_FENCE = re.compile(r"^```[ \t]*(?:python|py)?[ \t]*\r?\n(.*?)^```", re.DOTALL | re.MULTILINE | re.IGNORECASE)
_PREFIX = re.compile(r"(?P<prefix>[A-Za-z]*)(?P<quote>'''|\"\"\"|'|\")")
_SIMPLE = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_STRIPPING = {"strip", "lstrip", "rstrip"}
_MOST_BYTES = 4 << 20


def read_bundle(text: str) -> OperatorBundle:
    """Read a bundle: a Python text that assigns six strings, alone or in the first such code block of a Markdown text.

    Literals count, raw and implicitly joined ones too, sums of them, `.strip()` and `textwrap.dedent` of them. Nothing is executed.

    Raises:
        ArtefactError: a section is missing, stands twice, or is no literal; the text is no Python.
    """
    if len(text) > _MOST_BYTES:
        raise BundleError(f"{len(text)} characters, more than a bundle of a few thousand can have")
    begin, source = _code(text)
    try:
        tree = parse_python(source)
    except SyntaxError as error:
        line = getattr(error, "lineno", None)
        said = getattr(error, "msg", None) or str(error)
        first = text.count("\n", 0, begin)
        raise BundleError(f"not Python: {said}", line + first if line else None) from None
    reader = _Reader(text, begin, source)
    found: dict[str, Section] = {}
    for statement in tree.body:
        for name, value in _assigned(statement):
            if name in SECTIONS:
                if name in found:
                    raise BundleError(f"{name} is assigned twice; keep one", reader.line(statement))
                found[name] = reader.section(name, value)
    missing = [name for name in SECTIONS if name not in found]
    if missing:
        has = f"it has {', '.join(found)}" if found else "it has none of the six sections"
        raise BundleError(
            f"no {', '.join(missing)} in this text; a bundle assigns a string to each of {', '.join(SECTIONS)} ({has})"
        )
    return OperatorBundle(text, found)


def is_bundle(text: str) -> bool:
    """Does the text assign at least the kernel and one other section?"""
    return {"kernel_src"} < set(_MARKER.findall(text))


def write_bundle(values: Mapping[str, str]) -> str:
    """A new bundle's text."""
    return "\n\n".join(f"{name} = {spelled(values[name])}" for name in SECTIONS) + "\n"


def _code(text: str) -> tuple[int, str]:
    """Where the Python begins, and what it is."""
    if "```" in text:
        for match in _FENCE.finditer(text):
            if is_bundle(match[1]):
                return match.start(1), match[1]
    begin = 1 if text.startswith("\ufeff") else 0
    return begin, text[begin:]


def _assigned(statement: ast.stmt) -> list[tuple[str, ast.expr]]:
    if isinstance(statement, ast.Assign):
        return [(t.id, statement.value) for t in statement.targets if isinstance(t, ast.Name)]
    if isinstance(statement, ast.AnnAssign) and statement.value and isinstance(statement.target, ast.Name):
        return [(statement.target.id, statement.value)]
    return []


class _Reader:
    """Expressions of string literals, with the place of every character."""

    def __init__(self, text: str, begin: int, source: str) -> None:
        self._begin, self._first = begin, text.count("\n", 0, begin)
        self._source = source
        # ast counts lines as universal newlines do, and columns in bytes of UTF-8.
        self._starts = [0, *(m.end() for m in re.finditer(r"\r\n|\r|\n", source))]

    def line(self, node: ast.stmt | ast.expr) -> int:
        return node.lineno + self._first

    def section(self, name: str, value: ast.expr) -> Section:
        characters = self._value(name, value)
        begin, end = self._span(value)
        return Section(
            name,
            "".join(c for c, _ in characters),
            begin + self._begin,
            end + self._begin,
            tuple(offset + self._begin for _, offset in characters),
        )

    def _span(self, node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)

    def _offset(self, line: int, column: int) -> int:
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self._source)
        return start + len(self._source[start:end].encode()[:column].decode(errors="ignore"))

    def _value(self, name: str, node: ast.expr) -> list[tuple[str, int]]:
        match node:
            case ast.Constant(value=str()):
                return self._literals(node)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return [*self._value(name, left), *self._value(name, right)]
            case ast.Call(func=ast.Attribute(value=inner, attr=method), args=[], keywords=[]) if (
                method in _STRIPPING
            ):
                return _stripped(self._value(name, inner), method)
            case ast.Call(
                func=ast.Attribute(attr="dedent") | ast.Name(id="dedent"), args=[inner], keywords=[]
            ):
                return _dedented(self._value(name, inner))
        raise BundleError(
            f"{name} is not a string literal; write the text itself after {name} =", self.line(node)
        )

    def _literals(self, node: ast.Constant) -> list[tuple[str, int]]:
        begin, end = self._span(node)
        made: list[tuple[str, int]] = []
        for start, spelled_ in _tokens(self._source[begin:end]):
            made += _decoded(spelled_, begin + start)
        if "".join(c for c, _ in made) != node.value:
            raise BundleError("a string literal here could not be read", self.line(node))
        return made


def _tokens(source: str) -> list[tuple[int, str]]:
    """The literals of an implicitly joined string, each with its offset."""
    starts = [0, *(m.end() for m in re.finditer(r"\r\n|\r|\n", source))]
    wrapped = io.StringIO(f"({source})", newline="")
    found = []
    for token in tokenize.generate_tokens(wrapped.readline):
        if token.type == tokenize.STRING:
            line, column = token.start
            found.append((starts[line - 1] + column - (line == 1), token.string))
    return found


def _decoded(literal: str, offset: int) -> list[tuple[str, int]]:
    """The characters that a literal stands for, each with the offset of what spells it."""
    head = _PREFIX.match(literal)
    assert head is not None
    raw, quote = "r" in head["prefix"].lower(), head["quote"]
    at, end = head.end(), len(literal) - len(quote)
    made: list[tuple[str, int]] = []
    while at < end:
        character = literal[at]
        if character == "\r":
            width = 2 if literal[at : at + 2] == "\r\n" else 1
            made.append(("\n", offset + at))
        elif character != "\\" or raw:
            width = 1
            made.append((character, offset + at))
        else:
            text, width = _escaped(literal, at)
            made += [(c, offset + at) for c in text]
        at += width
    return made


def _escaped(literal: str, at: int) -> tuple[str, int]:
    following = literal[at + 1]
    if following in _SIMPLE:
        return _SIMPLE[following], 2
    if following == "\n":
        return "", 2
    if following == "\r":
        return "", 3 if literal[at + 2 : at + 3] == "\n" else 2
    if match := re.compile(r"[0-7]{1,3}").match(literal, at + 1):
        return chr(int(match[0], 8)), 1 + len(match[0])
    match = re.compile(r"x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]+\}").match(literal, at + 1)
    if match:
        return str(ast.literal_eval(f'"\\{match[0]}"')), 1 + len(match[0])
    return "\\", 1  # no escape at all: the backslash stands for itself


def _stripped(characters: list[tuple[str, int]], method: str) -> list[tuple[str, int]]:
    begin, end = 0, len(characters)
    while method != "rstrip" and begin < end and characters[begin][0].isspace():
        begin += 1
    while method != "lstrip" and end > begin and characters[end - 1][0].isspace():
        end -= 1
    return characters[begin:end]


def _dedented(characters: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """What `textwrap.dedent` leaves: it only takes characters away."""
    left, made = textwrap.dedent("".join(c for c, _ in characters)).split("\n"), []
    lines: list[list[tuple[str, int]]] = [[]]
    for character in characters:
        if character[0] == "\n":
            lines.append([])
        lines[-1].append(character)
    for number, (line, kept) in enumerate(zip(lines, left, strict=True)):
        newline, rest = (line[:1], line[1:]) if number else ([], line)
        made += [*newline, *rest[len(rest) - len(kept) :]]
    return made
