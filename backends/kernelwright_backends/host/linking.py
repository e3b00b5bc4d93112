"""What a linked candidate consists of: headers that were read, symbols, and names that are never defined."""

import re
from collections.abc import Collection
from pathlib import Path

from kernelwright_backends.core.finding import Finding, finding
from kernelwright_backends.host.elf import ElfSymbols, foreign_initialisers
from kernelwright_backends.host.places import Places
from kernelwright_backends.host.sources import Sources
from kernelwright_backends.interfaces.build import Symbols

# What instrumentation calls: a candidate that has its own would not be seen.
_HOOKS = ("__tsan_", "__ubsan_", "__sanitizer_", "__wrap_")


def included_headers(dependencies: Path, sources: Sources) -> tuple[str, ...]:
    """Headers that were read and are neither ours nor the system's, by the paths that the user knows.

    Args:
        dependencies: what the compiler named, taken over into the folder with the sources.
    """
    try:
        text = dependencies.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    words = text.replace("\\\n", " ").split(":", 1)[-1].split()
    folder = dependencies.parent
    known = {str(p) for p in sources.files if p != sources.main}
    for word in words:
        place = Path(word)
        if folder in place.parents or place.name in ("prelude.h", "prelude.h.gch"):
            continue
        known.add(word)
    return tuple(sorted(known))


def symbols_of(elf: ElfSymbols, includes: tuple[str, ...], reserved: Collection[str]) -> Symbols:
    """What a shared object needs, exports and replaces.

    Args:
        reserved: the functions of the runtime, which a candidate must not have of its own.
    """
    return Symbols(
        undefined=elf.undefined,
        needed=elf.needed,
        exported=elf.exported,
        libraries=elf.libraries,
        initialisers=foreign_initialisers(elf),
        includes=includes,
        oddities=elf.oddities,
        replaced=tuple(name for name in elf.functions if name in reserved or name.startswith(_HOOKS)),
    )


def unresolved(symbols: Symbols) -> tuple[str, ...]:
    """C++ functions of the candidate that are never defined: the C++ library's own names stay out."""
    return tuple(
        s for s in symbols.undefined if s.startswith("_Z") and not s.startswith(("_ZN", "_ZS", "_ZT", "_ZNK", "_Znw", "_Zna", "_Zdl", "_Zda"))
    )  # fmt: skip


def undefined(symbol: str, sources: Sources, places: Places) -> Finding:
    """The finding about a name that is never defined, at its first use."""
    name = plain_name(symbol)
    found = next(
        (use for unit in sources.units if (use := unit.first_use(name.rsplit("::", 1)[-1])) is not None), None
    )
    path, at = found if found is not None else (sources.main, None)
    message = f"'{name}' is declared and used, but not defined; define it in this file or in a header that it includes"
    data = {"symbol": symbol}
    if at is None:
        return finding("COMPILE_LINK", message, str(path), data=data)
    return finding("COMPILE_LINK", message, str(path), at, data=data)


def plain_name(symbol: str) -> str:
    """The identifier in a mangled name of a function: `_Z5scalePfi` is `scale`, `_ZN2ns5scaleEv` is `ns::scale`."""
    if not symbol.startswith("_Z"):
        return symbol.split("@", 1)[0]
    nested = re.match(r"_ZN[KVrRO]*(?=\d)", symbol)
    if nested is not None:
        parts, rest = [], symbol[nested.end() :]
        while (length := re.match(r"\d+", rest)) is not None:
            end = length.end() + int(length[0])
            parts.append(rest[length.end() : end])
            rest = rest[end:]
        return "::".join(parts)
    digits = ""
    for character in symbol[2:]:
        if not character.isdigit():
            break
        digits += character
    if not digits:
        return symbol
    start = 2 + len(digits)
    return symbol[start : start + int(digits)]
