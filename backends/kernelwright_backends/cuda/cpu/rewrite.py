"""From CUDA C++ to C++ that g++ compiles, in as few places as possible (cuda.md section 3).

The grammar's tree says where; the text between is copied as it is. Every copied stretch remembers where it came from,
so that a place in the rewritten text is the user's own line and column again.
"""

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tree_sitter import Node, Tree

from kernelwright_backends.cuda.cpu import integers, ptx
from kernelwright_backends.cuda.cpu.assembly import on_device
from kernelwright_backends.cuda.cpu.by_value import INLINED
from kernelwright_backends.cuda.cpu.declarations import (
    Kernels,
    enclosing_function,
    function_declarator,
    in_a_body,
    is_device_function,
    is_program_main,
    walk_head,
)
from kernelwright_backends.cuda.cpu.parsing import ASM, parser, prepare, with_constraints
from kernelwright_backends.cuda.cpu.text import Lines, head_start, walk
from kernelwright_backends.cuda.cpu.uninitialised import (
    bare_aggregates,
    bare_locals,
    has_labels,
    passed_by_jumps,
)
from kernelwright_backends.cuda.cpu.unsupported import Unsupported, find_unsupported


@dataclass
class Rewritten:
    """One file, ready for the compiler, and the way back."""

    path: Path
    original: bytes
    text: bytes
    # (start in `text`, start in `original`, length) of every copied stretch, in order
    spans: list[tuple[int, int, int]]
    tree: Tree
    unsupported: list[Unsupported] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lines = Lines(self.original)
        self._out_lines = Lines(self.text)
        self._starts = [span[0] for span in self.spans]

    def original_offset(self, line: int, byte_column: int) -> int:
        """Where a place of the rewritten text stands in the user's. What we put there counts for what follows it."""
        at = self._out_lines.offset(line, byte_column)
        index = bisect_right(self._starts, at) - 1
        if index >= 0:
            start, source, length = self.spans[index]
            if at < start + length:
                return source + at - start
        if index + 1 < len(self.spans):
            return self.spans[index + 1][1]
        return len(self.original)


@dataclass(frozen=True)
class _Copy:
    """The user's own text, edits inside of it applied."""

    start: int
    end: int


# How the compiler's message tells what we refuse.
UNSUPPORTED_MARK = "kernelwright-unsupported: "
_Piece = str | _Copy
# Functions that take a kernel by its address, and which argument that is.
_LAUNCHERS = {b"cudaLaunchKernel": 0, b"cudaLaunchCooperativeKernel": 0, b"cudaLaunchKernelExC": 1}
_EXCHANGES = (b"atomicExch", b"atomicExch_system")
_MACRO_OF_PRAGMA = re.compile(rb"#[ \t]*define[ \t]+\w+[ \t]+(#[ \t]*pragma\b[^\r\n]*)")
_PASTE = re.compile(rb"[ \t]*##[ \t]*")
_CAST = re.compile(rb"(?:reinterpret|static)_cast\s*<([^<>]*)>")
# Of the qualifiers that macros hide, those of functions; and the sections in which the others put a variable.
_OF_FUNCTIONS = frozenset(("__global__", "__device__", "__host__"))
_SECTIONS = {
    "__managed__": "KW_MANAGED_VARIABLE",
    "__constant__": "KW_CONSTANT_VARIABLE",
    "__device__": "KW_DEVICE_VARIABLE",
}
_NAMESPACE_SCOPE = ("translation_unit", "declaration_list", "linkage_specification")


@dataclass(frozen=True)
class _Edit:
    start: int
    end: int
    pieces: tuple[_Piece, ...]


# What a place must not stand in for its assembly to be lost: where it is none, or was found.
_NO_LOST_ASSEMBLY = frozenset(
    ("comment", "string_literal", "raw_string_literal", "char_literal", "preproc_def", "preproc_function_def", "preproc_arg",
     "gnu_asm_expression")
)  # fmt: skip


_NO_CODE = _NO_LOST_ASSEMBLY - {"gnu_asm_expression"}
_NO_LOST_LAUNCH = _NO_CODE | {"kernel_call_syntax"}
_LOST_LAUNCH = re.compile(rb"(?<![\w:>])[A-Za-z_][\w:]*(?:<[^<>;{}]*>)?[ \t]*<<<(?!<)")
# A launch as an argument of a macro that writes the kernel before it: `FOR_EACH_METRIC(assign, <<<grid, block>>>(x, n));`.
_LAUNCH_OF_ANOTHER = re.compile(rb"(?P<kernel>[A-Za-z_][\w:]*)\s*,\s*<<<(?!<)")


def _types_around(root: Node, at: int) -> set[str]:
    """The types of the nodes in which byte `at` stands."""
    found: set[str] = set()
    here = root.descendant_for_byte_range(at, at + 1)
    while here is not None:
        found.add(here.type)
        here = here.parent
    return found


# Words of a function's head that settle whether the compiler makes code of it where nobody calls it.
_EMITTED_OR_NOT = re.compile(
    rb"(?<!\w)(?:static|inline|__inline__|__inline|constexpr|consteval|__global__|__host__)(?!\w)"
)


def _of_a_class(function: Node) -> bool:
    return function.parent is not None and function.parent.type == "field_declaration_list"


def _in_a_block(node: Node) -> bool:
    """Is this a statement among others, before which a declaration may stand?"""
    statement = node.parent
    block = statement.parent if statement is not None else None
    while block is not None and block.type.startswith("preproc_"):
        block = block.parent
    return (
        statement is not None
        and statement.type == "expression_statement"
        and block is not None
        and block.type == "compound_statement"
    )


