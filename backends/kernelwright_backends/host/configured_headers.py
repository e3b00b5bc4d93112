"""Headers that a build makes, `config.h` from `config.h.in`: written as it would write them on this machine, where nobody built."""

import ctypes
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, pairwise
from pathlib import Path

from kernelwright_backends.untrusted.reach import Reach

_TEMPLATE_BYTES = 1 << 20
_FOLDERS = ("", "config", "cmake", "include", "src", "src/include", "inc", "build")
_DEFINED = re.compile(
    r"#[ \t]*cmakedefine(?P<number>01)?[ \t]+(?P<name>\w+)(?P<value>[^\n]*)|#[ \t]*undef[ \t]+(?P<undefined>\w+)[ \t]*$"
)
_VARIABLE = re.compile(r"@\w+@|\$\{\w+\}")
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
# Macros that a build with a device sets.
FOR_A_DEVICE = r"(?:\w+_)?(?:WITH|USE|USES|USING|HAVE|HAS|ENABLE|ENABLED|BUILD|TARGET|BACKEND)_(?:CUDA|GPU)"
_OF_DEVICE = re.compile(FOR_A_DEVICE)
_EXPORTING = re.compile(r"\bgenerate_export_header\s*\(\s*([\w-]+)([^()]*)\)", re.IGNORECASE)
_EXPORT_MACROS = ("EXPORT", "NO_EXPORT", "DEPRECATED", "DEPRECATED_EXPORT", "DEPRECATED_NO_EXPORT")


def generated(spelled: str, above: Sequence[Path], reach: Reach) -> tuple[Path, bytes] | None:
    """Where the build of a project would put the header of an `#include`, and its text; None where no build makes it.

    Args:
        above: the folders of the project around the file, nearest first.
        reach: of the file; templates elsewhere are not read.
    """
    name = spelled.strip('<>" ')
    if not name or name.startswith("/") or ".." in Path(name).parts or any(c in name for c in "*?[\0"):
        return None
    for template in _templates(name, above):
        try:
            text = reach.read(template, limit_bytes=_TEMPLATE_BYTES).decode("utf-8", "replace")
        except OSError:
            continue
        return template.with_name(Path(name).name), configured(text).encode()
    for folder in above:
        macros = _exported_by(folder, Path(name).name, reach)
        if macros:
            # Everything is linked into one object here: there is nothing to export.
            written = "".join(("#pragma once\n", *(f"#define {macro}\n" for macro in macros)))
            return folder / Path(name).name, written.encode()
    return None


def _templates(name: str, above: Sequence[Path]) -> Iterator[Path]:
    plain = Path(name)
    spellings = (
        f"{name}.in",
        f"{name}.cmake.in",
        f"{name}.cmake",
        f"{plain.with_suffix('')}.in{plain.suffix}",
    )
    for folder in above:
        for place in _FOLDERS:
            for spelling in spellings:
                if (folder / place / spelling).is_file():
                    yield folder / place / spelling
    if above:
        last = f"{plain.name}.in"
        found = [p for depth in ("*", "*/*", "*/*/*") for p in islice(above[-1].glob(f"{depth}/{last}"), 2)]
        if len(found) == 1:
            yield found[0]


def configured(template: str) -> str:
    """What CMake's `configure_file` or autoconf makes of a template, with the headers and functions of this machine and a
    device; what only the project's own build knows is left undefined, or nothing."""
    return "".join(_line(line) for line in template.splitlines(keepends=True))


def _line(line: str) -> str:
    match = _DEFINED.match(line)
    if match is None:
        within = _STRING.sub(lambda string: _VARIABLE.sub("", string[0]), line)
        return _VARIABLE.sub("0", within)
    name = match["name"] or match["undefined"]
    there = _is_here(name)
    ending = "\n" if line.endswith("\n") else ""
    if match["number"]:
        return f"#define {name} {int(there)}{ending}"
    if not there:
        return f"/* #undef {name} */{ending}"
    return f"#define {name}{'' if match['name'] and not match['value'].strip() else ' 1'}{ending}"


@cache
def _is_here(name: str) -> bool:
    if _OF_DEVICE.fullmatch(name) or name == "STDC_HEADERS":
        return True
    if not name.startswith("HAVE_"):
        return False
    what = name.removeprefix("HAVE_").removeprefix("DECL_").lower()
    if what.endswith("_h"):
        header = what.removesuffix("_h")
        return what.startswith("cuda") or any(
            (Path("/usr/include") / f"{spelled}.h").is_file()
            for spelled in (header, header.replace("_", "/", 1))
        )
    return hasattr(ctypes.CDLL(None), what)


def _exported_by(folder: Path, header: str, reach: Reach) -> list[str]:
    """The macros of `header` that CMake's `generate_export_header` of this folder writes."""
    try:
        text = reach.read(folder / "CMakeLists.txt", limit_bytes=_TEMPLATE_BYTES).decode("utf-8", "replace")
    except OSError:
        return []
    for match in _EXPORTING.finditer(text):
        words = match[2].split()
        said = dict(pairwise(words))
        base = str(said.get("BASE_NAME", match[1]))
        file = said.get("EXPORT_FILE_NAME", f"{base.lower()}_export.h").strip('"')
        if Path(file).name == header:
            prefix = re.sub(r"\W", "_", base).upper()
            usual = [f"{prefix}_{macro}" for macro in _EXPORT_MACROS]
            return [said.get("EXPORT_MACRO_NAME", usual[0]), *usual[1:]]
    return []
