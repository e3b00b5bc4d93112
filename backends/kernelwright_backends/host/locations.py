"""Instructions as expressions and calls of the user's text."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tree_sitter import Node

from kernelwright_backends.core.finding import Range
from kernelwright_backends.host.edits import Rewritten
from kernelwright_backends.host.places import Places
from kernelwright_backends.interfaces.run import Writer

_STATEMENT = frozenset(
    (
        "expression_statement",
        "declaration",
        "return_statement",
        "if_statement",
        "for_statement",
        "while_statement",
    )
)


def writers_of(sites: Sequence[Mapping[str, Any]], places: Places) -> tuple[Writer, ...]:
    """The places that stored output elements, in the order of their numbers."""
    writers = []
    for site in sites:
        path, at = located(site.get("place"), places) or ("", None)
        writers.append(
            Writer(
                kind=site["kind"],
                path=path,
                line=at.line if at else 0,
                column=at.column if at else 0,
                kernel=site.get("kernel", ""),
            )
        )
    return tuple(writers)


def located(raw: Sequence[Any] | None, places: Places) -> tuple[str, Range] | None:
    """The expression that stands where the line table points to."""
    if not raw:
        return None
    path, line, column = raw
    rewritten = places.files.get(Path(path))
    if rewritten is None:
        return None
    at = rewritten.original_offset(line, column)
    return str(rewritten.path), expression_at(rewritten, at, exact=column > 0)


def expression_at(rewritten: Rewritten, offset: int, *, exact: bool) -> Range:
    """The smallest expression that the compiler means by `offset`; the statement's first word where it says no column."""
    if not exact:
        while rewritten.original[offset : offset + 1] in (b" ", b"\t"):
            offset += 1
    node = rewritten.tree.root_node.descendant_for_byte_range(offset, offset)
    if node is None:
        return rewritten.lines.range(offset, offset + 1)
    if exact and not node.is_named and node.parent is not None:
        node = node.parent  # an operator or a bracket stands for its expression
        if node.type in ("subscript_argument_list", "argument_list") and node.parent is not None:
            node = node.parent
    if not exact:
        statement: Node | None = node
        while statement is not None and statement.type not in _STATEMENT:
            statement = statement.parent
        node = statement or node
    if exact and node.type in ("identifier", "field_identifier"):
        # A call or an element is meant by its name's place.
        parent = node.parent
        if (
            parent is not None
            and parent.type in ("call_expression", "subscript_expression", "template_function")
            and (parent.start_byte == node.start_byte)
        ):
            node = parent
            if (
                node.type == "template_function"
                and node.parent is not None
                and node.parent.type == "call_expression"
            ):
                node = node.parent
    end = node.end_byte
    if rewritten.original.count(b"\n", node.start_byte, end):
        end = rewritten.original.index(b"\n", node.start_byte)
    return rewritten.lines.range(node.start_byte, max(end, node.start_byte + 1))


def node_at(raw: Sequence[Any] | None, places: Places) -> tuple[Rewritten, Node] | None:
    rewritten = places.files.get(Path(raw[0])) if raw else None
    if raw is None or rewritten is None:
        return None
    at = rewritten.original_offset(raw[1], raw[2])
    while rewritten.original[at : at + 1] in (b" ", b"\t"):
        at += 1
    node = rewritten.tree.root_node.descendant_for_byte_range(at, at)
    return (rewritten, node) if node is not None else None


def call_at(raw: Sequence[Any] | None, places: Places) -> tuple[str, Node, Rewritten] | None:
    """The call that stands at a place: what it calls, and where its arguments are."""
    found = node_at(raw, places)
    node = found[1] if found is not None else None
    while node is not None and node.type not in ("call_expression", "compound_statement"):
        node = node.parent
    called = node.child_by_field_name("function") if node is not None else None
    if found is None or node is None or called is None or called.text is None:
        return None
    return called.text.decode("utf-8", "replace"), node, found[0]
