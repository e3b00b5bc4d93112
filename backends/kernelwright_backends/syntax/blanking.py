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
# A macro with parameters that stands for qualifiers, or for nothing: `#define LAUNCH_BOUNDS(t, b) __launch_bounds__(t, b)`.
_CALLED_MACRO = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)\([\w \t,.]*\)[ \t]*((?:"
    + _QUALIFIER
    + rb"[ \t]*)*)(?://[^\r\n]*)?\r?$",
    re.MULTILINE,
)
_LONE_RETURN = re.compile(rb"\r(?!\n)")


def qualifier_macros(text: bytes) -> dict[bytes, bytes]:
    """Macros of a text that stand for qualifiers, with all that they stand for: `#if` may choose among definitions.

    The name of a macro with parameters ends with its parenthesis.
    """
    found: dict[bytes, bytes] = {}
    if b"define" not in text:
        return found
    for match in _LOCAL_MACRO.finditer(text):
        found[match[1]] = found.get(match[1], b"") + b" " + match[2]
    for match in _CALLED_MACRO.finditer(text):
        # What stands for nothing is often a check that was switched off; a bound of launches says so by its name.
        if match[2].strip() or b"bounds" in match[1].lower():
            name = match[1] + b"("
            found[name] = found.get(name, b"") + b" " + match[2]
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
            if name.rstrip(b"(") in result:
                macros[name] = macros.get(name, b"") + b" " + meaning
        plain = {name: meaning for name, meaning in macros.items() if not name.endswith(b"(")}
        if plain:
            result = _blank_macros(result, plain, marks)
        if device is not None:
            for match in re.finditer(rb"(?<!\w)" + device + rb"(?!\w)", result):
                marks[match.start()] = frozenset({"__device__"})
        # Searching for a fixed string is many times faster than an expression, and most texts hold none of these.
        if any(word in result for word in words):
            result = in_words.sub(_spaces, result)
        if any(word in result for word in calls):
            result = _blank_calls(result, with_arguments)
        for name, meaning in macros.items():
            if name.endswith(b"("):
                result = _blank_calls(result, _use_of(name[:-1]), _execution(meaning), marks)
        for sign, expression in expressions.items():
            if sign in result:
                result = expression.sub(_spaces, result)
        return Prepared(result, marks)

    return prepare


def _spaces(match: re.Match[bytes]) -> bytes:
    kept = match[1] if match.re.groups else b""
    return kept + b" " * (len(match[0]) - len(kept))


def _execution(meaning: bytes) -> frozenset[str]:
    return frozenset(word.decode() for word in _EXECUTION if word in meaning)


@lru_cache(maxsize=32)
def _use_of(name: bytes) -> re.Pattern[bytes]:
    """Where a macro with parameters is used, but not where it is defined."""
    return re.compile(rb"(?<!\w)(?<!define )(?<!define\t)" + name + rb"\s*\(")


def _blank_macros(text: bytes, macros: dict[bytes, bytes], marks: dict[int, frozenset[str]]) -> bytes:
    def replace(match: re.Match[bytes]) -> bytes:
        line = text[text.rfind(b"\n", 0, match.start()) + 1 : match.start()]
        if line.lstrip().startswith(b"#"):  # its own definition, #undef, #ifdef
            return match[0]
        qualifiers = _execution(macros[match[0]])
        if qualifiers:
            marks[match.start()] = qualifiers
        return b" " * len(match[0])

    return _macro_pattern(tuple(sorted(macros)))(replace, text)


@lru_cache(maxsize=8)
def _macro_pattern(names: tuple[bytes, ...]) -> Callable[[Callable[[re.Match[bytes]], bytes], bytes], bytes]:
    return re.compile(rb"(?<!\w)(?:" + b"|".join(names) + rb")(?!\w)").sub


def _blank_calls(
    text: bytes,
    pattern: re.Pattern[bytes],
    qualifiers: frozenset[str] = frozenset(),
    marks: dict[int, frozenset[str]] | None = None,
) -> bytes:
    pieces, position = [], 0
    for match in pattern.finditer(text):
        if match.start() < position:
            continue
        end = _closing(text, match.end())
        if end is None:  # being typed: leave it to the parser's recovery
            continue
        if qualifiers and marks is not None:
            marks[match.start()] = qualifiers
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
