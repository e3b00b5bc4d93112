"""The language of CMakeLists.txt: commands with their arguments, references to variables, generator expressions."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from kernelwright_verifier.build_systems.budget import Budget, Exhausted

_DEEPEST = 20
_LONGEST = 1 << 18  # characters of one value
_REFERENCE = re.compile(r"\$(?:ENV|CACHE)?\{")


@dataclass(frozen=True)
class Argument:
    text: str
    quoted: bool = False  # one value, also where it holds semicolons
    literal: bool = False  # of brackets: nothing in it is a reference


@dataclass(frozen=True)
class Command:
    name: str  # in small letters
    arguments: tuple[Argument, ...]


def parse(text: str) -> Iterator[Command]:
    """The commands of a file; what is no command is passed over, and the rest of a file that breaks off is lost."""
    at = 0
    while at < len(text):
        character = text[at]
        if character == "#":
            at = _behind_comment(text, at)
        elif character.isalpha() or character == "_":
            end = at
            while end < len(text) and (text[end].isalnum() or text[end] == "_"):
                end += 1
            name, at = text[at:end].lower(), end
            while at < len(text) and text[at] in " \t":
                at += 1
            if text[at : at + 1] == "(":
                arguments, at = _arguments(text, at + 1)
                yield Command(name, tuple(arguments))
        else:
            at += 1


def _arguments(text: str, at: int) -> tuple[list[Argument], int]:
    found: list[Argument] = []
    depth = 0
    while at < len(text):
        character = text[at]
        if character.isspace():
            at += 1
        elif character == "#":
            at = _behind_comment(text, at)
        elif character == "(":
            depth += 1
            found.append(Argument("("))
            at += 1
        elif character == ")":
            at += 1
            if not depth:
                return found, at
            depth -= 1
            found.append(Argument(")"))
        elif character == '"':
            value, at = _quoted(text, at + 1)
            found.append(Argument(value, quoted=True))
        elif character == "[" and (level := _bracket(text, at)) is not None:
            closing = "]" + "=" * level + "]"
            begin = at + level + 2
            end = text.find(closing, begin)
            end = len(text) if end < 0 else end
            found.append(Argument(text[begin:end].removeprefix("\n"), quoted=True, literal=True))
            at = end + len(closing)
        else:
            begin = at
            while at < len(text) and not text[at].isspace() and text[at] not in "()#":
                if text[at] == "\\":
                    at += 1
                elif text[at] == '"':
                    _, at = _quoted(text, at + 1)
                    continue
                at += 1
            found.append(Argument(text[begin:at]))
    return found, at


def _quoted(text: str, at: int) -> tuple[str, int]:
    made: list[str] = []
    while at < len(text) and text[at] != '"':
        if text[at] == "\\" and at + 1 < len(text):
            # A line that goes on, or a character that stands for itself; what stands for a reference stays marked.
            following = text[at + 1]
            made.append("" if following == "\n" else {"n": "\n", "t": "\t"}.get(following, following))
            at += 2
        else:
            made.append(text[at])
            at += 1
    return "".join(made), at + 1


def _bracket(text: str, at: int) -> int | None:
    """The number of `=` of the bracket that opens here."""
    end = at + 1
    while text[end : end + 1] == "=":
        end += 1
    return end - at - 1 if text[end : end + 1] == "[" else None


def _behind_comment(text: str, at: int) -> int:
    if (level := _bracket(text, at + 1)) is not None and text[at + 1 : at + 2] == "[":
        end = text.find("]" + "=" * level + "]", at)
        return len(text) if end < 0 else end + level + 2
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def expand(text: str, variables: Mapping[str, str], depth: int = 0) -> str:
    """`text` with `${name}` replaced; of the environment and the cache nothing is known.

    Raises:
        Exhausted: it becomes longer than any value that people write.
    """
    made: list[str] = []
    at = size = 0
    while at < len(text):
        found = _REFERENCE.search(text, at)
        if found is None or depth > _DEEPEST:
            made.append(text[at:])
            break
        begin, opening = found.start(), found.end() - 1
        made.append(text[at:begin])
        end = _closing(text, opening, "{", "}")
        if text[begin + 1] == "{":
            made.append(variables.get(expand(text[opening + 1 : end - 1], variables, depth + 1), ""))
            size += len(made[-1])
            if size > _LONGEST:
                raise Exhausted
        at = end
    return "".join(made)


def _closing(text: str, opening: int, begin: str, end: str) -> int:
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == begin) - (text[at] == end)
        if depth == 0:
            return at + 1
    return len(text) + 1


def generated(text: str) -> str:
    """`text` as it is for a CUDA source in a release build: `$<...>` replaced by what it stands for, or by nothing; nothing of a
    text whose expressions take too long."""
    if "$<" not in text:
        return text
    try:
        return _generated(text, 0, Budget(2000, 4 * _LONGEST))
    except Exhausted:
        return ""


def _generated(text: str, depth: int, budget: Budget) -> str:
    begin = text.find("$<")
    if begin < 0 or depth > _DEEPEST:
        return text
    budget.spend(len(text))
    end = _closing(text, begin + 1, "<", ">")
    inside = text[begin + 2 : end - 1]
    return _generated(text[:begin] + _meaning(inside, depth + 1, budget) + text[end:], depth + 1, budget)


def _meaning(inside: str, depth: int, budget: Budget) -> str:
    def generated(text: str, depth: int) -> str:
        return _generated(text, depth, budget)

    head, colon, rest = _split_head(inside)
    head = generated(head, depth)
    if head in ("0", "1") and colon:
        return generated(rest, depth) if head == "1" else ""
    if head in _CONDITIONS:
        return "1" if _CONDITIONS[head](generated(rest, depth)) else "0"
    if head in ("BUILD_INTERFACE", "JOIN", "LOWER_CASE", "UPPER_CASE", "SHELL_PATH"):
        value = generated(rest, depth)
        return value.split(",", 1)[0] if head == "JOIN" else value
    if head == "BOOL":
        return "1" if is_true(generated(rest, depth)) else "0"
    if head == "NOT":
        return "0" if generated(rest, depth) == "1" else "1"
    if head in ("AND", "OR"):
        values = [generated(part, depth) == "1" for part in rest.split(",")]
        return "1" if (all(values) if head == "AND" else any(values)) else "0"
    if head == "IF":
        parts = (*generated(rest, depth).split(",", 2), "", "", "")
        return parts[1] if parts[0] == "1" else parts[2]
    return ""


def _split_head(inside: str) -> tuple[str, str, str]:
    """(before, ":", behind) at the first colon that stands in no expression of its own."""
    depth = 0
    for at, character in enumerate(inside):
        if inside.startswith("$<", at):
            depth += 1
        elif character == ">":
            depth -= 1
        elif character == ":" and depth == 0:
            return inside[:at], ":", inside[at + 1 :]
    return inside, "", ""


_CONDITIONS: dict[str, Callable[[str], bool]] = {
    "COMPILE_LANGUAGE": lambda named: "CUDA" in named.split(","),
    "COMPILE_LANG_AND_ID": lambda named: named.split(",")[0] == "CUDA",
    "CONFIG": lambda named: named.upper() in ("RELEASE", ""),
    "PLATFORM_ID": lambda named: "Linux" in named.split(","),
    "CXX_COMPILER_ID": lambda named: "GNU" in named.split(","),
    "CUDA_COMPILER_ID": lambda named: "NVIDIA" in named.split(","),
    "STREQUAL": lambda named: len(set(named.split(",", 1))) == 1,
}


def is_true(value: str) -> bool:
    """As `if(value)` takes a constant."""
    word = value.strip().upper()
    return word not in ("", "0", "OFF", "NO", "FALSE", "N", "IGNORE", "NOTFOUND") and not word.endswith(
        "-NOTFOUND"
    )


def values_of(text: str) -> list[str]:
    """Of a list, which is a text with semicolons."""
    return [value for value in text.split(";") if value]
