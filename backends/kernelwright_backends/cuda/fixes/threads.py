"""Which threads reach a place: those of a device, all of a block, or some."""

import re

from tree_sitter import Node

from kernelwright_backends.cuda.fixes.source import LOOPS, Source, ancestors, climb
from kernelwright_backends.syntax.text import walk


def threads_wait(source: Source, node: Node) -> bool:
    """Whether threads wait for each other there."""
    return re.search(r"\b__sync|\.sync\(|__shfl|__ballot|barrier", source.text(node)) is not None


def _head(source: Source, node: Node) -> str:
    """What stands before the body of the function around a place."""
    function = climb(node, "function_definition")
    body = function.child_by_field_name("body") if function is not None else None
    if function is None or body is None:
        return ""
    return source.bytes[function.start_byte : body.start_byte].decode("utf-8", "replace")


def on_device(source: Source, node: Node) -> bool:
    return "__global__" in _head(source, node) or "__device__" in _head(source, node)


def is_kernel(source: Source, node: Node) -> bool:
    return "__global__" in _head(source, node)


def in_branch(source: Source, node: Node) -> bool:
    """Whether threads of a block may part on the way to a place: a barrier there would be missed by some."""
    own = _of_the_thread(source, climb(node, "function_definition"))
    for around in ancestors(node):
        if around.type in ("if_statement", "switch_statement", "conditional_expression", "lambda_expression"):
            return True
        if around.type in LOOPS:
            # A loop whose number of turns is each thread's own.
            heads = [around.child_by_field_name(name) for name in ("initializer", "condition", "update")]
            words = {
                word for head in heads if head is not None for word in re.findall(r"\w+", source.text(head))
            }
            if words & own:
                return True
        if around.type == "function_definition":
            return False
    return True


def _of_the_thread(source: Source, function: Node | None) -> set[str]:
    """Variables of a function whose value may differ between the threads of a block."""
    own = {"threadIdx", "laneid"}
    if function is None:
        return own
    made: list[tuple[str, set[str]]] = []
    for node in walk(function):
        named = {"init_declarator": ("declarator", "value"), "assignment_expression": ("left", "right")}
        if node.type in named:
            to, by = (node.child_by_field_name(name) for name in named[node.type])
            if to is not None and by is not None:
                name = re.match(r"[\s*&]*(\w+)", source.text(to))
                made.append((name[1] if name else "", set(re.findall(r"\w+", source.text(by)))))
    while True:
        more = {name for name, by in made if name not in own and by & own}
        if not more:
            return own
        own |= more