def _statement_end(text: bytes, inside: int) -> int:
    """Behind the bracket that closes the one before `inside`."""
    depth, at, quoted = 1, inside, False
    while at < len(text) and depth:
        if text[at] == 0x5C:
            at += 1
        elif text[at] == 0x22:
            quoted = not quoted
        elif not quoted:
            depth += (text[at] == 0x28) - (text[at] == 0x29)
        at += 1
    return at


class _Rewriter:
    def __init__(self, document: "Document", kernels: Kernels) -> None:
        self.path, self.text, self.tree, self.kernels = document.path, document.text, document.tree, kernels
        self.hidden = document.marks
        self.marks = sorted(at for at, hidden in document.marks.items() if hidden & _OF_FUNCTIONS)
        self.edits: list[_Edit] = []
        self.number = 0
        # By function, of which the place tells one from another: what its assembly has left open.
        self.registers: dict[tuple[int, int], ptx.Registers] = {}
        # `__shared__` at file scope: name -> the declaration inside of a function that refers to it
        self.file_scope_shared: dict[bytes, str] = {}

    def scan(self) -> None:
        if self.text.startswith(b"\xef\xbb\xbf"):  # a line of ours will stand before it
            self.edits.append(_Edit(0, 3, ()))
        self._visit(self.tree.root_node, self.text, 0, frozenset())

    def finish(self, file_scope_shared: Mapping[bytes, str]) -> Rewritten:
        self._inject_file_scope_shared(file_scope_shared)
        out, spans = self._apply()
        unsupported = find_unsupported(self.tree.root_node, Lines(self.text))
        return Rewritten(self.path, self.text, out, spans, self.tree, unsupported)

    # ---- finding what to rewrite

    def _visit(self, root: Node, text: bytes, base: int, macro_parameters: frozenset[str]) -> None:
        """Collect the edits below `root`, whose byte 0 is byte `base` of the document."""
        for node in walk(root):
            if node.type == "call_expression":
                self._launch(node, text, base, macro_parameters)
                self._device_allocation(node, base)
                self._launch_by_pointer(node, base)
                self._kernel_address(node, text, base)
                if base == 0:
                    self._exchange_unread(node)
                if base == 0 and self._is_device_code(node):
                    for argument, number in self.kernels.by_value.copied(node):
                        self._copied(node, argument, number)
            elif node.type == "assignment_expression" and base == 0:
                stored = self.kernels.by_value.stored(node)
                if stored is not None and self._is_device_code(node):
                    self._wrap(stored, "::kw::returned(")
            elif node.type in ("template_method", "template_function") and base == 0:
                self._member_template(node)
            elif node.type == "field_expression" and base == 0:
                self._member_of_a_made_one(node)
            elif node.type == "gnu_asm_expression":
                self._assembly(node, text, base)
            elif node.type == "cast_expression":
                self._kernel_address(node, text, base)
            elif node.type in ("new_expression", "delete_expression"):
                self._device_objects(node, base)
            elif node.type == "declaration":
                self._declaration(node, text, base)
            elif node.type == "function_declarator" and base == 0:
                self._main(node)
            elif node.type == "function_definition" and base == 0 and self._is_device(node):
                if is_device_function(node):
                    self._bare_locals(node)
                if self.kernels.by_value.inlined(node, self.text):
                    self.edits.append(_Edit(node.start_byte, node.start_byte, (INLINED,)))
            elif node.type in ("preproc_def", "preproc_function_def"):
                self._macro(node)
            elif node.type == "optional_parameter_declaration" and base == 0:
                self._default_of_its_own_name(node)
            if base == 0:
                self._as_device_does(node)
        if base == 0:
            self._lost_assembly(root)
            self._lost_launches(root)
            self._noinline(text)

    def _lost_launches(self, root: Node) -> None:
        """Launches in statements that are a macro's arguments, `FOR_EACH_DEVICE(k<<<grid, block>>>(x[i]););`."""
        if b"<<<" not in self.text:
            return
        head = b"void f() {"
        for match in _LOST_LAUNCH.finditer(self.text):
            at = match.end() - 3
            if (
                _types_around(root, at) & _NO_LOST_LAUNCH
                or _types_around(root, match.start()) & _NO_LOST_LAUNCH
            ):
                continue
            closing = self.text.find(b">>>", at)
            opening = self.text.find(b"(", closing) if closing >= 0 else -1
            if opening < 0 or self.text[closing + 3 : opening].strip():
                continue
            wrapped = head + self.text[match.start() : _statement_end(self.text, opening + 1)] + b";}"
            for node in walk(parser().parse(wrapped).root_node):
                if node.type == "call_expression":
                    self._launch(node, wrapped, match.start() - len(head), frozenset())
        for match in _LAUNCH_OF_ANOTHER.finditer(self.text):
            at = match.end() - 3
            closing = self.text.find(b">>>", at)
            if closing >= 0 and not _types_around(root, at) & _NO_LOST_LAUNCH:
                self._launch_of_another(match["kernel"], at, closing)

    def _launch_of_another(self, argument: bytes, opening: int, closing: int) -> None:
        """`<<<...>>>` without a kernel, behind another `argument` of the macro that writes it."""
        named = f'->*::kw::launch_of("{argument.decode("utf-8", "replace")}", '
        self.edits.append(_Edit(opening, closing + 3, (named, _Copy(opening + 3, closing), ")")))

    def _lost_assembly(self, root: Node) -> None:
        """Inline PTX in what the grammar takes for something else, such as a block among the arguments of a macro."""
        if b"asm" not in self.text:
            return
        head = b"void f() {"
        for match in ASM.finditer(self.text):
            if _types_around(root, match.start()) & _NO_LOST_ASSEMBLY:
                continue
            end = _statement_end(self.text, match.end())
            wrapped = head + self.text[match.start() : end] + b";}"
            tree = parser().parse(with_constraints(wrapped, self.text))
            for node in walk(tree.root_node):
                if node.type == "gnu_asm_expression":
                    self._assembly(node, wrapped, match.start() - len(head), lost=True)

    def _default_of_its_own_name(self, node: Node) -> None:
        """`static void f(size_t n = n)` in a class: nvcc means the class's n, a C++ compiler the parameter."""
        name, value = node.child_by_field_name("declarator"), node.child_by_field_name("default_value")
        if name is None or value is None or value.type != "identifier" or name.text != value.text:
            return
        here: Node | None = node
        while here is not None and here.type not in ("class_specifier", "struct_specifier"):
            here = here.parent
        owner = here.child_by_field_name("name") if here is not None else None
        if owner is not None and owner.type == "type_identifier":
            self.edits.append(
                _Edit(value.start_byte, value.start_byte, (f"{(owner.text or b'').decode()}::",))
            )

    def _as_device_does(self, node: Node) -> None:
        """Conversions to integers and shifts, of which a device defines more than the language."""
        found = integers.asked(node)
        if found is None or not self._runs_on_device(node) or integers.in_condition(node):
            return
        pieces: list[_Piece] = []
        for argument in found.arguments:
            pieces += [", " if pieces else "", _Copy(argument.start_byte, argument.end_byte)]
        call = (f"::kw::{found.function}(", *pieces, ")")
        if found.assigned:
            target = found.arguments[0]
            call = (_Copy(target.start_byte, target.end_byte), " = ", *call)
        self.edits.append(_Edit(node.start_byte, node.end_byte, call))

    def _runs_on_device(self, node: Node) -> bool:
        """Does this stand in a function of the device, or in a lambda that says it is one?"""
        here = node.parent
        while here is not None and here.type != "function_definition":
            if here.type == "lambda_expression":
                body = here.child_by_field_name("body")
                if body is not None and b"__device__" in self.text[here.start_byte : body.start_byte]:
                    return True
            here = here.parent
        return here is not None and self._is_device(here)

    def _is_device(self, function: Node) -> bool:
        """Does this definition run on the device, also where a macro says so?"""
        if is_device_function(function):
            return True
        body = function.child_by_field_name("body")
        at = bisect_left(self.marks, head_start(function))
        return at < len(self.marks) and self.marks[at] < (body or function).start_byte

    def _is_device_code(self, node: Node) -> bool:
        here: Node | None = node
        while here is not None and here.type not in ("function_definition", "lambda_expression"):
            here = here.parent
        return here is not None and (here.type == "lambda_expression" or self._is_device(here))

    def _member_template(self, node: Node) -> None:
        """`smem.load<4>(x)`, `Cast<T>::to<4>(x)` where a template's parameter says whose: nvcc finds out without `template`."""
        name = node.child_by_field_name("name")
        scope = node.parent.child_by_field_name("scope") if node.parent is not None else None
        reached = node.parent is not None and (
            node.parent.type == "field_expression"  # no base's initialiser
            or (
                node.parent.type == "qualified_identifier"
                and scope is not None
                and scope.type == "template_type"
            )
        )
        if not reached or name is None or name.text not in self.kernels.member_templates:
            return
        if self.text[: node.start_byte].rstrip().endswith(b"template"):
            return
        here: Node | None = node
        while here is not None and here.type != "template_declaration":
            here = here.parent
        if here is not None:
            self.edits.append(_Edit(node.start_byte, node.start_byte, ("template ",)))

    def _member_of_a_made_one(self, node: Node) -> None:
        """`Traits::Scan(storage).Sum(x)` where a template's parameter says whose: nvcc finds out that `Scan` is a type."""
        made = node.child_by_field_name("argument")
        called = (
            made.child_by_field_name("function")
            if made is not None and made.type == "call_expression"
            else None
        )
        if called is None or called.type != "qualified_identifier":
            return
        scope, name = called.child_by_field_name("scope"), called.child_by_field_name("name")
        if (
            scope is None
            or name is None
            or name.text not in self.kernels.member_types
            or self.kernels.has_function(name.text.decode())
        ):
            return
        if scope.text in self._template_parameters(node):
            self.edits.append(_Edit(called.start_byte, called.start_byte, ("typename ",)))

    @staticmethod
    def _template_parameters(node: Node) -> set[bytes]:
        """The names of types that the templates around a place are given."""
        found: set[bytes] = set()
        here: Node | None = node
        while here is not None:
            if here.type == "template_declaration":
                given = here.child_by_field_name("parameters")
                for parameter in given.named_children if given is not None else ():
                    if parameter.type.endswith("type_parameter_declaration"):
                        found |= {
                            n.text or b"" for n in parameter.named_children if n.type == "type_identifier"
                        }
            here = here.parent
        return found

    def _copied(self, call: Node, argument: Node, number: int | None) -> None:
        called = call.child_by_field_name("function")
        if number is None or called is None:
            self._wrap(argument, "::kw::copied(")
            return
        spelled = self.text[called.start_byte : called.end_byte].decode("utf-8", "replace")
        self._wrap(argument, f"::kw::passed<{number}, decltype({spelled})>(")

    def _wrap(self, node: Node, opening: str) -> None:
        self.edits.append(
            _Edit(node.start_byte, node.end_byte, (opening, _Copy(node.start_byte, node.end_byte), ")"))
        )

    def _macro(self, node: Node) -> None:
        pragma = _MACRO_OF_PRAGMA.match(self.text, node.start_byte, node.end_byte)
        if pragma is not None:
            # nvcc reads such a pragma again behind its preprocessor; to g++ it is a stray sign.
            self.edits.append(_Edit(pragma.start(1), pragma.end(1), ()))
            return
        value = node.child_by_field_name("value")
        if value is None:
            return
        body = self.text[value.start_byte : value.end_byte]
        if b"<<<" not in body and b"__shared__" not in body and b"asm" not in body:
            return
        parameters = node.child_by_field_name("parameters")
        names = frozenset(
            child.text.decode("utf-8", "replace")
            for child in (parameters.named_children if parameters else [])
            if child.type == "identifier" and child.text is not None
        )
        head = b"void f() {"
        body = body.replace(b"\\\n", b"  ").replace(b"\\\r\n", b"   ")
        # `add_##type##_kernel<<<...>>>`: to the grammar one word.
        wrapped = head + _PASTE.sub(lambda sign: b"_" * len(sign[0]), body) + b";}"
        self._visit(
            parser().parse(with_constraints(prepare(wrapped).text, self.text)).root_node,
            wrapped,
            value.start_byte - len(head),
            names,
        )

    def _launch(self, node: Node, text: bytes, base: int, macro_parameters: frozenset[str]) -> None:
        configuration = next((child for child in node.children if child.type == "kernel_call_syntax"), None)
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if configuration is None or function is None or arguments is None:
            return
        opening, closing = configuration.children[0], configuration.children[-1]
        if opening.type != "<<<" or closing.type != ">>>":
            return
        if text[function.end_byte : opening.start_byte].strip() == b",":
            argument = text[function.start_byte : function.end_byte]
            self._launch_of_another(argument, base + opening.start_byte, base + closing.start_byte)
            return
        spelled = text[function.start_byte : function.end_byte].decode("utf-8", "replace").strip("() ")
        listed = next((child for child in walk(function) if child.type == "template_argument_list"), None)
        given = len(listed.named_children) if listed is not None else 0
        plain = spelled.split("<", 1)[0].rsplit("::", 1)[-1].strip()
        name = (
            f"#{spelled}"
            if spelled in macro_parameters
            else '"' + " ".join(spelled.split()).replace('"', "'") + '"'
        )
        callee = _Copy(base + function.start_byte, base + function.end_byte)
        settings = _Copy(base + opening.end_byte, base + closing.start_byte)
        bound = self.kernels.launch_bound(plain)
        opened = "::kw::configuration(" if bound is None else "::kw::bounded(::kw::configuration("
        closed = ")" if bound is None else f"), {bound})"
        cluster = self.kernels.cluster(plain)
        if cluster:
            opened, closed = f"::kw::clustered({opened}", f"{closed}, {cluster})"
        written = self.text[base + function.start_byte : base + function.end_byte]
        unknown = (spelled in macro_parameters or b"##" in written) and self.kernels.any_deduced()
        if unknown or self.kernels.deduced(plain, given):
            target: tuple[_Piece, ...] = (
                "::kw::launch_deduced(", opened, name, ", ", settings, closed,
                ", [&](auto... kw_arguments) { ", callee, "(kw_arguments...); })",
            )  # fmt: skip
        else:
            target = ("::kw::launch(", opened, name, ", ", settings, closed, ", ", callee, ")")
        self.edits.append(_Edit(base + node.start_byte, base + arguments.start_byte, target))
        for child in arguments.children:
            if child.type == "null" and text[child.start_byte : child.end_byte] == b"NULL":
                self.edits.append(_Edit(base + child.start_byte, base + child.end_byte, ("nullptr",)))

    def _assembly(self, node: Node, text: bytes, base: int, *, lost: bool = False) -> None:
        """Inline PTX: a lambda that does what it says, called with the operands where they stand.

        `lost`: nobody knows on whose side it stands; it is left alone unless it reads as PTX.
        """
        lost |= base == 0 and not on_device(
            node
        )  # in host code, or in a function whose head the grammar did not understand
        if lost and node.child_by_field_name("assembly_code") is None:
            return
        operands, values = [], []
        for listed in node.named_children:
            if listed.type not in ("gnu_asm_output_operand_list", "gnu_asm_input_operand_list"):
                continue
            for operand in listed.named_children:
                parts = [child for child in operand.named_children if child.type != "comment"]
                if operand.type not in ("gnu_asm_output_operand", "gnu_asm_input_operand") or len(parts) < 2:
                    continue
                name = (
                    (parts[0].text or b"").decode()
                    if parts[0].type == "identifier" and len(parts) > 2
                    else ""
                )
                constraint = parts[1] if name else parts[0]
                operands.append(ptx.Operand((constraint.text or b"").decode().strip('"'), name))
                values.append(parts[-1])
        pasted: list[Node] = []
        try:
            translated = self._assembly_body(node, base, operands, pasted)
        except ptx.PtxError as error:
            if lost and not ptx.reads_as_ptx((node.text or b"").decode("utf-8", "replace")):
                return
            # An error where code is made of it, and nowhere else: many files choose by architecture, or hold templates that
            # nobody uses.
            words = (
                f"{UNSUPPORTED_MARK}inline PTX: {error}".replace("\\", "/")
                .replace('"', "'")
                .replace("\n", " ")
            )
            name = f"kw_unsupported_{self._next_number()}_{self._own_hash()}"
            code = f'({{ void {name}() __attribute__((error("{words}"))); {name}(); }})'
            self.edits.append(_Edit(base + node.start_byte, base + node.end_byte, (code,)))
            if base == 0:
                self._droppable(enclosing_function(node))
            return
        parameters = [
            f"{'auto&' if operand.written else 'auto'} kw_given_{n}" for n, operand in enumerate(operands)
        ]
        capture = "&" if translated.outer else ""
        head = f"[{capture}]({', '.join(parameters)}) {{ {translated.body} }}("
        pieces: list[_Piece] = [translated.declarations + head]
        at = node.start_byte
        newline = "\n" if base == 0 else "\\\n"
        for n, value in enumerate(values):
            pieces.append(newline * text.count(b"\n", at, value.start_byte) + ("," if n else ""))
            pieces.append(_Copy(base + value.start_byte, base + value.end_byte))
            at = value.end_byte
        for word in pasted:  # without its sign a macro's parameter is a number again
            pieces += [
                "," if len(pieces) > 1 else "",
                _Copy(base + word.start_byte + 1, base + word.end_byte),
            ]
        pieces.append(newline * text.count(b"\n", at, node.end_byte) + ")")
        self.edits.append(_Edit(base + node.start_byte, base + node.end_byte, tuple(pieces)))

    def _droppable(self, function: Node | None) -> None:
        """Lets the compiler make nothing of a function of the device that nobody calls, as nvcc makes nothing of it."""
        body = function.child_by_field_name("body") if function is not None else None
        if function is None or body is None or not self._is_device(function) or _of_a_class(function):
            return
        start = head_start(function)
        hidden = frozenset().union(
            *(words for at, words in self.hidden.items() if start <= at < body.start_byte)
        )
        if (
            "inline" in hidden
            or "__host__" in hidden
            or _EMITTED_OR_NOT.search(self.text, start, body.start_byte)
        ):
            return
        edit = _Edit(function.start_byte, function.start_byte, ("inline ",))
        if edit not in self.edits:
            self.edits.append(edit)

    def _assembly_body(
        self, node: Node, base: int, operands: list[ptx.Operand], pasted: list[Node]
    ) -> ptx.Translated:
        """C++ from the statement's text to its operands' new values.

        `pasted` takes the parameters of a macro that stand in the text, `"shl.b32 %0, %1, " #by ";"`: further operands.

        Raises:
            ptx.PtxError: it is not to be executed here.
        """
        code = node.child_by_field_name("assembly_code")
        template = self._assembly_text(code, len(operands), pasted) if code is not None else ""
        operands += [ptx.Operand("n") for _ in pasted]
        function = enclosing_function(node)
        place = (base, function.start_byte) if function is not None else None
        registers = self.registers.setdefault(place, ptx.Registers()) if place is not None else None
        made = ptx.translate(template, operands, registers, stays=_in_a_block(node))
        before, after = [], []
        for n, operand in enumerate(operands):
            # An input may stand for the place of an output.
            tied = re.fullmatch(r"(\d+)", operand.constraint)
            letter = (
                operands[int(tied[1])].letter if tied and int(tied[1]) < len(operands) else operand.letter
            )
            storage = ptx.STORAGE.get(letter)
            if storage is None:
                raise ptx.PtxError(f"the constraint '{operand.constraint}'")
            if tied:
                before.append(f"kw_{tied[1]} = kw::ptx::as<{storage}>(kw_given_{n});")
            read = not operand.written or operand.constraint.startswith("+")
            value = f"kw::ptx::as<{storage}>(kw_given_{n})" if read else f"{storage}{{}}"
            before.insert(
                n, f"[[maybe_unused]] {'' if operand.written else 'const '}{storage} kw_{n} = {value};"
            )
            if operand.written:
                after.append(f"kw::ptx::put(kw_given_{n}, kw_{n});")
        return replace(made, body=" ".join((*before, made.body, *after)))

    def _assembly_text(self, code: Node, operands: int, pasted: list[Node]) -> str:
        if code.type == "string_literal":
            inner = re.sub(r"\\\r?\n", "", (code.text or b"").decode("utf-8", "replace"))[1:-1]
            return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t", "r": "\r"}.get(m[1], m[1]), inner)
        if code.type == "raw_string_literal":
            return "".join(
                (c.text or b"").decode() for c in code.named_children if c.type == "raw_string_content"
            )
        if code.type == "concatenated_string":
            text = ""
            for child in code.named_children:
                if text.endswith(".") and (child.text or b"").startswith(b"#"):
                    text += "L1::pasted"  # what loads and stores are told of a cache; of anything else it is refused
                elif child.type != "comment":
                    text += self._assembly_text(child, operands, pasted)
            return text
        if (code.text or b"").startswith(b"#"):
            pasted.append(code)
            return f"%{operands + len(pasted) - 1}"
        name = (code.text or b"").decode("utf-8", "replace")
        for node in walk(self.tree.root_node):
            if (
                node.type in ("preproc_def", "preproc_function_def")
                and (given := node.child_by_field_name("name"))
                and given.text == code.text
            ):
                value = node.child_by_field_name("value")
                meant = (value.text or b"").decode("utf-8", "replace") if value else ""
                parameters = node.child_by_field_name("parameters")
                if parameters is not None:
                    meant = self._with_arguments(meant, parameters, code)
                spelled = re.findall(r'"((?:\\.|[^"\\])*)"', meant)
                if spelled:
                    return "".join(spelled).replace("\\n", "\n").replace("\\t", "\t")
        raise ptx.PtxError(f"text that is put together by '{name}'")

    def _with_arguments(self, meant: str, parameters: Node, use: Node) -> str:
        """What a macro with parameters stands for where it is used; its arguments were blanked for the grammar."""
        given = re.match(rb"\s*\(([^()]*)\)", self.text[use.end_byte :])
        values = [part.strip().decode("utf-8", "replace") for part in given[1].split(b",")] if given else []
        for parameter, argument in zip(parameters.named_children, values, strict=False):
            word = re.escape((parameter.text or b"").decode("utf-8", "replace"))
            meant = re.sub(rf"#\s*{word}\b", f'"{argument}"', meant)
        return meant

    def _launch_by_pointer(self, node: Node, base: int) -> None:
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
            copied = _Copy(base + inner.start_byte, base + inner.end_byte)
            self.edits.append(_Edit(base + kernel.start_byte, base + kernel.end_byte, (copied,)))

    def _kernel_address(self, node: Node, text: bytes, base: int) -> None:
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
        if (
            spelled is None
            or value is None
            or b"".join(spelled.split()) not in (b"void*", b"constvoid*", b"voidconst*")
        ):
            return
        if value.type == "pointer_expression":
            value = value.child_by_field_name("argument")
        if value is None or value.type not in ("identifier", "qualified_identifier", "template_function"):
            return
        name = (value.text or b"").decode("utf-8", "replace").split("<", 1)[0].rsplit("::", 1)[-1].strip()
        if not self.kernels.known(name):
            return
        copied = _Copy(base + value.start_byte, base + value.end_byte)
        pieces: tuple[_Piece, ...] = ("::kw::kernel_address(", copied, ")")
        self.edits.append(_Edit(base + node.start_byte, base + node.end_byte, pieces))

    def _device_allocation(self, node: Node, base: int) -> None:
        called = node.child_by_field_name("function")
        if called is None or called.text not in (b"malloc", b"free"):
            return
        function = enclosing_function(node)
        if function is not None and is_device_function(function):
            replaced = f"kw_device_{called.text.decode()}"
            self.edits.append(_Edit(base + called.start_byte, base + called.end_byte, (replaced,)))

    def _exchange_unread(self, node: Node) -> None:
        """`atomicExch(&x, 0);` whose old value nobody takes is a store: it may be the first."""
        called = node.child_by_field_name("function")
        if called is None or called.text not in _EXCHANGES or node.parent is None:
            return
        if self.kernels.has_function(
            called.text.decode()
        ):  # an overload of the text's own, or another function
            return
        if node.parent.type == "expression_statement":
            self.edits.append(_Edit(called.start_byte, called.end_byte, ("::kw::exchange_unread",)))

    def _device_objects(self, node: Node, base: int) -> None:
        """`new` and `delete` of device code, which have the device's heap."""
        function = enclosing_function(node)
        if function is None or not is_device_function(function):
            return
        keyword = next((child for child in node.children if child.type in ("new", "delete")), None)
        if keyword is None:
            return
        if keyword.type == "new":
            if node.child_by_field_name("placement") is None:
                at = base + keyword.end_byte
                self.edits.append(_Edit(at, at, (" (::kw::device_memory)",)))
            return
        freed = node.named_children[-1] if node.named_children else None
        if freed is None:
            return
        array = any(child.type in ("[", "[]") for child in node.children)
        opening = f"::kw::destroy{'_array' if array else ''}("
        self.edits.append(_Edit(base + node.start_byte, base + freed.start_byte, (opening,)))
        self.edits.append(_Edit(base + freed.end_byte, base + freed.end_byte, (")",)))

    def _own_warp_size(self, node: Node) -> None:
        """`constexpr int warpSize = 32;` at file scope defines what CUDA declares; here that is a constant already."""
        declared = node.child_by_field_name("declarator")
        name = declared.child_by_field_name("declarator") if declared is not None else None
        if (
            name is not None
            and name.text == b"warpSize"
            and node.parent is not None
            and node.parent.type == "translation_unit"
        ):
            self.edits.append(_Edit(name.start_byte, name.end_byte, ("kw_own_warp_size",)))

    def _declaration(self, node: Node, text: bytes, base: int) -> None:
        if base == 0:
            self._own_warp_size(node)
        kinds = {child.type for child in walk_head(node)}
        if "__shared__" in kinds:
            self._shared(node, text, base)
        elif kinds & {"__device__", "__constant__"} and function_declarator(node) is None:
            self._device_variable(node, text, base)
        elif base == 0 and (b"__managed__" in self.text or self.hidden) and function_declarator(node) is None:
            self._hidden_variable(node)

    def _bare_locals(self, function: Node) -> None:
        """A local that nobody initialises starts with a value that shows where it gets to."""
        body = function.child_by_field_name("body")
        if body is None or has_labels(body):
            return
        for declaration, name in bare_locals(body):
            plain = any(child.id == name.id for child in declaration.children)
            if plain and not passed_by_jumps(declaration, body):
                self.edits.append(_Edit(name.end_byte, name.end_byte, (" KW_UNWRITTEN",)))
        for declaration, name in bare_aggregates(body):
            if not passed_by_jumps(declaration, body):
                fill = f" KW_LEAVE_UNWRITTEN({(name.text or b'').decode()})"
                self.edits.append(_Edit(declaration.end_byte, declaration.end_byte, (fill,)))

    def _shared(self, node: Node, text: bytes, base: int) -> None:
        declarators = node.children_by_field_name("declarator")
        if not declarators:
            return
        dynamic = False
        specifiers: list[_Piece] = []
        at = node.start_byte
        for child in walk_head(node):
            spelled = text[child.start_byte : child.end_byte]
            dropped = (
                spelled in (b"extern", b"static", b"__shared__") or child.type == "attribute_declaration"
            )
            if child.start_byte < declarators[0].start_byte and dropped:
                dynamic |= spelled == b"extern"
                if child.start_byte >= at:
                    specifiers.append(_Copy(base + at, base + child.start_byte))
                    at = child.end_byte
        specifiers.append(_Copy(base + at, base + declarators[0].start_byte))
        self._replace_alignas(text, base, node.start_byte, declarators[0].start_byte)
        at_file_scope = base == 0 and not in_a_body(node)
        number: int | str = self._next_number()
        if at_file_scope:  # what stands at file scope must not meet the names of another file
            number = f"{number}_{self._own_hash()}"
        # A type defined in place may be written once only; else every declarator has the specifiers themselves, since
        # an alignment belongs to the array and not to its elements.
        defines = b"{" in text[node.start_byte : declarators[0].start_byte]
        pieces: list[_Piece] = ["typedef ", *specifiers, f" kw_base_{number};"] if defines else []
        for index, declarator in enumerate(declarators):
            identifier = declarator
            while identifier.type != "identifier":
                inner = identifier.child_by_field_name("declarator")
                if inner is None:
                    inner = next((child for child in identifier.named_children if "declarator" in child.type
                                  or child.type == "identifier"), None)  # fmt: skip
                if inner is None:
                    return
                identifier = inner
            name = text[identifier.start_byte : identifier.end_byte]
            own = f"kw_type_{number}_{index}"
            slot = (
                f"::kw::dynamic_shared<{own}>()"
                if dynamic
                else f'::kw::shared<{own}, struct kw_slot_{number}_{index}>("{name.decode("utf-8", "replace")}")'
            )
            pieces += [" typedef ", *([f"kw_base_{number} "] if defines else specifiers)]
            pieces += [
                _Copy(base + declarator.start_byte, base + identifier.start_byte), own,
                _Copy(base + identifier.end_byte, base + declarator.end_byte), ";",
            ]  # fmt: skip
            if at_file_scope:
                # The type stands where the user's declaration did; each function that uses it refers to one slot.
                self.file_scope_shared[name] = f" {own}& {name.decode('utf-8', 'replace')} = {slot};"
            else:
                pieces += [
                    f" {own}& ",
                    _Copy(base + identifier.start_byte, base + identifier.end_byte),
                    f" = {slot};",
                ]
            if not dynamic:
                pieces.insert(0, f"struct kw_slot_{number}_{index}; ")
        self.edits.append(_Edit(base + node.start_byte, base + node.end_byte, tuple(pieces)))

    def _replace_alignas(self, text: bytes, base: int, start: int, end: int) -> None:
        # A typedef takes the attribute, not the keyword.
        at = text.find(b"alignas", start, end)
        if at >= 0:
            self.edits.append(_Edit(base + at, base + at + len(b"alignas"), ("__align__",)))

    def _device_variable(self, node: Node, text: bytes, base: int) -> None:
        parent = node.parent.type if node.parent is not None else ""
        if parent == "template_declaration" and node.parent is not None:
            self._device_template(node, node.parent, base)
        if not parent.startswith("preproc_") and parent not in _NAMESPACE_SCOPE:
            return
        head = [child for child in walk_head(node) if child.is_named or child.type.startswith("__")]
        words = {text[child.start_byte : child.end_byte] for child in head}
        declarator = node.child_by_field_name("declarator")
        points = declarator is not None and any(c.type == "pointer_declarator" for c in walk(declarator))
        if b"constexpr" in words or b"extern" in words or (b"const" in words and not points):
            return
        for child in head:
            if child.type in ("__device__", "__constant__"):
                macro = "KW_DEVICE_VARIABLE" if child.type == "__device__" else "KW_CONSTANT_VARIABLE"
                # Blanked for the grammar; the host may use such a variable.
                before = node.prev_sibling.end_byte if node.prev_sibling is not None else node.start_byte
                if base == 0 and (
                    b"__managed__" in self.text[before : node.end_byte]
                    or "__managed__" in self._hidden_before(node, node.end_byte)
                ):
                    macro = "KW_MANAGED_VARIABLE"
                self.edits.append(_Edit(base + child.start_byte, base + child.end_byte, (macro,)))
                return

    def _hidden_variable(self, node: Node) -> None:
        """`__managed__` alone implies `__device__`; it is blanked for the grammar, as is a macro that stands for a qualifier."""
        parent = node.parent.type if node.parent is not None else ""
        declarator = node.child_by_field_name("declarator")
        if declarator is None or (not parent.startswith("preproc_") and parent not in _NAMESPACE_SCOPE):
            return
        before = node.prev_sibling.end_byte if node.prev_sibling is not None else 0
        word = b"__managed__"
        at = self.text.find(word, before, declarator.start_byte)
        if at >= 0:
            self.edits.append(_Edit(at, at + len(word), ("KW_MANAGED_VARIABLE",)))
            return
        hidden = self._hidden_before(node, declarator.start_byte)
        section = next((section for word, section in _SECTIONS.items() if word in hidden), None)
        head = {self.text[child.start_byte : child.end_byte] for child in walk_head(node)}
        if section is not None and not head & {b"constexpr", b"extern"}:
            self.edits.append(_Edit(node.start_byte, node.start_byte, (f"{section} ",)))

    def _hidden_before(self, node: Node, until: int) -> frozenset[str]:
        """The qualifiers that macros hide between what stands before a declaration and byte `until` of it."""
        before = node.prev_sibling.end_byte if node.prev_sibling is not None else node.start_byte
        if node.prev_sibling is None and node.parent is not None:
            before = node.parent.start_byte
        return frozenset().union(*(words for at, words in self.hidden.items() if before <= at < until))

    def _device_template(self, node: Node, template: Node, base: int) -> None:
        """The compiler puts no instance of a template into a section: the runtime knows them by a mark with their name."""
        kinds = {child.type for child in walk_head(node)}
        declarator: Node | None = node.child_by_field_name("declarator")
        while declarator is not None and declarator.type != "identifier":
            declarator = declarator.child_by_field_name("declarator")
        if declarator is None or declarator.text is None or template.parent is None:
            return
        kind = "constant" if "__constant__" in kinds else "device"
        mark = f"kw_template_{kind}_{declarator.text.decode('utf-8', 'replace')}"
        at = base + template.start_byte
        self.edits.append(_Edit(at, at, (f"[[gnu::used]] static const char {mark} = 0; ",)))

    def _main(self, declarator: Node) -> None:
        name = declarator.child_by_field_name("declarator")
        if name is not None and is_program_main(declarator):
            self.edits.append(_Edit(name.start_byte, name.end_byte, ("kernelwright_user_main",)))
            # Only `main` may end without a return.
            parent = declarator.parent
            body = parent.child_by_field_name("body") if parent is not None else None
            result = parent.child_by_field_name("type") if parent is not None else None
            if (
                body is not None
                and result is not None
                and result.text == b"int"
                and (body.text or b"").endswith(b"}")
            ):
                self.edits.append(_Edit(body.end_byte - 1, body.end_byte - 1, (" return 0; ",)))

    def _noinline(self, text: bytes) -> None:
        at = text.find(b"__noinline__")
        while at >= 0:
            before = text[:at].rstrip()
            if not before.endswith((b"((", b",")):  # the standard library's own attribute
                self.edits.append(_Edit(at, at + len(b"__noinline__"), ("KW_NOINLINE",)))
            at = text.find(b"__noinline__", at + 1)

    def _inject_file_scope_shared(self, declared: Mapping[bytes, str]) -> None:
        if not any(name in self.text for name in declared):
            return
        for node in walk(self.tree.root_node):
            if node.type != "function_definition":
                continue
            body = node.child_by_field_name("body")
            if body is None:
                continue
            used = {child.text for child in walk(body) if child.type == "identifier"} & set(declared)
            if not used:
                continue
            used -= _own_names(node)
            for name in sorted(name for name in used if name is not None):
                at = body.start_byte + 1
                self.edits.append(_Edit(at, at, (declared[name],)))

    def _own_hash(self) -> str:
        """What tells names of this file from those of another one that is compiled with it."""
        return hashlib.sha256(str(self.path).encode()).hexdigest()[:8]

    def _next_number(self) -> int:
        self.number += 1
        return self.number

    # ---- writing it down

    def _apply(self) -> tuple[bytes, list[tuple[int, int, int]]]:
        edits = sorted(self.edits, key=lambda edit: (edit.start, -edit.end))
        starts = [edit.start for edit in edits]
        out = bytearray()
        spans: list[tuple[int, int, int]] = []

        def copy(start: int, end: int, outer: _Edit | None) -> None:
            at = start
            index = 0
            within = edits[bisect_left(starts, start) : bisect_right(starts, end)]
            inner = [e for e in within if e.end <= end and e is not outer]
            while index < len(inner):
                edit = inner[index]
                if edit.start < at or (
                    outer is not None and edit.start <= outer.start and edit.end >= outer.end
                ):
                    index += 1
                    continue
                plain(at, edit.start)
                for piece in edit.pieces:
                    if isinstance(piece, str):
                        out.extend(piece.encode())
                    else:
                        copy(piece.start, piece.end, edit)
                at = edit.end
                index += 1
            plain(at, end)

        def plain(start: int, end: int) -> None:
            if end > start:
                spans.append((len(out), start, end - start))
                out.extend(self.text[start:end])

        copy(0, len(self.text), None)
        return bytes(out), spans


