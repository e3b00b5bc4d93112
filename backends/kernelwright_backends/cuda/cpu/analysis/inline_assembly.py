"""Assembly by its side: in device code it is PTX, in host code it is not allowed (check A12, compile-time reads)."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.core.finding import Range
from kernelwright_backends.syntax.text import Lines, walk

_WORD = re.compile(rb"\b(?:asm|__asm|__asm__)\b")
_STRING = re.compile(rb'"(?:\\.|[^"\\])*"')


def host_assembly(root: Node, lines: Lines) -> list[Range]:
    """Assembly in host functions and at file scope, macros that they use included."""
    return [lines.range(n.start_byte, n.end_byte) for n, device in _assembly(root) if not device]


def _assembly(root: Node) -> Iterator[tuple[Node, bool]]:
    """Each place once, and whether it is the device's; a macro counts by where it is used."""
    macros: dict[bytes, Node] = {}
    used: dict[bytes, bool] = {}
    for node in walk(root):
        if node.type in ("preproc_def", "preproc_function_def"):
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if name is not None and value is not None and _WORD.search(_STRING.sub(b"", value.text or b"")):
                macros[name.text or b""] = value
        elif node.type == "gnu_asm_expression":
            yield node, on_device(node)
    if not macros:
        return
    for node in walk(root):
        word = node.text if node.type == "identifier" else None
        if word is not None and word in macros and _is_use(node):
            used[word] = used.get(word, True) and on_device(node)
    for word, device in used.items():
        yield macros[word], device


def _is_use(node: Node) -> bool:
    return node.parent is not None and not node.parent.type.startswith("preproc_")


def on_device(node: Node) -> bool:
    """Whether a node stands in a function that runs on the device."""
    here = node.parent
    while here is not None and here.type != "function_definition":
        here = here.parent
    return here is not None and any(child.type in ("__global__", "__device__") for child in here.children)
