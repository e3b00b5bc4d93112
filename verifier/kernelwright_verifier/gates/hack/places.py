"""Where in a candidate's text something is, ignoring comments."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, chain

from kernelwright_backends.core.finding import Range

# Strings are matched so that `//` inside of one begins no comment; an apostrophe between digits begins no character. Each
# alternative begins with one letter: so it is these that `re` looks for, and not at every place. What is not closed ends with
# the text or the line, and no place is looked at twice: a text may be made so that this would take minutes.
_TOKEN = re.compile(
    r'(R(?:(?<!\wR)|(?<=\b[uUL]R)|(?<=\bu8R))"(?P<delimiter>[^()\\\s]{0,16})\((?:.*?\)(?P=delimiter)"|.*+)'
    r"|//(?:[^\r\n\\]+|\\\r?\n|\\)*+"
    r"|/\*(?:.*?\*/|.*+)"
    r'|"(?:[^"\\\r\n]+|\\(?:\r\n|.))*+"?'
    r"|'(?<![0-9A-Fa-f]')(?:\\.|[^'\\\r\n]){0,16}')",
    re.DOTALL,
)


def code_of(text: str) -> str:
    """The text with blanks for its comments and raw strings: every place stays where it is."""
    return _texts(text)[0]


def without_strings(text: str) -> str:
    """The text with blanks for its comments and for what stands in quotes, but for the files that it includes."""
    return _texts(text)[1]


class _InCode(dict[str, str]):
    """What a comment or a string is in the code."""

    def __missing__(self, token: str) -> str:
        self[token] = blanked = _blank(token) if token[0] in "R/" else token
        return blanked


class _WithoutStrings(dict[str, str]):
    """What it is where strings do not count either."""

    def __missing__(self, token: str) -> str:
        quote = token[0]
        closed = len(token) > 1 and token[-1] == quote
        bare = quote + _blank(token[1:-1]) + quote if closed else quote + _blank(token[1:])
        self[token] = bare = _blank(token) if quote in "R/" else bare
        return bare


@lru_cache(maxsize=4)
def _texts(text: str) -> tuple[str, str]:
    # Between the tokens, a token, its delimiter, and so on: a text may be nothing but quotes, and each step counts.
    pieces = _TOKEN.split(text)
    if len(pieces) == 1:
        return text, text
    tokens, blanks = pieces[1::3], [""] * (len(pieces) // 3)
    pieces[2::3] = blanks
    pieces[1::3] = map(_InCode().__getitem__, tokens)
    code = "".join(pieces)
    pieces[1::3] = map(_WithoutStrings().__getitem__, tokens)
    bare = "".join(pieces)
    kept, at = list[str](), 0
    for start in preprocessor_lines(bare, "include"):
        end = bare.find("\n", start)
        kept += bare[at:start], code[start : end if end >= 0 else len(code)]
        at = end if end >= 0 else len(bare)
    return code, "".join((*kept, bare[at:]))


def _blank(token: str) -> str:
    return " " * len(token) if "\n" not in token and "\r" not in token else re.sub(r"[^\r\n]", " ", token)


class Sought:
    """A pattern and words of which each match has one: to look for words is a hundred times quicker."""

    def __init__(self, pattern: "re.Pattern[str]", *words: str) -> None:
        self._pattern = pattern
        self._words = words

    def found_in(self, code: str) -> "Iterator[re.Match[str]]":
        return self._pattern.finditer(code) if any(word in code for word in self._words) else iter(())


_DIRECTIVE = re.compile(r"\n[ \t]*#[ \t]*([a-z]+)")


@lru_cache(maxsize=4)
def _directives(code: str) -> dict[str, list[int]]:
    """Where the lines of the preprocessor begin, by their first word."""
    found: dict[str, list[int]] = {}
    if "#" in code:
        for match in _DIRECTIVE.finditer("\n" + code):
            found.setdefault(match[1], []).append(match.start())
    return found


def preprocessor_lines(code: str, *words: str) -> list[int]:
    """Where lines of the preprocessor begin whose first word is one of these, in the order of the text."""
    directives = _directives(code)
    starts = [directives[word] for word in words if word in directives]
    return starts[0] if len(starts) == 1 else sorted(chain.from_iterable(starts))


def preprocessor_matches(pattern: "re.Pattern[str]", code: str, *words: str) -> "Iterator[re.Match[str]]":
    """Matches of a pattern that is a line of the preprocessor with one of these words, of which a long text has few."""
    return (
        match
        for start in preprocessor_lines(code, *words)
        if (match := pattern.match(code, start)) is not None
    )


_LINE_END = re.compile(r"\r\n|\r|\n")


@lru_cache(maxsize=4)
def line_starts(text: str) -> tuple[int, ...]:
    """Where each line begins, and where the text ends."""
    if "\r" in text:
        return 0, *(found.end() for found in _LINE_END.finditer(text)), len(text)
    lengths = map((1).__add__, map(len, text.split("\n")[:-1]))
    return 0, *accumulate(lengths), len(text)


def range_of(text: str, begin: int, end: int) -> Range:
    """Lines and columns of [begin, end), which lies on one line."""
    starts = line_starts(text)
    line = bisect_right(starts, begin, hi=len(starts) - 1)
    start = starts[line - 1]
    return Range(line=line, column=begin - start + 1, end_line=line, end_column=end - start + 1)


def forget_texts() -> None:
    """As if no text had been looked at yet: who measures asks for this."""
    for kept in (_texts, _directives, line_starts):
        kept.cache_clear()
