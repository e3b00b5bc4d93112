"""Variables of the device at file scope: each kind in a section of its own, where the runtime finds them."""

from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.cuda.cpu.analysis.declarations import walk_head
from kernelwright_backends.cuda.cpu.rewriting.fragment import Fragment
from kernelwright_backends.host.edits import Edit
from kernelwright_backends.syntax.text import walk

_SECTIONS = {
    "__managed__": "KW_MANAGED_VARIABLE",
    "__constant__": "KW_CONSTANT_VARIABLE",
    "__device__": "KW_DEVICE_VARIABLE",
}
_NAMESPACE_SCOPE = ("translation_unit", "declaration_list", "linkage_specification")


def device_variable(node: Node, fragment: Fragment) -> Iterator[Edit]:
    """A declaration with `__device__` or `__constant__`."""
    if node.parent is not None and node.parent.type == "template_declaration":
        yield from _template(node, node.parent, fragment)
    if not _at_namespace_scope(node):
        return
    head = [child for child in walk_head(node) if child.is_named or child.type.startswith("__")]
    words = {fragment.text[child.start_byte : child.end_byte] for child in head}
    declarator = node.child_by_field_name("declarator")
    points = declarator is not None and any(c.type == "pointer_declarator" for c in walk(declarator))
    if b"constexpr" in words or b"extern" in words or (b"const" in words and not points):
        return
    qualifier = next((child for child in head if child.type in ("__device__", "__constant__")), None)
    if qualifier is None:
        return
    section = _SECTIONS[qualifier.type]
    # Blanked for the grammar; the host may use such a variable.
    before = node.prev_sibling.end_byte if node.prev_sibling is not None else node.start_byte
    if fragment.is_document and (
        b"__managed__" in fragment.text[before : node.end_byte]
        or "__managed__" in _hidden_before(node, node.end_byte, fragment)
    ):
        section = _SECTIONS["__managed__"]
    yield fragment.in_place_of(qualifier, section)


def hidden_variable(node: Node, document: Fragment) -> Iterator[Edit]:
    """`__managed__` alone implies `__device__`; it is blanked for the grammar, as is a macro that stands for a qualifier."""
    declarator = node.child_by_field_name("declarator")
    if declarator is None or not _at_namespace_scope(node):
        return
    before = node.prev_sibling.end_byte if node.prev_sibling is not None else 0
    word = b"__managed__"
    at = document.text.find(word, before, declarator.start_byte)
    if at >= 0:
        yield document.replaced(at, at + len(word), _SECTIONS["__managed__"])
        return
    hidden = _hidden_before(node, declarator.start_byte, document)
    section = next((section for word, section in _SECTIONS.items() if word in hidden), None)
    head = {document.text[child.start_byte : child.end_byte] for child in walk_head(node)}
    if section is not None and not head & {b"constexpr", b"extern"}:
        yield document.inserted(node.start_byte, f"{section} ")


def own_warp_size(node: Node, document: Fragment) -> Iterator[Edit]:
    """`constexpr int warpSize = 32;` at file scope defines what CUDA declares; here that is a constant already."""
    declared = node.child_by_field_name("declarator")
    name = declared.child_by_field_name("declarator") if declared is not None else None
    at_file_scope = node.parent is not None and node.parent.type == "translation_unit"
    if name is not None and name.text == b"warpSize" and at_file_scope:
        yield document.in_place_of(name, "kw_own_warp_size")


def _template(node: Node, template: Node, fragment: Fragment) -> Iterator[Edit]:
    """The compiler puts no instance of a template into a section: the runtime knows them by a mark with their name."""
    kinds = {child.type for child in walk_head(node)}
    declarator: Node | None = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "identifier":
        declarator = declarator.child_by_field_name("declarator")
    if declarator is None or declarator.text is None or template.parent is None:
        return
    kind = "constant" if "__constant__" in kinds else "device"
    mark = f"kw_template_{kind}_{declarator.text.decode('utf-8', 'replace')}"
    yield fragment.inserted(template.start_byte, f"[[gnu::used]] static const char {mark} = 0; ")


def _at_namespace_scope(node: Node) -> bool:
    parent = node.parent.type if node.parent is not None else ""
    return parent.startswith("preproc_") or parent in _NAMESPACE_SCOPE


def _hidden_before(node: Node, until: int, document: Fragment) -> frozenset[str]:
    """The qualifiers that macros hide between what stands before a declaration and byte `until` of it."""
    before = node.prev_sibling.end_byte if node.prev_sibling is not None else node.start_byte
    if node.prev_sibling is None and node.parent is not None:
        before = node.parent.start_byte
    return document.file.hidden_between(before, until)
