"""Where in a candidate's text something stands; what its comments say accuses nobody."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from kernelwright_backends.finding import Range

# Strings are matched so that `//` inside of one begins no comment; an apostrophe between digits begins no character. Each
# alternative begins with one letter: so it is these that `re` looks for, and not at every place.
_TOKEN = re.compile(
    r'R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"'
    r"|//(?:[^\r\n\\]+|\\\r?\n|\\)*"
    r"|/\*.*?(?:\*/|\Z)"
    r'|"(?:[^"\\\r\n]+|\\.)*"'
    r"|'(?<![0-9A-Fa-f]')(?:\\.|[^'\\\r\n])*'",
    re.DOTALL,
)
_INCLUDE = re.compile(r"[ \t]*#[ \t]*include\b")


def code_of(text: str) -> str:
    """The text with blanks for its comments and raw strings: every place stays where it is."""
    return _texts(text)[0]


def without_strings(text: str) -> str:
    """The text with blanks for its comments and for what stands in quotes, but for the files that it includes."""
    return _texts(text)[1]


@lru_cache(maxsize=4)
def _texts(text: str) -> tuple[str, str]:
    code: list[str] = []
    bare: list[str] = []
    at = 0
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        before, token = text[at:start], match[0]
        if token[0] in "R/":
            blank = _blank(token)
            code += before, blank
            bare += before, blank
        else:
            code += before, token
            kept = _INCLUDE.match(text, text.rfind("\n", 0, start) + 1, start)
            bare += before, (token if kept else token[0] + _blank(token[1:-1]) + token[-1])
        at = end
    return "".join((*code, text[at:])), "".join((*bare, text[at:]))


def _blank(token: str) -> str:
    return " " * len(token) if "\n" not in token and "\r" not in token else re.sub(r"[^\r\n]", " ", token)


class Sought:
    """A pattern and words of which each match has one: to look for words is a hundred times quicker."""

    def __init__(self, pattern: "re.Pattern[str]", *words: str) -> None:
        self._pattern = pattern
        self._words = words

    def found_in(self, code: str) -> "Iterator[re.Match[str]]":
        return self._pattern.finditer(code) if any(word in code for word in self._words) else iter(())


@lru_cache(maxsize=4)
def _preprocessor_lines(code: str) -> tuple[int, ...]:
    starts: list[int] = []
    at = code.find("#")
    while at >= 0:
        start = code.rfind("\n", 0, at) + 1
        if not code[start:at].strip(" \t"):
            starts.append(start)
        end = code.find("\n", at)
        at = code.find("#", end) if end >= 0 else -1
    return tuple(starts)


def preprocessor_matches(pattern: "re.Pattern[str]", code: str) -> "Iterator[re.Match[str]]":
    """Matches of a pattern that begins with a line of the preprocessor, of which a long text has few."""
    return (match for start in _preprocessor_lines(code) if (match := pattern.match(code, start)) is not None)


@lru_cache(maxsize=4)
def line_starts(text: str) -> tuple[int, ...]:
    """Where each line begins, and where the text ends."""
    return 0, *(m.end() for m in re.finditer(r"\r\n|\r|\n", text)), len(text)


def range_of(text: str, begin: int, end: int) -> Range:
    """Lines and columns of [begin, end), which lies on one line."""
    starts = line_starts(text)
    line = bisect_right(starts, begin, hi=len(starts) - 1)
    start = starts[line - 1]
    return Range(line=line, column=begin - start + 1, end_line=line, end_column=end - start + 1)


def forget_texts() -> None:
    """As if no text had been looked at yet: who measures asks for this."""
    for kept in (_texts, _preprocessor_lines, line_starts):
        kept.cache_clear()
