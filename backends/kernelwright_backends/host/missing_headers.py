"""All headers that a text includes and no search path has, where the compiler names the first alone."""

import re
from collections.abc import Sequence
from pathlib import Path

from kernelwright_backends.host.compiling import run_compiler
from kernelwright_backends.host.sources import Sources
from kernelwright_backends.interfaces.confinement import Confinement
from kernelwright_backends.untrusted.handover import fresh_output

NO_SUCH_FILE = "No such file or directory"
_MOST = 20
_NAME = re.compile(r"(?:\\ |[^\s\\])+")
_OUTPUT_FLAGS = ("-c", "-fsyntax-only")


async def missing_headers(
    argv: Sequence[str], confinement: Confinement, readable: list[Path]
) -> tuple[str, ...]:
    """The missing headers as they are spelled, in order; headers behind conditions that do not hold are none of them.

    Args:
        argv: of the compilation that missed the first.
    """
    asked = [
        word for word in argv if word not in _OUTPUT_FLAGS and not word.startswith("-fdiagnostics-format")
    ]
    with fresh_output() as out:
        completed = await run_compiler(confinement, [*asked, "-M", "-MG"], readable, out)
    if completed.status:
        return ()
    words = completed.stdout.decode("utf-8", "replace").partition(":")[2].replace("\\\n", " ")
    names = (match[0].replace("\\ ", " ") for match in _NAME.finditer(words))
    return tuple(dict.fromkeys(n for n in names if not n.startswith("/") and n != "\\"))[:_MOST]


def said_of_missing(names: Sequence[str], sources: Sources) -> str:
    """What the compiler would say of each, at its first include."""
    lines = []
    for name in names:
        include = re.compile(
            rb"^[ \t]*#[ \t]*include[ \t]*[\"<]" + re.escape(name.encode()) + rb"[\">]", re.MULTILINE
        )
        for path, file in sources.files.items():
            if (match := include.search(file.original)) is not None:
                line = file.original.count(b"\n", 0, match.start()) + 1
                lines.append(f"{path}:{line}:1: fatal error: {name}: {NO_SUCH_FILE}")
                break
    return "\n".join(lines)
