"""Which of PyTorch's operators nvcc has to hear of.

The shim declares a thousand of them, so that a call of one is refused in our words. nvcc reads a text three times: it gets the
declarations of those alone whose names the text contains, unless it includes files of its own, which may name others.
"""

import re
from functools import cache
from pathlib import Path

from kernelwright_backends.cuda.nvcc import toolkit as tools
from kernelwright_backends.storage.folders import private_folder, write_private

_HEADER = Path("kernelwright") / "operators.def"
_NAMED = re.compile(rb"(KW_(?:\w+_)?(?:FUNCTION|METHOD))\((\w+)\)")
_OWN_HEADER = re.compile(rb"^\s*#\s*include\s+[^<\s]", re.MULTILINE)  # also through a macro
_WORD = re.compile(rb"\w+")


def write_named(folder: Path, text: bytes) -> None:
    """Put the header with the operators that a text names into a folder that is searched before the shim."""
    if _OWN_HEADER.search(text):
        return
    words = set(_WORD.findall(text))
    header = folder / _HEADER
    private_folder(header.parent)
    write_private(header, _NAMED.sub(lambda entry: entry[0] if entry[2] in words else b"", _all()))


@cache
def _all() -> bytes:
    return (tools.SHIM / _HEADER).read_bytes()
