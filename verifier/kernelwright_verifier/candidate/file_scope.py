"""What stands at file scope of a text, item by item: declarations, directives, comments, with the blocks around each."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from kernelwright_backends.core.registry import indexer_for
from kernelwright_backends.core.target import Dialect

# Around items, and none itself: what is between their braces or lines are items again.
_BLOCKS = {"namespace_definition": "namespace", "linkage_specification": "linkage"}
_CONDITIONALS = ("preproc_if", "preproc_ifdef", "preproc_elif", "preproc_elifdef", "preproc_else")
_KINDS = {
    "preproc_include": "include", "preproc_def": "macro", "preproc_function_def": "macro", "preproc_call": "directive",
    "using_declaration": "using", "alias_declaration": "alias", "namespace_alias_definition": "alias", "type_definition": "alias",
    "struct_specifier": "type", "class_specifier": "type", "union_specifier": "type", "enum_specifier": "type",
    "template_declaration": "template", "template_instantiation": "template", "concept_definition": "template",
    "static_assert_declaration": "assertion", "function_definition": "function", "declaration": "declaration", "comment": "comment",
}  # fmt: skip
_DECLARING = re.compile(r"\w*(?:declarator|specifier|definition|declaration|identifier)")
_DIRECTIVE = re.compile(rb"^[ \t]*(#(?![ \t]*(?:endif|else)\b)[^\n]*)", re.MULTILINE)
_MODULE = re.compile(rb"\s*(?:PYBIND11_MODULE|TORCH_LIBRARY\w*)\b")
_CONSTANT = re.compile(rb"\b(?:const|constexpr|constinit|__constant__|__device__|__managed__)\b")


class Item(NamedTuple):
    """One thing at file scope, bytes [start, end)."""

    kind: str
    start: int
    end: int
    blocks: tuple[bytes, ...]
    """heads of the namespaces and conditionals around it"""
    names: frozenset[str]
    """that it declares"""
    constant: bool
    """a declaration that no host code can change"""


def items(text: bytes, dialect: Dialect) -> tuple[Item, ...] | None:
    """The items of a text, in order; None where it is too long or too deep to be read."""
    indexer = indexer_for(dialect)
    indexer.replace(text)
    if indexer.syntax.unread:
        return None
    found = list(_walk(indexer.syntax.tree.root_node.children, text, ()))
    # What the grammar does not read is blanked for it, directives among it.
    for match in _DIRECTIVE.finditer(text):
        start = match.start(1)
        if not any(item.start <= start < item.end for item in found):
            found.append(Item("directive", start, match.end(), (), frozenset(), False))
    return tuple(sorted(found, key=lambda item: item.start))


def _walk(nodes: Sequence[Node], text: bytes, blocks: tuple[bytes, ...]) -> Iterator[Item]:
    for node in nodes:
        body = node.child_by_field_name("body")
        if node.type in _BLOCKS and body is not None and body.type == "declaration_list":
            head = _one_line(text[node.start_byte : body.start_byte])
            yield Item(_BLOCKS[node.type], node.start_byte, body.start_byte, blocks, frozenset(), False)
            yield from _walk(body.children[1:-1], text, (*blocks, head))
        elif node.type in _CONDITIONALS:
            end = text.find(b"\n", node.start_byte)
            head = _one_line(text[node.start_byte : end if end >= 0 else node.end_byte])
            yield Item(
                "conditional", node.start_byte, node.start_byte + len(head), blocks, frozenset(), False
            )
            inside = [
                n for n in node.named_children if n.start_byte > node.start_byte and n.start_byte >= end >= 0
            ]
            yield from _walk(inside, text, (*blocks, head))
        elif node.is_named:
            yield _item(node, text, blocks)


def _item(node: Node, text: bytes, blocks: tuple[bytes, ...]) -> Item:
    own = text[node.start_byte : node.end_byte]
    kind = "module" if _MODULE.match(own) else _KINDS.get(node.type, "code")
    if node.type == "linkage_specification":
        kind = "function"
    constant = bool(_CONSTANT.search(own.partition(b"=")[0]))
    return Item(kind, node.start_byte, node.end_byte, blocks, frozenset(_declared(node, text)), constant)


def _declared(node: Node, text: bytes) -> Iterator[str]:
    """Names that a declaration, a type, a function or a macro gives: not those of its parts."""
    name = node.child_by_field_name("name")
    if name is not None:
        yield text[name.start_byte : name.end_byte].decode("utf-8", "replace").rpartition("::")[2]
        if node.type == "enum_specifier" and (body := node.child_by_field_name("body")) is not None:
            for value in body.named_children:
                yield from _declared(value, text)
        return
    if node.type in ("identifier", "type_identifier", "field_identifier"):
        yield text[node.start_byte : node.end_byte].decode("utf-8", "replace")
        return
    parts = node.children_by_field_name("declarator")
    if parts:
        for part in parts:
            yield from _declared(part, text)
        return
    if node.type in (
        "template_declaration",
        "linkage_specification",
        "reference_declarator",
        "parenthesized_declarator",
    ):
        for child in node.named_children:
            if _DECLARING.fullmatch(child.type) and child.type != "template_parameter_list":
                yield from _declared(child, text)


def _one_line(text: bytes) -> bytes:
    return b" ".join(text.split())
