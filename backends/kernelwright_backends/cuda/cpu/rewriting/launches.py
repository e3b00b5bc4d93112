"""Launches: `k<<<grid, block>>>(x)`, also in a macro's arguments, and those by a kernel's address."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.cuda.cpu.rewriting.fragment import Fragment, in_a_function
from kernelwright_backends.cuda.cpu.rewriting.lost import NO_CODE, statement_end, types_around
from kernelwright_backends.host.edits import Edit, Piece
from kernelwright_backends.syntax.text import walk

_PASTE = re.compile(rb"[ \t]*##[ \t]*")
# Functions that take a kernel by its address, and which argument that is.
_LAUNCHERS = {b"cudaLaunchKernel": 0, b"cudaLaunchCooperativeKernel": 0, b"cudaLaunchKernelExC": 1}
_CAST = re.compile(rb"(?:reinterpret|static)_cast\s*<([^<>]*)>")
_NO_LOST_LAUNCH = NO_CODE | {"kernel_call_syntax"}
_LOST_LAUNCH = re.compile(rb"(?<![\w:>#])[A-Za-z_][\w:]*(?:[ \t]*##[ \t]*\w+)*(?:<[^<>;{}]*>)?[ \t]*<<<(?!<)")
# A launch as an argument of a macro that writes the kernel before it: `FOR_EACH_METRIC(assign, <<<grid, block>>>(x, n));`.
_LAUNCH_OF_ANOTHER = re.compile(rb"(?P<kernel>[A-Za-z_][\w:]*)\s*,\s*<<<(?!<)")


def launch(node: Node, fragment: Fragment) -> Iterator[Edit]:
    """A call with `<<<...>>>`."""
    configuration = next((child for child in node.children if child.type == "kernel_call_syntax"), None)
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if configuration is None or function is None or arguments is None:
        return
    opening, closing = configuration.children[0], configuration.children[-1]
    if opening.type != "<<<" or closing.type != ">>>":
        return
    text, kernels = fragment.text, fragment.file.kernels
    if text[function.end_byte : opening.start_byte].strip() == b",":
        yield _launch_of_another(
            fragment, text[function.start_byte : function.end_byte], opening.start_byte, closing.start_byte
        )
        return
    spelled = text[function.start_byte : function.end_byte].decode("utf-8", "replace").strip("() ")
    listed = next((child for child in walk(function) if child.type == "template_argument_list"), None)
    given = len(listed.named_children) if listed is not None else 0
    plain = spelled.split("<", 1)[0].rsplit("::", 1)[-1].strip()
    of_macro = spelled in fragment.macro_parameters
    name = f"#{spelled}" if of_macro else '"' + " ".join(spelled.split()).replace('"', "'") + '"'
    callee = fragment.copy_of(function)
    settings = fragment.copy(opening.end_byte, closing.start_byte)
    bound = kernels.launch_bound(plain)
    opened = "::kw::configuration(" if bound is None else "::kw::bounded(::kw::configuration("
    closed = ")" if bound is None else f"), {bound})"
    cluster = kernels.cluster(plain)
    if cluster:
        opened, closed = f"::kw::clustered({opened}", f"{closed}, {cluster})"
    unknown = of_macro or b"##" in fragment.file.text[callee.start : callee.end]
    if (unknown and kernels.any_deduced()) or kernels.deduced(plain, given):
        target: tuple[Piece, ...] = (
            "::kw::launch_deduced(", opened, name, ", ", settings, closed,
            ", [&](auto... kw_arguments) { ", callee, "(kw_arguments...); })",
        )  # fmt: skip
    else:
        target = ("::kw::launch(", opened, name, ", ", settings, closed, ", ", callee, ")")
    yield fragment.replaced(node.start_byte, arguments.start_byte, *target)
    for child in arguments.children:
        if child.type == "null" and text[child.start_byte : child.end_byte] == b"NULL":
            yield fragment.in_place_of(child, "nullptr")


def lost_launches(document: Fragment) -> Iterator[Edit]:
    """Launches in statements that are a macro's arguments, `FOR_EACH_DEVICE(k<<<grid, block>>>(x[i]););`."""
    text, root = document.text, document.root
    if b"<<<" not in text:
        return
    for match in _LOST_LAUNCH.finditer(text):
        at = match.end() - 3
        if types_around(root, at) & _NO_LOST_LAUNCH or types_around(root, match.start()) & _NO_LOST_LAUNCH:
            continue
        closing = text.find(b">>>", at)
        opening = text.find(b"(", closing) if closing >= 0 else -1
        if opening < 0 or text[closing + 3 : opening].strip():
            continue
        statement = text[match.start() : statement_end(text, opening + 1)]
        # `name##_kernel<<<...>>>`: to the grammar one word.
        statement = _PASTE.sub(lambda sign: b"_" * len(sign[0]), statement)
        lost = in_a_function(document.file, statement, match.start())
        for node in walk(lost.root):
            if node.type == "call_expression":
                yield from launch(node, lost)
    for match in _LAUNCH_OF_ANOTHER.finditer(text):
        at = match.end() - 3
        closing = text.find(b">>>", at)
        if closing >= 0 and not types_around(root, at) & _NO_LOST_LAUNCH:
            yield _launch_of_another(document, match["kernel"], at, closing)


def _launch_of_another(fragment: Fragment, argument: bytes, opening: int, closing: int) -> Edit:
    """`<<<...>>>` without a kernel, behind another `argument` of the macro that writes it."""
    named = f'->*::kw::launch_of("{argument.decode("utf-8", "replace")}", '
    return fragment.replaced(opening, closing + 3, named, fragment.copy(opening + 3, closing), ")")


def launch_by_pointer(node: Node, fragment: Fragment) -> Iterator[Edit]:
    """`cudaLaunchKernel((void*)kernel, ...)`: the kernel's own type says how to read its arguments."""
    called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    place = _LAUNCHERS.get(called.text or b"") if called is not None else None
    if place is None or arguments is None:
        return
    given = [child for child in arguments.named_children if child.type != "comment"]
    kernel = given[place] if len(given) > place else None
    if kernel is None:
        return
    if kernel.type == "cast_expression":
        inner = kernel.child_by_field_name("value")
    elif kernel.type == "call_expression" and (kernel.text or b"").startswith(b"reinterpret_cast<"):
        cast = kernel.child_by_field_name("arguments")
        inner = cast.named_children[0] if cast is not None and cast.named_children else None
    else:
        return
    if inner is not None:
        yield fragment.in_place_of(kernel, fragment.copy_of(inner))


def kernel_address(node: Node, fragment: Fragment) -> Iterator[Edit]:
    """`(void*)kernel`: a launch by this address must know what the kernel takes."""
    if node.type == "cast_expression":
        kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        spelled = kind.text if kind is not None else None
    else:
        called, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        cast = _CAST.fullmatch(called.text or b"") if called is not None else None
        if cast is None or arguments is None or len(arguments.named_children) != 1:
            return
        spelled, value = cast[1], arguments.named_children[0]
    if spelled is None or b"".join(spelled.split()) not in (b"void*", b"constvoid*", b"voidconst*"):
        return
    if value is not None and value.type == "pointer_expression":
        value = value.child_by_field_name("argument")
    if value is None or value.type not in ("identifier", "qualified_identifier", "template_function"):
        return
    name = (value.text or b"").decode("utf-8", "replace").split("<", 1)[0].rsplit("::", 1)[-1].strip()
    if fragment.file.kernels.known(name):
        yield fragment.in_place_of(node, "::kw::kernel_address(", fragment.copy_of(value), ")")
