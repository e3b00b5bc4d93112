"""The headers that a build generates for a program that launches kernels of other files: `aclrtlaunch_KERNEL.h`."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tree_sitter import Tree

from kernelwright_backends.host.nearby_sources import sources_near
from kernelwright_backends.syntax.text import walk
from kernelwright_backends.untrusted.reading import read_bounded

_HEADER = re.compile(r"(?:.*/)?aclrtlaunch_(\w+)\.h")
_INCLUDE = re.compile(
    rb"^[ \t]*#[ \t]*include[ \t]*[\"<](?:[^\">]*/)?aclrtlaunch_(\w+)\.h[\">]", re.MULTILINE
)
_SUFFIXES = (".cpp", ".asc", ".cc", ".cxx")


def launched_kernels(text: bytes) -> frozenset[bytes]:
    """Every kernel whose generated header a text includes."""
    return frozenset(_INCLUDE.findall(text))


def launched_kernel(spelled: str) -> str | None:
    """The kernel whose generated header `"..."` or `<...>` names; None for other headers."""
    match = _HEADER.fullmatch(spelled.strip('<>" '))
    return match[1] if match else None


class Launched(NamedTuple):
    """A kernel of another file."""

    name: str
    file: Path
    declaration: bytes
    text: bytes  # of the file


def find_launched(kernel: str, program: Path, parse: Callable[[bytes], Tree]) -> Launched | None:
    """The kernel in the file beside the program that defines it; None where none does."""
    wanted = re.compile(rb"\b" + re.escape(kernel.encode()) + rb"\s*\(")
    for file in sources_near(program, _SUFFIXES, above=True):
        try:
            text = read_bounded(file)
        except OSError:
            continue
        if b"__global__" not in text or not wanted.search(text):
            continue
        for node in walk(parse(text).root_node):
            if node.type != "function_definition":
                continue
            declarator, body = node.child_by_field_name("declarator"), node.child_by_field_name("body")
            name = declarator.child_by_field_name("declarator") if declarator is not None else None
            if name is None or body is None or name.text != kernel.encode():
                continue
            parameters = declarator.child_by_field_name("parameters") if declarator is not None else None
            if parameters is None:
                continue
            linkage = node.parent is not None and node.parent.type == "linkage_specification"
            spelled = text[parameters.start_byte : parameters.end_byte]
            declared = (b'extern "C" ' if linkage else b"") + b"void " + kernel.encode() + spelled + b";"
            return Launched(kernel, file, declared, text)
    return None
