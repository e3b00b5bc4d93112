"""Conditions of CMake: words joined by NOT, AND and OR, as a build with CUDA on Linux would find them."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from kernelwright_verifier.build_systems.cmake_language import is_true, values_of

# Options by which a project is built with CUDA; what nobody set is taken as set.
BUILT_WITH_CUDA = re.compile(r"(?!NO|DISABLE|WITHOUT|SKIP).*(?:CUDA|GPU|NVCC|NVIDIA)", re.IGNORECASE)


class Condition:
    """`if(...)`: words joined by NOT, AND and OR, in CMake's order of binding."""

    def __init__(self, words: list[tuple[str, bool]], variables: dict[str, str], folder: Path) -> None:
        self._words, self._variables, self._folder, self._at = words, variables, folder, 0

    def holds(self) -> bool:
        return self._either()

    def _next(self, *wanted: str) -> bool:
        if (
            self._at < len(self._words)
            and not self._words[self._at][1]
            and self._words[self._at][0] in wanted
        ):
            self._at += 1
            return True
        return False

    def _either(self) -> bool:
        value = self._both()
        while self._next("OR"):
            value = self._both() or value
        return value

    def _both(self) -> bool:
        value = self._negated()
        while self._next("AND"):
            value = self._negated() and value
        return value

    def _negated(self) -> bool:
        if self._next("NOT"):
            return not self._negated()
        if self._next("("):
            value = self._either()
            self._next(")")
            return value
        return self._plain()

    def _take(self) -> tuple[str, bool]:
        word = self._words[self._at] if self._at < len(self._words) else ("", True)
        self._at += 1
        return word

    def _plain(self) -> bool:
        word, quoted = self._take()
        if not quoted and word == "DEFINED":
            return self._take()[0] in self._variables
        if not quoted and word in ("EXISTS", "IS_DIRECTORY"):
            return (self._folder / self._take()[0]).exists()
        if not quoted and word in ("TARGET", "COMMAND", "POLICY", "TEST", "IS_ABSOLUTE", "IS_SYMLINK"):
            named = self._take()[0]
            return word == "POLICY" or (word == "TARGET" and named.startswith("CUDA::"))
        if (
            self._at < len(self._words)
            and (compares := _COMPARISONS.get(self._words[self._at][0])) is not None
        ):
            self._at += 1
            return compares(self._meant((word, quoted)), self._meant(self._take()))
        return self._is_true(word, quoted)

    def _meant(self, word: tuple[str, bool]) -> str:
        return word[0] if word[1] else self._variables.get(word[0], word[0])

    def _is_true(self, word: str, quoted: bool) -> bool:
        if quoted or word.upper() in ("ON", "YES", "TRUE", "Y") or re.fullmatch(r"\d+", word):
            return is_true(word)
        value = self._variables.get(word)
        if value in (None, "OFF") and BUILT_WITH_CUDA.match(word):
            return True
        return value is not None and is_true(value)


def _ordered(words: tuple[str, str]) -> tuple[list[int], list[int]] | None:
    parts = [re.findall(r"\d+", word) for word in words]
    return ([int(n) for n in parts[0]], [int(n) for n in parts[1]]) if all(parts) else None


def _compared(how: str, left: str, right: str) -> bool:
    ordered = _ordered((left, right))
    if ordered is None:
        return False
    a, b = ordered
    size = max(len(a), len(b))
    a, b = a + [0] * (size - len(a)), b + [0] * (size - len(b))
    return {"LESS": a < b, "GREATER": a > b, "EQUAL": a == b, "LESS_EQUAL": a <= b, "GREATER_EQUAL": a >= b}[
        how
    ]


_COMPARISONS: dict[str, Callable[[str, str], bool]] = {
    "STREQUAL": lambda left, right: left == right,
    "MATCHES": lambda left, right: _is_found(right, left),
    "IN_LIST": lambda left, right: left in values_of(right),
}
for _how in ("LESS", "GREATER", "EQUAL", "LESS_EQUAL", "GREATER_EQUAL"):
    _COMPARISONS[_how] = _COMPARISONS[f"VERSION_{_how}"] = partial(_compared, _how)


def _is_found(pattern: str, text: str) -> bool:
    """`MATCHES` for words and their alternatives: a pattern of somebody else's could take forever."""
    return any(word in text for part in pattern.strip("()").split("|") if (word := part.strip("^$().*")))
