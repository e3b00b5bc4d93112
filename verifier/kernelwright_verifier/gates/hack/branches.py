"""Which lines of a text the preprocessor leaves out, as far as the text itself says.

Other vendors' branches in a header for several compilers are no part of what is compiled. What cannot be told counts as taken.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from itertools import pairwise

from kernelwright_verifier.gates.hack.places import line_starts, preprocessor_matches

_CONDITION = re.compile(
    r"[ \t]*#[ \t]*(?P<word>ifdef|ifndef|if|elif|else|endif|define|undef)\b(?P<rest>(?:[^\n\\]|\\\r?\n|\\)*)"
)
_WORDS = ("if", "ifdef", "ifndef", "elif", "else", "endif", "define", "undef")
_TOKEN = re.compile(r"defined\b|[A-Za-z_]\w*|0[xX][0-9a-fA-F]+|\d+|&&|\|\||[<>=!]=|[<>!()+*/%-]")
_SUFFIX = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b")
_SET = {"__CUDACC__": 1, "__NVCC__": 1, "__linux__": 1, "__GNUC__": 12}
# Of compilers and systems that nothing here compiles for; another reserved name may be set by a compiler.
_ELSEWHERE = re.compile(
    r"__HIP\w*|__clang\w*|_MSC_\w+|_WIN(?:32|64)|__MINGW\w*|__APPLE__|__MUSA\w*|__SYCL\w*|__ANDROID__"
)

Value = int | None
"""of an expression; None: it cannot be told"""


def lines_left_out(code: str, defined: Mapping[str, int]) -> frozenset[int]:
    """Numbers of the lines, from 1, that lie in a branch which is certainly not taken.

    Args:
        code: a text without its comments.
        defined: macros that the command line defines.
    """
    if "#" not in code:
        return frozenset()
    known: dict[str, Value] = {**_SET, **defined}
    # Of each open condition: whether this branch is left out, and whether one before it was certainly taken.
    open_: list[tuple[bool, bool]] = []
    changes: list[tuple[int, bool]] = []
    for match in preprocessor_matches(_CONDITION, code, *_WORDS):
        word, rest = match["word"], match["rest"].replace("\\\n", " ").strip()
        if word in ("if", "ifdef", "ifndef"):
            value = _condition(word, rest, known)
            open_.append((value == 0, bool(value)))
        elif word in ("elif", "else") and open_:
            _, taken = open_.pop()
            value = 1 if word == "else" else _evaluated(rest, known)
            open_.append((taken or value == 0, taken or bool(value)))
        elif word == "endif" and open_:
            open_.pop()
        elif word == "define" and not any(out for out, _ in open_):
            name, _, value_text = rest.partition(" ")
            known[re.split(r"\W", name, maxsplit=1)[0]] = _evaluated(value_text, known) if value_text else 1
        elif word == "undef":
            known.pop(rest, None)
        changes.append((match.start(), any(out for out, _ in open_)))
    starts = line_starts(code)
    left_out: set[int] = set()
    for (start, out), (following, still) in pairwise((*changes, (len(code), False))):
        if out:  # from the next line on, to the next of the preprocessor's, which may itself be left out
            left_out.update(
                range(bisect_right(starts, start) + 1, bisect_left(starts, following) + 1 + still)
            )
    return frozenset(left_out)


def _condition(word: str, rest: str, known: Mapping[str, Value]) -> Value:
    if word == "if":
        return _evaluated(rest, known)
    name = (re.findall(r"\w+", rest) or [""])[0]
    there = _is_defined(name, known)
    return there if there is None or word == "ifdef" else int(not there)


def _is_defined(name: str, known: Mapping[str, Value]) -> Value:
    if name in known:
        return 1
    if name.startswith("_") and not _ELSEWHERE.fullmatch(name):
        return None
    return 0


def _evaluated(text: str, known: Mapping[str, Value]) -> Value:
    tokens = _TOKEN.findall(_SUFFIX.sub(r"\1", text))
    try:
        value, rest = _any_of(tokens, known)
    except (IndexError, ValueError, RecursionError):
        return None
    return value if not rest else None


def _any_of(tokens: list[str], known: Mapping[str, Value]) -> tuple[Value, list[str]]:
    left, tokens = _all_of(tokens, known)
    while tokens and tokens[0] == "||":
        right, tokens = _all_of(tokens[1:], known)
        left = 1 if left or right else 0 if left == 0 and right == 0 else None
    return left, tokens


def _all_of(tokens: list[str], known: Mapping[str, Value]) -> tuple[Value, list[str]]:
    left, tokens = _compared(tokens, known)
    while tokens and tokens[0] == "&&":
        right, tokens = _compared(tokens[1:], known)
        left = 0 if left == 0 or right == 0 else 1 if left and right else None
    return left, tokens


def _compared(tokens: list[str], known: Mapping[str, Value]) -> tuple[Value, list[str]]:
    left, tokens = _plain(tokens, known)
    if tokens and tokens[0] in ("<", ">", "<=", ">=", "==", "!="):
        how = tokens[0]
        right, tokens = _plain(tokens[1:], known)
        if left is None or right is None:
            return None, tokens
        left = int(
            {
                "<": left < right,
                ">": left > right,
                "<=": left <= right,
                ">=": left >= right,
                "==": left == right,
                "!=": left != right,
            }[how]
        )
    return left, tokens


def _plain(tokens: list[str], known: Mapping[str, Value]) -> tuple[Value, list[str]]:
    first, *rest = tokens
    if first == "!":
        value, rest = _plain(rest, known)
        return None if value is None else int(not value), rest
    if first == "(":
        value, rest = _any_of(rest, known)
        return (value, rest[1:]) if rest[0] == ")" else (None, [])
    if first == "defined":
        bracketed = rest[0] == "("
        name = rest[1] if bracketed else rest[0]
        return _is_defined(name, known), rest[3:] if bracketed else rest[1:]
    if first[0].isdigit():
        return int(first, 0) if first.lower().startswith("0x") else int(first), rest
    if first in known:
        return known[first], rest
    return (None if _is_defined(first, known) is None else 0), rest
