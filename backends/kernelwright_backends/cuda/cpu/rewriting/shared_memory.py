"""`__shared__`: a reference to the block's own slot, by the type that the user declared."""

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from kernelwright_backends.cuda.cpu.analysis.declarations import (
    declared_identifier,
    declared_names,
    in_a_body,
    walk_head,
)
from kernelwright_backends.cuda.cpu.rewriting.fragment import Fragment
from kernelwright_backends.host.edits import Edit, Piece
from kernelwright_backends.syntax.text import walk


def shared(node: Node, fragment: Fragment) -> Iterator[Edit]:
    """A declaration with `__shared__`, of one array or several."""
    declarators = node.children_by_field_name("declarator")
    if not declarators:
        return
    text, file = fragment.text, fragment.file
    first = declarators[0].start_byte
    dynamic, specifiers = _specifiers(node, fragment, first)
    at = text.find(b"alignas", node.start_byte, first)
    if at >= 0:  # a typedef takes the attribute, not the keyword
        yield fragment.replaced(at, at + len(b"alignas"), "__align__")
    # What stands at file scope must not meet the names of another file.
    at_file_scope = fragment.is_document and not in_a_body(node)
    number = file.unique_number() if at_file_scope else str(file.next_number())
    # A type defined in place may be written once only; else every declarator has the specifiers themselves, since
    # an alignment belongs to the array and not to its elements.
    defines = b"{" in text[node.start_byte : first]
    pieces: list[Piece] = ["typedef ", *specifiers, f" kw_base_{number};"] if defines else []
    for index, declarator in enumerate(declarators):
        identifier = declared_identifier(declarator)
        if identifier is None:
            return
        name = text[identifier.start_byte : identifier.end_byte]
        own = f"kw_type_{number}_{index}"
        slot = (
            f"::kw::dynamic_shared<{own}>()"
            if dynamic
            else f'::kw::shared<{own}, struct kw_slot_{number}_{index}>("{name.decode("utf-8", "replace")}")'
        )
        pieces += [" typedef ", *([f"kw_base_{number} "] if defines else specifiers)]
        pieces += [
            fragment.copy(declarator.start_byte, identifier.start_byte), own,
            fragment.copy(identifier.end_byte, declarator.end_byte), ";",
        ]  # fmt: skip
        if at_file_scope:
            # The type stands where the user's declaration did; each function that uses it refers to one slot.
            file.file_scope_shared[name] = f" {own}& {name.decode('utf-8', 'replace')} = {slot};"
        else:
            pieces += [f" {own}& ", fragment.copy_of(identifier), f" = {slot};"]
        if not dynamic:
            pieces.insert(0, f"struct kw_slot_{number}_{index}; ")
    yield fragment.in_place_of(node, *pieces)


def _specifiers(node: Node, fragment: Fragment, first: int) -> tuple[bool, list[Piece]]:
    """Is it `extern`, and what stays of the words before byte `first`, where the first declarator begins?"""
    dynamic = False
    kept: list[Piece] = []
    at = node.start_byte
    for child in walk_head(node):
        spelled = fragment.text[child.start_byte : child.end_byte]
        dropped = spelled in (b"extern", b"static", b"__shared__") or child.type == "attribute_declaration"
        if child.start_byte < first and dropped:
            dynamic |= spelled == b"extern"
            if child.start_byte >= at:
                kept.append(fragment.copy(at, child.start_byte))
                at = child.end_byte
    kept.append(fragment.copy(at, first))
    return dynamic, kept


def references(document: Fragment, declared: Mapping[bytes, str]) -> Iterator[Edit]:
    """References to what was declared at file scope, in the functions that use it; `declared`: of all files."""
    if not any(name in document.text for name in declared):
        return
    for node in walk(document.root):
        body = node.child_by_field_name("body") if node.type == "function_definition" else None
        if body is None:
            continue
        used = {child.text for child in walk(body) if child.type == "identifier"} & set(declared)
        if used:
            used -= declared_names(node)
        for name in sorted(name for name in used if name is not None):
            yield document.inserted(body.start_byte + 1, declared[name])
