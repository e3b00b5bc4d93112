"""What stands in `tile[y][x]`: the array, its type and extents, the index, and whether the element is read."""

import re

from tree_sitter import Node

from kernelwright_backends.cuda.fixes.source import Source, climb
from kernelwright_backends.syntax.text import walk

_INTEGER = re.compile(r"\b(int|unsigned|long|short|size_t|u?int(8|16|32|64)_t)\b")


def term(source: Source, node: Node) -> str:
    text = source.text(node)
    return (
        text
        if node.type in ("identifier", "number_literal", "parenthesized_expression", "field_expression")
        else f"({text})"
    )


def is_read(subscript: Node, statement: Node) -> bool:
    """Whether the element is only read: not what is assigned, counted up, or whose address is taken."""
    here = subscript
    while here.parent is not None and here != statement:
        parent = here.parent
        if parent.type in ("update_expression", "pointer_expression"):
            return False
        if parent.type == "assignment_expression" and parent.child_by_field_name("left") == here:
            return False
        if parent.type == "call_expression" or parent.type == "reference_declarator":
            # Of what takes a reference, nobody knows.
            name = parent.child_by_field_name("function")
            if name is not None and name.text is not None and name.text.startswith(b"atomic"):
                return False
        here = parent
    return True


def element_type(source: Source, function: Node | None, name: str) -> str | None:
    """What a parameter of a function points to, as it is spelled."""
    for node in walk(function) if function is not None else ():
        if node.type == "compound_statement":
            break
        declared = node.child_by_field_name("declarator") if node.type == "parameter_declaration" else None
        if declared is not None and re.search(rf"\b{re.escape(name)}\b", source.text(declared)):
            kind = node.child_by_field_name("type")
            return source.text(kind) if kind is not None else None
    return None


def index_of(source: Source, subscript: Node) -> str | None:
    for child in subscript.children:
        if child.type == "subscript_argument_list" and len(child.named_children) == 1:
            return source.text(child.named_children[0])
    return None


def integer_parameters(source: Source, function: Node) -> list[str]:
    """The names of a function's integer parameters."""
    integers = []
    for node in walk(function):
        if node.type == "compound_statement":
            break
        if node.type == "parameter_declaration":
            kind, name = node.child_by_field_name("type"), node.child_by_field_name("declarator")
            if kind and name and name.type == "identifier" and _INTEGER.search(source.text(kind)):
                integers.append(source.text(name))
    return integers


def only_by_elements(source: Source, subscript: Node) -> bool:
    """Whether an array is only ever used element by element: whoever takes a row, or its size, counts on how it lies."""
    name, deep = source.text(array_of(subscript)), _depth(subscript)
    for node in walk(climb(subscript, "function_definition") or source.root):
        if node.type != "identifier" or source.text(node) != name:
            continue
        whole = node
        while (
            whole.parent is not None
            and whole.parent.type == "subscript_expression"
            and whole.parent.child_by_field_name("argument") == whole
        ):
            whole = whole.parent
        parent = whole.parent
        if parent is None or parent.type == "array_declarator":
            continue
        taken = parent.type == "pointer_expression" and source.text(parent).startswith("&")
        if taken or whole.type != "subscript_expression" or _depth(whole) != deep:
            return False
    return True


def _depth(subscript: Node) -> int:
    depth, here = 0, subscript
    while here.type == "subscript_expression" and (inner := here.child_by_field_name("argument")) is not None:
        depth, here = depth + 1, inner
    return depth


def array_of(subscript: Node) -> Node:
    """`tile` of `tile[y][x]`."""
    array = subscript
    while (
        array.type == "subscript_expression" and (inner := array.child_by_field_name("argument")) is not None
    ):
        array = inner
    return array


def row_extent(source: Source, subscript: Node) -> Node | None:
    """The last extent of the shared array that is accessed, where it has rows."""
    name = source.text(array_of(subscript))
    for node in walk(climb(subscript, "function_definition") or source.root):
        if node.type != "declaration" or "__shared__" not in source.text(node):
            continue
        for declared in walk(node):
            if declared.type == "array_declarator" and declared_name(source, declared) == name:
                row = declared.child_by_field_name("declarator")
                has_rows = row is not None and row.type == "array_declarator"
                return declared.child_by_field_name("size") if has_rows else None
    return None


def declared_name(source: Source, declarator: Node) -> str:
    inner: Node | None = declarator
    while inner is not None and inner.type == "array_declarator":
        inner = inner.child_by_field_name("declarator")
    return source.text(inner) if inner is not None else ""
