"""The walk over the files of a translation unit."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tree_sitter import Node

from kernelwright_backends.cuda.cpu.analysis.declarations import Kernels, function_declarator, walk_head
from kernelwright_backends.cuda.cpu.analysis.unsupported import find_unsupported
from kernelwright_backends.cuda.cpu.frontend.parsing import prepare, with_constraints
from kernelwright_backends.cuda.cpu.rewriting import (
    device_code,
    dialect,
    inline_ptx,
    launches,
    shared_memory,
    variables,
)
from kernelwright_backends.cuda.cpu.rewriting.fragment import (
    Document,
    File,
    Fragment,
    in_a_function,
    of_document,
)
from kernelwright_backends.host.edits import Edit, Rewritten, applied
from kernelwright_backends.syntax.text import Lines, walk

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_PASTE = re.compile(rb"[ \t]*##[ \t]*")
_LINE_CONTINUED = re.compile(rb"\\\r?\n")


def rewrite(documents: Sequence[Document], kernels: Kernels) -> dict[Path, Rewritten]:
    """Rewrite the files of one translation unit; `kernels` knows those of all of them."""
    files = [File(document, kernels) for document in documents]
    edits = [[*_edits_of_document(file)] for file in files]
    shared = {name: reference for file in files for name, reference in file.file_scope_shared.items()}
    done = {}
    for file, own in zip(files, edits, strict=True):
        document = file.document
        own += shared_memory.references(of_document(file), shared)
        text, spans = applied(file.text, own)
        unsupported = find_unsupported(document.tree.root_node, Lines(file.text))
        done[document.path] = Rewritten(document.path, file.text, text, spans, document.tree, unsupported)
    return done


def _edits_of_document(file: File) -> Iterator[Edit]:
    document = of_document(file)
    if file.text.startswith(_BYTE_ORDER_MARK):  # a line of ours will stand before it
        yield document.replaced(0, len(_BYTE_ORDER_MARK))
    for node in walk(document.root):
        yield from _edits_everywhere(node, document)
        yield from _edits_of_functions(node, document)
    yield from inline_ptx.lost_assembly(document)
    yield from launches.lost_launches(document)
    yield from dialect.noinline(document)
    yield from dialect.macros_of_pragmas(document)
    for start, end, name in file.document.includes:
        yield document.replaced(start, end, name)


def _edits_everywhere(node: Node, fragment: Fragment) -> Iterator[Edit]:
    """Of what may stand in a macro's text as well."""
    match node.type:
        case "call_expression":
            yield from launches.launch(node, fragment)
            yield from device_code.heap_function(node, fragment)
            yield from launches.launch_by_pointer(node, fragment)
            yield from launches.kernel_address(node, fragment)
        case "cast_expression":
            yield from launches.kernel_address(node, fragment)
        case "gnu_asm_expression":
            yield from inline_ptx.assembly(node, fragment)
        case "new_expression" | "delete_expression":
            yield from device_code.heap_object(node, fragment)
        case "declaration":
            yield from _declaration(node, fragment)


def _edits_of_functions(node: Node, document: Fragment) -> Iterator[Edit]:
    """Of what is reported by where in the document it stands."""
    match node.type:
        case "call_expression":
            yield from device_code.exchange_unread(node, document)
            yield from device_code.arguments_by_value(node, document)
        case "assignment_expression":
            yield from device_code.stored_by_value(node, document)
        case "compound_literal_expression":
            yield from dialect.array_literal(node, document)
        case "template_method" | "template_function":
            yield from dialect.member_template(node, document)
        case "field_expression":
            yield from dialect.member_of_a_made_one(node, document)
        case "function_declarator":
            yield from dialect.main(node, document)
        case "function_definition":
            yield from device_code.function(node, document)
        case "preproc_def" | "preproc_function_def":
            yield from _macro(node, document)
        case "optional_parameter_declaration":
            yield from dialect.default_of_its_own_name(node, document)
    yield from device_code.defined_by_device(node, document)


def _declaration(node: Node, fragment: Fragment) -> Iterator[Edit]:
    if fragment.is_document:
        yield from variables.own_warp_size(node, fragment)
    kinds = {child.type for child in walk_head(node)}
    if "__shared__" in kinds:
        yield from shared_memory.shared(node, fragment)
    elif function_declarator(node) is not None:
        return
    elif kinds & {"__device__", "__constant__"}:
        yield from variables.device_variable(node, fragment)
    elif fragment.is_document and (b"__managed__" in fragment.text or fragment.file.hidden):
        yield from variables.hidden_variable(node, fragment)


def _macro(node: Node, document: Fragment) -> Iterator[Edit]:
    """The text of a macro, which the grammar leaves as it is."""
    value = node.child_by_field_name("value")
    if value is None:
        return
    body = document.text[value.start_byte : value.end_byte]
    if b"<<<" not in body and b"__shared__" not in body and b"asm" not in body:
        return
    parameters = node.child_by_field_name("parameters")
    names = frozenset(
        (child.text or b"").decode("utf-8", "replace")
        for child in (parameters.named_children if parameters else [])
        if child.type == "identifier"
    )
    body = _LINE_CONTINUED.sub(lambda sign: b" " * len(sign[0]), body)
    # `add_##type##_kernel<<<...>>>`: to the grammar one word.
    body = _PASTE.sub(lambda sign: b"_" * len(sign[0]), body)
    fragment = in_a_function(
        document.file,
        body,
        value.start_byte,
        lambda wrapped: with_constraints(prepare(wrapped).text, document.text),
        names,
    )
    for inner in walk(fragment.root):
        yield from _edits_everywhere(inner, fragment)
