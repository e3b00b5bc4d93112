"""What a macro of the user makes of the call that it is given."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.host.places import Places
from kernelwright_backends.syntax.text import walk

# What may stand around a statement that throws its value away.
_NOTHING = re.compile(rb"\\\n|\bdo\b|\bwhile\s*\(\s*0\s*\)|\bvoid\b|[\s(){};]")


def looked_at_by_macro(call: Node, places: Places) -> bool:
    """Is this a macro around a call of the runtime, `CHECK(cudaFree(x))`, that does more with it than make it?"""
    called = call.child_by_field_name("function")
    if called is None or called.type != "identifier" or called.text is None:
        return False
    return any(
        _NOTHING.sub(b"", body) not in parameters for parameters, body in _definitions(called.text, places)
    )


def _definitions(name: bytes, places: Places) -> Iterator[tuple[tuple[bytes, ...], bytes]]:
    for rewritten in places.files.values():
        if name not in rewritten.original:
            continue
        for node in walk(rewritten.tree.root_node):
            if node.type != "preproc_function_def":
                continue
            defined, parameters = node.child_by_field_name("name"), node.child_by_field_name("parameters")
            body = node.child_by_field_name("value")
            if defined is not None and defined.text == name and parameters is not None:
                yield (
                    tuple(each.text or b"" for each in parameters.named_children),
                    (body.text or b"") if body is not None else b"",
                )