def _own_names(function: Node) -> set[bytes]:
    """Names that a function gives to its parameters and variables."""
    found: set[bytes] = set()
    for node in walk(function):
        if node.type not in ("declaration", "parameter_declaration", "optional_parameter_declaration"):
            continue
        for declarator in node.children_by_field_name("declarator"):
            inner: Node | None = declarator
            while inner is not None and inner.type != "identifier":
                inner = inner.child_by_field_name("declarator") or next(
                    (child for child in inner.named_children if child.type == "identifier"), None
                )
            if inner is not None and inner.text is not None:
                found.add(inner.text)
    return found


@dataclass(frozen=True)
class Document:
    """One file of a translation unit, to be rewritten."""

    path: Path
    text: bytes
    tree: Tree
    # start and end of the paths of includes, and the rewritten header to read instead
    includes: Sequence[tuple[int, int, str]] = ()
    marks: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """Where macros that stand for `__device__` and its like were blanked for the grammar, and for which."""


def rewrite(documents: Sequence[Document], kernels: Kernels) -> dict[Path, Rewritten]:
    """Rewrite the files of one translation unit; `kernels` knows those of all of them."""
    rewriters = [_Rewriter(d, kernels) for d in documents]
    shared: dict[bytes, str] = {}
    for document, rewriter in zip(documents, rewriters, strict=True):
        rewriter.scan()
        rewriter.edits += [_Edit(start, end, (name,)) for start, end, name in document.includes]
        shared |= rewriter.file_scope_shared
    return {d.path: rewriter.finish(shared) for d, rewriter in zip(documents, rewriters, strict=True)}
