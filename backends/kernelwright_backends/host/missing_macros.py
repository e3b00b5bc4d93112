"""Macros and folders that a build would name: where a compilation misses one, what says so here."""

import re
from collections.abc import Iterable

_SETTINGS = "of [compile] in kernelwright.toml"
_MISSING_HEADER = re.compile(r"[^\s:]+: No such file or directory$")
# As macros are written: words in capitals, of more than a template's parameter has, or between underscores.
_MISSING_MACRO = re.compile(
    r"'(?P<name>_?[A-Z][A-Z0-9_]{2,}|_[A-Z]+_)' (?:was not declared in this scope|has not been declared|does not name a type)"
)


def remedy(message: str, texts: Iterable[bytes]) -> str | None:
    """What to set where a message of the compiler misses a header, or a macro that none of `texts` defines; None for any other."""
    if _MISSING_HEADER.match(message):
        return f"if it lies elsewhere, add its folder to `include` {_SETTINGS}"
    match = _MISSING_MACRO.match(message)
    if match is None:
        return None
    name = match["name"]
    definition = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+%s\b" % name.encode(), re.MULTILINE)
    if any(definition.search(text) for text in texts):
        return None
    return f'if the build defines it (-D{name}=...), add "{name}=..." to `define` {_SETTINGS}'
