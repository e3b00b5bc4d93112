"""Which of the user's flags reach a compiler: those that control code generation, and none that loads code into it, has it read or
write files elsewhere, or switches our checks off.

The compiler is confined anyway. What is not known to be harmless is refused, since compilers have many more flags than a list of
bad ones could name.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

# Each must match in full; `/` stands in none of them, so that no value is a path.
_HARMLESS = re.compile(
    r"-O(?:[0-3sgz]|fast)?|-g[0-3]?|-ggdb[0-3]?|-gdwarf(?:-[2-5])?|-gline-tables-only"
    r"|--?std=[\w+]+|-ansi|-pedantic(?:-errors)?|-pthread|-pipe|-w|-fast-math"
    r"|-W(?:[\w+-]+(?:=[\w+-]+)?)?"
    r"|-[fm][\w.-]+(?:=[\w.,+:-]*)?"
    r"|--param=[\w-]+=\w+"
    # nvcc's own
    r"|--?(?:use_fast_math|expt-relaxed-constexpr|expt-extended-lambda|extended-lambda|restrict|lineinfo|generate-line-info"
    r"|resource-usage|res-usage|device-debug|debug|extra-device-vectorization|allow-unsupported-compiler|disable-warnings)|-G"
    r"|--?(?:ftz|fmad|prec-div|prec-sqrt|maxrregcount|rdc|relocatable-device-code|default-stream|arch|gpu-architecture|code"
    r"|gpu-code|gencode|generate-code|diag-suppress|diag-error|diag-warn|optimize|split-compile|threads)=[\w.,=\[\]\"-]+"
)
_LOADING_OR_WRITING = re.compile(
    # code that is loaded, and programs that are started
    r"-f(?:plugin|pass-plugin|module|use-ld|use-linker-plugin|lto|thinlto|no-integrated|integrated)"
    # files beside the result, and files that are read
    r"|-f(?:dump|save|opt-info|optimization-record|callgraph-info|stack-usage|time-trace|proc-stat|crash|test-coverage|coverage"
    r"|profile|cs-profile|auto-profile|branch-probabilities|compare-debug|pch|preprocessed|directives-only|self-test|depfile"
    r"|basic-block-sections|report-bug|memory-profile|xray|embed|sanitize-(?:black|ignore|coverage)|working-directory|syntax-only)"
    # where messages go, and what is checked
    r"|-f(?:diagnostics-(?:format|add|set)|no-sanitize|no-diagnostics)"
    r"|-m(?:llvm|linker)"
)
_OF_A_FOLDER = ("-I", "-isystem", "-iquote", "-idirafter")
_OF_A_FILE = ("-include", "-imacros")
_OF_A_MACRO = ("-D", "-U")
# Those with a value after them, and what it may be.
_WITH_VALUE = {
    "--param": re.compile(r"[\w-]+=\w+"),
    **dict.fromkeys(
        ("-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code", "-maxrregcount",
         "--maxrregcount", "-default-stream", "--default-stream", "-diag-suppress", "--diag-suppress", "-t", "--threads"),
        re.compile(r"[\w.,=\[\]\"-]+"),
    ),
}  # fmt: skip
# Words for a part of nvcc, one or several with commas between.
_OF_A_PART = {
    **dict.fromkeys(
        ("-Xptxas", "--ptxas-options"),
        re.compile(r"--?(?:v|verbose|w|O[0-3]|opt-level=?[0-3]|d[ls]cm=\w+|def-(?:load|store)-cache=\w+|warn-[\w-]+"
                   r"|disable-optimizer-constants|allow-expensive-optimizations=\w+|maxrregcount=\d+)"),
    ),
    **dict.fromkeys(("-Xcudafe", "--cudafe-options"), re.compile(r"--(?:diag_\w+=[\w]+|display_error_number)")),
}  # fmt: skip
_OF_THE_HOST = ("-Xcompiler", "--compiler-options")


def refused_flag(flags: Sequence[str], folders: Sequence[Path]) -> str | None:
    """The first of the user's flags that no compiler is given, as it is spelled; None where all are harmless.

    Args:
        folders: of the project and what it configures: files that a flag names lie in them.
    """
    rest = iter(flags)
    for flag in rest:
        if not _is_harmless(flag, rest, folders):
            return flag
    return None


def refusal(flags: Sequence[str], folders: Sequence[Path]) -> str | None:
    """What is said of it to the user."""
    flag = refused_flag(flags, folders)
    if flag is None:
        return None
    return (
        f"the flag '{flag}' of [compile] flags is not passed on, since it may load code, read or write other files, or switch off "
        "checks; remove it from kernelwright.toml"
    )


def _is_harmless(flag: str, rest: Iterator[str], folders: Sequence[Path]) -> bool:
    if flag in _WITH_VALUE:
        return _WITH_VALUE[flag].fullmatch(next(rest, "")) is not None
    name, _, value = flag.partition("=")
    if name in _OF_A_PART or name in _OF_THE_HOST:
        words = (value or next(rest, "")).split(",")
        if name in _OF_A_PART:
            return all(_OF_A_PART[name].fullmatch(word) for word in words)
        return all(_says_how(word) for word in words)
    if flag in _OF_A_FILE:
        return _is_within(next(rest, ""), folders)
    for start in (*_OF_A_FOLDER, *_OF_A_MACRO):
        if flag.startswith(start):
            # The sandbox shows no folder that is not the project's: what is not there is not read.
            return bool(flag[len(start) :] or next(rest, ""))
    return _says_how(flag)


def _says_how(flag: str) -> bool:
    return _HARMLESS.fullmatch(flag) is not None and _LOADING_OR_WRITING.match(flag) is None


def _is_within(name: str, folders: Sequence[Path]) -> bool:
    """Whether a file is looked for in the folders alone: by its name, as an `#include` is, or where it lies."""
    if not name or name.startswith("-"):
        return False
    path = Path(name)
    if not path.is_absolute():
        return ".." not in path.parts
    return any(path.resolve().is_relative_to(folder.resolve()) for folder in folders)
