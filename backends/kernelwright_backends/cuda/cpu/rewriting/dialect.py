"""What nvcc takes and g++ does not: names that it looks up otherwise, attributes and pragmas of its own, the program's `main`."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.cuda.cpu.analysis.inline_assembly import on_device
from kernelwright_backends.cuda.cpu.rewriting.fragment import Fragment
from kernelwright_backends.host.edits import Edit
from kernelwright_backends.syntax.program_main import is_program_main
from kernelwright_backends.syntax.text import walk

_MACRO_OF_PRAGMA = re.compile(rb"#[ \t]*define[ \t]+\w+[ \t]+(?:\\\r?\n[ \t]*)?(#[ \t]*pragma\b[^\r\n]*)")


def member_template(node: Node, document: Fragment) -> Iterator[Edit]:
    """`smem.load<4>(x)`, `Cast<T>::to<4>(x)` where a template's parameter says whose: nvcc finds out without `template`."""
    name, parent = node.child_by_field_name("name"), node.parent
    if parent is None or name is None or name.text not in document.file.kernels.member_templates:
        return
    scope = parent.child_by_field_name("scope")
    of_a_type = parent.type == "qualified_identifier" and scope is not None and scope.type == "template_type"
    if parent.type != "field_expression" and not of_a_type:  # a base's initialiser is neither
        return
    if document.text[: node.start_byte].rstrip().endswith(b"template"):
        return
    if any(True for _ in _templates_around(node)):
        yield document.inserted(node.start_byte, "template ")


def member_of_a_made_one(node: Node, document: Fragment) -> Iterator[Edit]:
    """`Traits::Scan(storage).Sum(x)` where a template's parameter says whose: nvcc finds out that `Scan` is a type."""
    made = node.child_by_field_name("argument")
    is_call = made is not None and made.type == "call_expression"
    called = made.child_by_field_name("function") if made is not None and is_call else None
    if called is None or called.type != "qualified_identifier":
        return
    scope, name = called.child_by_field_name("scope"), called.child_by_field_name("name")
    if scope is None or name is None or name.text not in document.file.kernels.member_types:
        return
    if document.file.kernels.has_function(name.text.decode()):
        return
    written = document.text[: called.start_byte].rstrip().endswith(b"typename")
    if scope.text in _template_parameters(node) and not written:
        yield document.inserted(called.start_byte, "typename ")


def array_literal(node: Node, document: Fragment) -> Iterator[Edit]:
    """`add((int[]){1, 2})`, `int* w = (int[]){1, 2};` of device code: nvcc takes the address of an array made in place there.

    The second one lives as long as the pointer, the first as its expression. On the host nvcc leaves it to the host's compiler,
    to which it is an error.
    """
    made, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    if made is None or value is None or not on_device(node):
        return
    if not any(part.type == "abstract_array_declarator" for part in walk(made)):
        return
    declaration = _declared_pointer(node)
    if declaration is None:
        opening = "kw::array_literal<", document.copy_of(made), ">("
        yield document.in_place_of(node, *opening, document.copy_of(value), ")")
        return
    name = f"kw_array_{document.file.unique_number()}"
    array = "kw::Array<", document.copy_of(made), f"> {name} = ", document.copy_of(value), "; "
    yield document.replaced(declaration.start_byte, declaration.start_byte, *array)
    yield document.in_place_of(node, name)


def _declared_pointer(value: Node) -> Node | None:
    """The declaration in a block of the one pointer that a value is given to."""
    given = value.parent
    declaration = given.parent if given is not None and given.type == "init_declarator" else None
    if given is None or declaration is None or declaration.parent is None:
        return None
    pointer = given.child_by_field_name("declarator")
    is_one = len(declaration.children_by_field_name("declarator")) == 1
    in_a_block = declaration.type == "declaration" and declaration.parent.type == "compound_statement"
    is_static = any(child.type == "storage_class_specifier" for child in declaration.children)
    if pointer is None or pointer.type != "pointer_declarator" or not (is_one and in_a_block) or is_static:
        return None
    return declaration


def default_of_its_own_name(node: Node, document: Fragment) -> Iterator[Edit]:
    """`static void f(size_t n = n)` in a class: nvcc means the class's n, a C++ compiler the parameter."""
    name, value = node.child_by_field_name("declarator"), node.child_by_field_name("default_value")
    if name is None or value is None or value.type != "identifier" or name.text != value.text:
        return
    here: Node | None = node
    while here is not None and here.type not in ("class_specifier", "struct_specifier"):
        here = here.parent
    owner = here.child_by_field_name("name") if here is not None else None
    if owner is not None and owner.type == "type_identifier":
        yield document.inserted(value.start_byte, f"{(owner.text or b'').decode()}::")


def main(declarator: Node, document: Fragment) -> Iterator[Edit]:
    """The program's own `main`, which ours calls."""
    name = declarator.child_by_field_name("declarator")
    if name is None or not is_program_main(declarator):
        return
    yield document.in_place_of(name, "kernelwright_user_main")
    # Only `main` may end without a return.
    parent = declarator.parent
    body = parent.child_by_field_name("body") if parent is not None else None
    result = parent.child_by_field_name("type") if parent is not None else None
    if body is None or result is None or result.text != b"int":
        return
    if (body.text or b"").endswith(b"}"):
        yield document.inserted(body.end_byte - 1, " return 0; ")


def noinline(document: Fragment) -> Iterator[Edit]:
    """`__noinline__`, but where it is the standard library's own attribute."""
    word = b"__noinline__"
    at = document.text.find(word)
    while at >= 0:
        if not document.text[:at].rstrip().endswith((b"((", b",")):
            yield document.replaced(at, at + len(word), "KW_NOINLINE")
        at = document.text.find(word, at + 1)


def macros_of_pragmas(document: Fragment) -> Iterator[Edit]:
    """`#define UNROLL #pragma unroll`: nvcc reads it again behind its preprocessor; to g++ it is a stray sign."""
    for pragma in _MACRO_OF_PRAGMA.finditer(document.text):
        yield document.replaced(*pragma.span(1))


def _templates_around(node: Node) -> Iterator[Node]:
    here: Node | None = node
    while here is not None:
        if here.type == "template_declaration":
            yield here
        here = here.parent


def _template_parameters(node: Node) -> set[bytes]:
    """The names of types that the templates around a place are given."""
    found: set[bytes] = set()
    for template in _templates_around(node):
        given = template.child_by_field_name("parameters")
        for parameter in given.named_children if given is not None else ():
            if parameter.type.endswith("type_parameter_declaration"):
                found |= {n.text or b"" for n in parameter.named_children if n.type == "type_identifier"}
    return found
