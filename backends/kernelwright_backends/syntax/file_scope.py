"""Whether objects at file scope run code of the text when they are constructed."""

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node, Parser

from kernelwright_backends.syntax.declarations import text_of
from kernelwright_backends.syntax.tree import language

_SCOPES = frozenset(
    "translation_unit namespace_definition declaration_list linkage_specification preproc_if preproc_ifdef preproc_else "
    "preproc_elif preproc_elifdef".split()
)
_RECORDS = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
_WORK = frozenset({"call_expression", "lambda_expression", "new_expression", "argument_list", "compound_literal_expression",
                   "kernel_call_expression", "co_await_expression", "ERROR"})  # fmt: skip
# What may stand at file scope beside objects.
_SILENT = frozenset(
    "comment function_definition template_declaration alias_declaration type_definition using_declaration ; { } "
    "namespace_alias_definition namespace_identifier nested_namespace_specifier template_instantiation "
    "static_assert_declaration preproc_include preproc_def preproc_function_def preproc_call enum_specifier identifier "
    "string_literal friend_declaration concept_definition preproc_defined binary_expression number_literal unary_expression "
    "parenthesized_expression".split()
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)", re.MULTILINE)


def only_empty_objects(texts: Sequence[str]) -> bool:
    """Whether each object at file scope begins empty, or holds literals: no function or constructor of the texts' own runs
    before something of theirs is called.

    Args:
        texts: a file and the headers that it includes.
    """
    roots = [Parser(language()).parse(text.encode("utf-8", "surrogatepass")).root_node for text in texts]
    working = set(_MACRO.findall("\n".join(texts)))
    records = [record for root in roots for record in _records(root)]
    aliases = [alias for root in roots for alias in _of_types(root, {"alias_declaration", "type_definition"})]
    working |= {_name(record) for record in records if _works(record)}
    # A record that holds one that works does so too, and so does another name for it.
    named = [(_name(record), record) for record in records] + [(_name(alias), alias) for alias in aliases]
    while more := {
        name for name, node in named if name not in working and working & set(_WORD.findall(text_of(node)))
    }:
        working |= more
    return all(_is_silent(node, working) for root in roots for node in _at_file_scope(root))


def _at_file_scope(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        for child in waiting.pop().named_children:
            if child.type in _SCOPES:
                waiting.append(child)
            else:
                yield child


def _is_silent(node: Node, working: set[str]) -> bool:
    if node.type in _RECORDS:
        return True  # what it does shows where an object of it stands
    if node.type != "declaration":
        return node.type in _SILENT
    declarators = node.children_by_field_name("declarator")
    if all(_is_function(declarator) for declarator in declarators):
        return True
    kind = node.child_by_field_name("type")
    if kind is not None and working & set(_WORD.findall(text_of(kind))):
        return False
    return not any(_has(declarator, _WORK) for declarator in declarators)


def _is_function(declarator: Node) -> bool:
    while declarator.type in ("pointer_declarator", "reference_declarator"):
        inner = [declarator.child_by_field_name("declarator"), *declarator.named_children]
        held = next((node for node in inner if node is not None), None)
        if held is None:
            return False
        declarator = held
    return declarator.type == "function_declarator"


def _records(root: Node) -> Iterator[Node]:
    for node in _of_types(root, _RECORDS):
        if node.child_by_field_name("body") is not None:
            yield node


def _of_types(root: Node, types: "frozenset[str] | set[str]") -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in types:
            yield node
        if node.type != "compound_statement":
            waiting += node.named_children


def _name(node: Node) -> str:
    name = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    return text_of(name) if name is not None else ""


def _works(record: Node) -> bool:
    """It has a constructor of its own, or gives its members values by calls."""
    name, body = _name(record), record.child_by_field_name("body")
    assert body is not None
    for member in body.named_children:
        inner = member.named_children[-1] if member.type == "template_declaration" else member
        if inner.type in ("function_definition", "declaration", "field_declaration"):
            declarator = inner.child_by_field_name("declarator")
            if declarator is not None and declarator.type == "function_declarator":
                called = declarator.child_by_field_name("declarator")
                if called is not None and text_of(called) == name:
                    return True
                continue
        if inner.type == "field_declaration" and _has(inner, _WORK):
            return True
    return False


def _has(node: Node, types: frozenset[str]) -> bool:
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.type in types:
            return True
        waiting += node.named_children
    return False
