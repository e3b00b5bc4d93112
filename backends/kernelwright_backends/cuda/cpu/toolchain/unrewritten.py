"""The user's text nearly as it stands, for the question whether an error is the text's or our rewriting's."""

import re
from dataclasses import replace
from pathlib import Path

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.cuda.cpu.frontend.sources import CudaSources
from kernelwright_backends.host.sources import header_name

_INCLUDE = re.compile(rb'^([ \t]*#[ \t]*include[ \t]*)"([^"\r\n]+)"', re.MULTILINE)
_LAUNCH = re.compile(rb"<<<(?!<)")
_MOST_OF_A_LAUNCH = 2000
# A shared variable is any other to a compiler that only reads; a warning of ours would be none of it.
_WORDS = b"#define __shared__\n#define __noinline__\n"


def unrewritten(sources: CudaSources) -> CudaSources:
    """The same files with nothing changed but what no C++ compiler can read: launches are calls, `__shared__` means nothing.

    Lines stay where they are; columns may not.
    """
    files = {}
    for path, file in sources.files.items():
        text = _without_launches(file.original)

        def named(match: re.Match[bytes]) -> bytes:
            ending = "/" + match[2].decode("utf-8", "replace").rsplit("../", 1)[-1].removeprefix("./")
            meant = [other for other in sources.files if str(other).endswith(ending)]
            return match[1] + b'"' + (header_name(meant[0]).encode() if meant else match[2]) + b'"'

        text = _INCLUDE.sub(named, text)
        if path == sources.main:
            text = _WORDS + b"#line 1\n" + text
        files[path] = replace(file, text=text, spans=[])
    return replace(sources, files=files)


def in_a_launch(sources: CudaSources, found: Finding) -> bool:
    """Does a finding stand in what a launch is configured with?"""
    file = sources.files.get(Path(found.path))
    if file is None:
        return False
    lines = file.original.split(b"\n")
    line = lines[found.line - 1] if found.line <= len(lines) else b""
    at = sum(len(above) + 1 for above in lines[: found.line - 1])
    at += len(line.decode("utf-8", "replace")[: found.column - 1].encode())
    begins, ends = file.original.rfind(b"<<<", 0, at), file.original.rfind(b">>>", 0, at)
    return begins > ends and begins >= at - _MOST_OF_A_LAUNCH


def _without_launches(text: bytes) -> bytes:
    """`k<<<grid, block>>>(x)` as `k(x)`, its ends of lines kept."""
    parts: list[bytes] = []
    at = 0
    for match in _LAUNCH.finditer(text):
        if match.start() < at:
            continue
        end = text.find(b">>>", match.end(), match.end() + _MOST_OF_A_LAUNCH)
        if end < 0:
            continue
        parts += [text[at : match.start()], bytes(c for c in text[match.start() : end] if c in b"\\\r\n")]
        at = end + 3
    return b"".join([*parts, text[at:]])
