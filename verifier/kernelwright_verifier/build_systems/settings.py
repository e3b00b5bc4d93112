"""What a build says of one source, and how it is read from the words of a compiler's command line."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# Only these are asked for by name: what is older is contained in the first.
_STANDARD = re.compile(r"(?:c|gnu)\+\+(17|1z|20|2a|23|2b)")
_NEW_NAMES = {"1z": "17", "2a": "20", "2b": "23"}
_MACRO = re.compile(r"([A-Za-z_]\w*)(?:\([^)]*\))?(?:=|$)", re.DOTALL)
# The compiler's own, which a build may repeat, and ours.
_RESERVED = re.compile(r"__CUDACC\w*|__CUDA_ARCH\w*|__NVCC__|__cplusplus|KW_\w*|TORCH_EXTENSION_NAME")
_LONGEST_MACRO = 1 << 14
_HANDED_ON = ("-Xcompiler", "--compiler-options", "-Xcudafe", "--options-file")
_VALUED = (
    "-isystem", "-iquote", "-idirafter", "--define-macro", "--undefine-macro", "--include-path", "--system-include", "-D", "-U", "-I",
)  # fmt: skip


@dataclass(frozen=True)
class BuildFacts:
    """Macros, include folders and the standard that a build gives the compiler."""

    include: tuple[Path, ...] = ()
    define: tuple[str, ...] = ()
    """as behind `-D`"""
    std: str | None = None
    """`c++17`, `c++20` or `c++23`; None where the build asks for none of these"""
    undefine: tuple[str, ...] = ()
    """names, as behind `-U`"""

    def __or__(self, other: "BuildFacts") -> "BuildFacts":
        """Both; where they differ, this one counts."""
        named = {macro_name(define) for define in self.define}
        return BuildFacts(
            tuple(dict.fromkeys((*self.include, *other.include))),
            (*self.define, *(define for define in other.define if macro_name(define) not in named)),
            self.std or other.std,
            tuple(dict.fromkeys((*self.undefine, *other.undefine))),
        )


def macro_name(define: str) -> str:
    return define.split("=", 1)[0]


def standard_of(number: str) -> str | None:
    """`c++17` of `17`; None of what is older or unknown."""
    match = _STANDARD.fullmatch(f"c++{number.strip()}")
    return f"c++{_NEW_NAMES.get(match[1], match[1])}" if match else None


def only_macros(words: Iterable[str]) -> tuple[str, ...]:
    """Those of `words` that are definitions and not the compiler's own, the last of each name, in order."""
    found: dict[str, str] = {}
    for word in words:
        match = _MACRO.match(word[:_LONGEST_MACRO])
        if match and len(word) <= _LONGEST_MACRO and _is_text(word) and not _RESERVED.fullmatch(match[1]):
            found[match[1]] = word
    return tuple(found.values())


def read_options(words: Sequence[str], folder: Path) -> BuildFacts:
    """What the words of a command line (of a C++ compiler or nvcc, started in `folder`) say."""
    include: list[Path] = []
    define: list[str] = []
    undefine: list[str] = []
    standard: str | None = None
    values = iter(_flattened(words))
    for word in values:
        if match := re.fullmatch(r"--?std(?:=(.*))?", word):
            match = _STANDARD.fullmatch(match[1] if match[1] is not None else next(values, ""))
            standard = standard_of(match[1]) if match else standard
            continue
        option = next((option for option in _VALUED if word.startswith(option)), None)
        if option is None:
            continue
        value = word[len(option) :].removeprefix("=") if word != option else next(values, "")
        if option in ("-D", "--define-macro"):
            define.append(value)
        elif option in ("-U", "--undefine-macro"):
            undefine.append(value)
        elif value and (place := _place(folder, value)) is not None:
            include.append(place)
    return BuildFacts(tuple(dict.fromkeys(include)), only_macros(define), standard, only_macros(undefine))


def _place(folder: Path, value: str) -> Path | None:
    """None of what names no place: a zero byte, half a character."""
    try:
        return (folder / value).resolve()
    except (OSError, ValueError):
        return None


def _is_text(word: str) -> bool:
    """Can it be an argument of a program?"""
    try:
        return b"\0" not in word.encode()
    except UnicodeEncodeError:
        return False


def _flattened(words: Sequence[str]) -> Iterator[str]:
    """The words with those that are handed on to the host's compiler."""
    values = iter(words)
    for word in values:
        handed = next(
            (option for option in _HANDED_ON if word == option or word.startswith(f"{option}=")), None
        )
        if handed is None:
            yield word
            continue
        value = word[len(handed) + 1 :] if word != handed else next(values, "")
        yield from re.split(r"[,\s]+", value.strip("\"'"))
