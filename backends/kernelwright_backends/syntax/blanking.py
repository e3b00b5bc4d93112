"""Makes a text readable for the grammar without moving anything in it."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType

from kernelwright_backends.syntax.tree import Prepared

_EXECUTION = (b"__global__", b"__device__", b"__host__")
# What a macro may be made of if it is to be read as a qualifier: specifiers, and those that take arguments.
_QUALIFIER = (
    rb"(?:__global__|__device__|__host__|__forceinline__|__noinline__|__inline__|__restrict__|__restrict|static|inline|"
    rb'extern|"C"|constexpr|__aicore__|\[aicore\]|\[\[[^\]]*\]\]|__gm__|__ubuf__|'
    rb"(?:__launch_bounds__|__attribute__|__cluster_dims__|__maxnreg__)\s*\((?:[^()]|\([^()]*\))*\))"
)
_LOCAL_MACRO = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+("
    + _QUALIFIER
    + rb"(?:[ \t]+"
    + _QUALIFIER
    + rb")*)[ \t]*(?://[^\r\n]*)?\r?$",
    re.MULTILINE,
)
_LONE_RETURN = re.compile(rb"\r(?!\n)")


def qualifier_macros(text: bytes) -> dict[bytes, bytes]:
    """Macros of a text that stand for qualifiers, with all that they stand for: `#if` may choose among definitions."""
    found: dict[bytes, bytes] = {}
    if b"define" in text:
        for match in _LOCAL_MACRO.finditer(text):
            found[match[1]] = found.get(match[1], b"") + b" " + match[2]
    return found


def blanker(
    words: tuple[bytes, ...],
    calls: tuple[bytes, ...],
    patterns: Mapping[bytes, bytes] = MappingProxyType({}),
    device: bytes | None = None,
) -> Callable[..., Prepared]:
    """A function that blanks `words`, `calls` with their parentheses, and the qualifier macros of a text.

    `patterns` are regular expressions of whole stretches to blank, each with a string that must be in the text for it
    to match; a first group is kept. `device` is the word among `words` that stands for `__device__`. Only bytes
    change, never their number. A caller that knows more qualifier macros, from other files, hands them over.
    """
    in_words = re.compile(rb"(?<!\w)(?:" + b"|".join(words) + rb")(?!\w)")
    with_arguments = re.compile(rb"(?<!\w)(?:" + b"|".join(calls) + rb")\s*\(")
    expressions = {sign: re.compile(pattern) for sign, pattern in patterns.items()}

    def prepare(text: bytes, others: Mapping[bytes, bytes] = MappingProxyType({})) -> Prepared:
        result = text
        if b"\r" in text:  # to the grammar a comment ends with \n only
            result = _LONE_RETURN.sub(b"\n", result)
        if result.startswith(b"\xef\xbb\xbf"):
            result = b"   " + result[3:]
        marks: dict[int, frozenset[str]] = {}
        macros = qualifier_macros(result)
        for name, meaning in others.items():
            if name in result:
                macros[name] = macros.get(name, b"") + b" " + meaning
        if macros:
            result = _blank_macros(result, macros, marks)
        if device is not None:
            for match in re.finditer(rb"(?<!\w)" + device + rb"(?!\w)", result):
                marks[match.start()] = frozenset({"__device__"})
        # Searching for a fixed string is many times faster than an expression, and most texts hold none of these.
        if any(word in result for word in words):
            result = in_words.sub(_spaces, result)
        if any(word in result for word in calls):
            result = _blank_calls(result, with_arguments)
        for sign, expression in expressions.items():
            if sign in result:
                result = expression.sub(_spaces, result)
        return Prepared(result, marks)

    return prepare


def _spaces(match: re.Match[bytes]) -> bytes:
    kept = match[1] if match.re.groups else b""
    return kept + b" " * (len(match[0]) - len(kept))


def _blank_macros(text: bytes, macros: dict[bytes, bytes], marks: dict[int, frozenset[str]]) -> bytes:
    def replace(match: re.Match[bytes]) -> bytes:
        line = text[text.rfind(b"\n", 0, match.start()) + 1 : match.start()]
        if line.lstrip().startswith(b"#"):  # its own definition, #undef, #ifdef
            return match[0]
        meaning = macros[match[0]]
        qualifiers = frozenset(word.decode() for word in _EXECUTION if word in meaning)
        if qualifiers:
            marks[match.start()] = qualifiers
        return b" " * len(match[0])

    return _macro_pattern(tuple(sorted(macros)))(replace, text)


@lru_cache(maxsize=8)
def _macro_pattern(names: tuple[bytes, ...]) -> Callable[[Callable[[re.Match[bytes]], bytes], bytes], bytes]:
    return re.compile(rb"(?<!\w)(?:" + b"|".join(names) + rb")(?!\w)").sub


def _blank_calls(text: bytes, pattern: re.Pattern[bytes]) -> bytes:
    pieces, position = [], 0
    for match in pattern.finditer(text):
        if match.start() < position:
            continue
        end = _closing(text, match.end())
        if end is None:  # being typed: leave it to the parser's recovery
            continue
        stretch = text[match.start() : end]
        pieces += [text[position : match.start()], re.sub(rb"[^\r\n]", b" ", stretch)]
        position = end
    return b"".join([*pieces, text[position:]]) if pieces else text


def _closing(text: bytes, position: int) -> int | None:
    """The place after the parenthesis that closes the one before `position`; None if a block begins first."""
    depth = 1
    for match in re.compile(rb"[(){};]").finditer(text, position):
        if match[0] == b"(":
            depth += 1
        elif match[0] == b")":
            depth -= 1
            if depth == 0:
                return match.end()
        else:
            return None
    return None
