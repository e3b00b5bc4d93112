"""Defects that the text alone proves: local variables that are read unset, host variables in device code."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.core.finding import Finding, Related, finding
from kernelwright_backends.cuda.cpu.analysis.declarations import is_device_function
from kernelwright_backends.cuda.cpu.analysis.uninitialised_locals import reads_before_stores
from kernelwright_backends.host.edits import Rewritten
from kernelwright_backends.host.places import Places
from kernelwright_backends.syntax.text import walk


def unwritten_locals(places: Places) -> list[Finding]:
    """Local variables of device functions whose first use reads them, whatever the data."""
    found = []
    for rewritten in places.files.values():
        for node in walk(rewritten.tree.root_node):
            body = node.child_by_field_name("body") if node.type == "function_definition" else None
            if body is None or not is_device_function(node) or _may_be_left_out(node):
                continue
            for use, name in reads_before_stores(body):
                declared = rewritten.lines.range(name.start_byte, name.end_byte)
                related = Related(message="declared here without an initial value", path=str(rewritten.path),
                                  line=declared.line, column=declared.column)  # fmt: skip
                spelled = (name.text or b"").decode("utf-8", "replace")
                text = f"'{spelled}' is read before it is assigned; initialise it"
                at = rewritten.lines.range(use.start_byte, use.end_byte)
                found.append(finding("INIT_UNINITIALISED_READ", text, str(rewritten.path), at, related=(related,),
                                     data={"space": "local", "variable": spelled}))  # fmt: skip
    return found


def host_variables(places: Places) -> list[Finding]:
    """Variables of the host that device functions name: the device's compiler refuses them, ours may fold them."""
    found = []
    for rewritten in places.files.values():
        root = rewritten.tree.root_node
        names = {name.text for name in _host_variables(rewritten)}
        if not names:
            continue
        for node in walk(root):
            body = node.child_by_field_name("body") if node.type == "function_definition" else None
            if body is None or not is_device_function(node) or _may_be_left_out(node):
                continue
            if any(child.type == "__host__" for child in node.children):
                continue
            local = {n.text for d in walk(node) if d.type in ("init_declarator", "parameter_declaration", "declaration")
                     for n in walk(d.child_by_field_name("declarator") or d) if n.type == "identifier"}  # fmt: skip
            for use in walk(body):
                if use.type == "identifier" and use.text in names and use.text not in local:
                    at = rewritten.lines.range(use.start_byte, use.end_byte)
                    text = f"device code uses host variable '{(use.text or b'').decode()}'; declare it __device__ or __constant__, or pass its value"
                    found.append(finding("MEM_HOST_POINTER", text, str(rewritten.path), at))
    return found


def _may_be_left_out(node: Node) -> bool:
    """Does a condition of the preprocessor decide whether this is compiled? The guard of a header does not count."""
    here = node.parent
    while here is not None:
        guard = (
            here.type == "preproc_ifdef"
            and here.parent is not None
            and here.parent.type == "translation_unit"
        )
        if here.type.startswith("preproc_") and not (guard and (here.text or b"").startswith(b"#ifndef")):
            return True
        here = here.parent
    return False


_PLACED = re.compile(rb"\b(__managed__|__device__|__constant__|__shared__)\b")


def _host_variables(rewritten: Rewritten) -> Iterator[Node]:
    """Variables at file or namespace scope that nothing puts on the device: macros may, so that one keeps silent."""
    macros = set(re.findall(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)", rewritten.original, re.MULTILINE))
    scopes = [rewritten.tree.root_node]
    while scopes:
        for node in scopes.pop().children:
            if node.type in ("namespace_definition", "declaration_list", "linkage_specification"):
                scopes.append(node)
            if node.type != "declaration":
                continue
            before = node.prev_sibling.end_byte if node.prev_sibling is not None else 0
            raw = rewritten.original[before : node.end_byte]
            if _PLACED.search(raw) or macros & set(re.findall(rb"\w+", raw)):
                continue
            words = {
                (child.text or b"") for child in node.children[:-1] if not child.type.endswith("declarator")
            }
            if words & {
                b"const",
                b"constexpr",
                b"extern",
                b"__device__",
                b"__constant__",
                b"__managed__",
                b"__shared__",
            }:
                continue
            for declarator in node.children_by_field_name("declarator"):
                inner = (
                    declarator.child_by_field_name("declarator")
                    if declarator.type == "init_declarator"
                    else declarator
                )
                if inner is not None and inner.type == "identifier":
                    yield inner
