"""From CUDA C++ to C++ that g++ compiles, in as few places as possible (cuda.md section 3).

The grammar's tree says where; the text between is copied as it is. Every copied stretch remembers where it came from,
so that a place in the rewritten text is the user's own line and column again.
"""

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType

from tree_sitter import Language, Node, Parser, Tree

from kernelwright_backends.cuda.cpu import ptx
from kernelwright_backends.cuda.cpu.assembly import on_device
from kernelwright_backends.cuda.cpu.by_value import INLINED, ByValue
from kernelwright_backends.cuda.cpu.text import Lines, head_start, walk
from kernelwright_backends.cuda.cpu.uninitialised import bare_locals, has_labels, passed_by_jumps
from kernelwright_backends.cuda.cpu.unsupported import Unsupported, find_unsupported
from kernelwright_backends.syntax.blanking import blanker

# What the grammar does not know.
_prepare = blanker(
    words=(b"__grid_constant__", b"__tile_static__", b"__forceinline__", b"__noinline__", b"__managed__"),
    calls=(b"__cluster_dims__", b"__maxnreg__", b"__block_size__", b"__align__", b"alignas"),
    patterns={
        # It takes a pragma for the statement that a loop repeats, and misses one behind it.
        b"pragma": rb"#[ \t]*pragma[^\r\n]*",
        b"_Pragma": rb'_Pragma\s*\("[^"\r\n]*"\)',
        # It knows `__device__`, but not in `[=] __device__ (int i) {...}`.
        b"]": rb"(\])[ \t]*(?:__host__[ \t]*)?__device__(?=[ \t]*[({])",
        # Strings side by side with macros that take arguments: `asm("ld.global" HINT(128) " %0, [%1];" ...)`.
        b"asm": rb"(?<=\")(\s*[A-Za-z_]\w*)\([^()\"\n]*\)(?=\s*\")",
    },
)


@cache
def _parser() -> Parser:
    import tree_sitter_cuda

    return Parser(Language(tree_sitter_cuda.language()))


def parse(text: bytes, macros: Mapping[bytes, bytes] = MappingProxyType({})) -> Tree:
    """The tree of a CUDA document; its byte positions are the document's. `macros`: qualifiers by other files' names."""
    prepared = _prepare(text, macros).text
    if b"asm" in prepared:  # nvcc reads `"r"(a) "r"(b)` as if a comma stood between
        prepared = _MISSING_COMMA.sub(rb"\1,\2", _with_constraints(prepared))
    tree = _parser().parse(prepared)
    if any(child.type == "ERROR" for child in tree.root_node.children):
        without = _without_file_scope_macros(prepared)
        if without != prepared:
            prepared, tree = without, _parser().parse(without)
    if tree.root_node.has_error:
        plain = _without_macro_grammar(prepared)
        if plain != prepared:
            other = _parser().parse(plain)
            if _errors(other) < _errors(tree):
                prepared, tree = plain, other
    if tree.root_node.has_error and b"<<<" in prepared:
        without = _without_statement_macros(prepared, tree.root_node)
        if without != prepared:
            tree = _parser().parse(without)
    return tree


_MISSING_COMMA = re.compile(rb'(\))[ \t](\s*"[=+&]{0,2}[rlfdhbqn]"\s*\()')


# An operand whose constraint is a macro, `: ASM_PTR(p)`: of pointers, whose size some ask the compiler for.
_ASM = re.compile(rb"\b(?:asm|__asm__|__asm)\b\s*(?:volatile|__volatile__)?\s*\(")
_CONSTRAINT = re.compile(rb"(?<=[:,])(\s*)([A-Za-z_]\w{2,})(?=\s*\()")
_CONSTRAINT_MACRO = re.compile(
    rb'^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+("[=+&]{0,2}[rlfdhbqn]")', re.MULTILINE
)


def _with_constraints(text: bytes, document: bytes = b"") -> bytes:
    """Writes the constraints that stand behind macros into the statements, as far as the grammar is concerned.

    Of several definitions the one of 64 bits holds; a name of another file that speaks of pointers is one. `document`: where
    the definitions stand, if not in `text`.
    """
    known: dict[bytes, bytes] = {}
    for match in _CONSTRAINT_MACRO.finditer(document or text):
        if known.get(match[1]) != b'"l"':
            known[match[1]] = match[2]
    out: bytearray | None = None
    for statement in _ASM.finditer(text):
        depth, end, quoted = 1, statement.end(), False
        while end < len(text) and depth:
            if text[end] == 0x22 and text[end - 1] != 0x5C:
                quoted = not quoted
            elif not quoted:
                depth += {0x28: 1, 0x29: -1}.get(text[end], 0)
            end += 1
        for operand in _CONSTRAINT.finditer(text, statement.end(), end):
            name = operand[2]
            value = known.get(name) or (b'"l"' if b"PTR" in name and name.isupper() else None)
            if value is not None and len(value) <= len(name):
                out = out if out is not None else bytearray(text)
                out[operand.start(2) : operand.end(2)] = value.ljust(len(name))
    return bytes(out) if out is not None else text


def hidden_qualifiers(text: bytes, macros: Mapping[bytes, bytes] = MappingProxyType({})) -> frozenset[int]:
    """Where macros that stand for `__device__`, `__host__` or `__global__` were blanked for the grammar."""
    return frozenset(_prepare(text, macros).marks)


# A type as a macro's argument, `LAUNCH(float, 256);`, and a macro before a loop, `UNROLL for (...)`: the grammar has no such
# calls and statements, and its recovery may lose what follows.
_MACRO_CALL = re.compile(rb"(?<![\w.>:])[A-Z_][A-Z0-9_]{2,}[ \t]*\(")
_TYPE_ARGUMENT = re.compile(
    rb"(?<=[(,])[ \t]*((?:const[ \t]+)?(?:unsigned|signed|float|double|int|char|short|long|bool|void)\b[a-z \t]*\**)[ \t]*(?=[,)])"
)
_BEFORE_LOOP = re.compile(
    rb"(?<=\n)[ \t]*([A-Z_][A-Z0-9_]{2,}(?:\([^()\n;{}]*\))?)[ \t]*(?=\r?\n\s*(?:for|while|do)\b|(?:for|while)[ \t]*\()"
)


# `k<<<grid, block` `#ifdef SHARED` `, bytes` `#endif` `>>>(...)`: a launch of which a condition chooses parts.
_LAUNCH = re.compile(rb"<<<[^;{}]*;")
_CONDITION = re.compile(rb"(?<=\n)[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|else|endif)\b[^\r\n]*")


def _without_macro_grammar(text: bytes) -> bytes:
    """The text with types in macros' arguments made into words, and macros before loops and conditions within launches blanked;
    as long as before."""
    out = bytearray(text)
    for match in _MACRO_CALL.finditer(text):
        end = text.find(b"\n", match.end())
        for argument in _TYPE_ARGUMENT.finditer(text, match.end() - 1, end if end >= 0 else len(text)):
            out[argument.start(1) : argument.end(1)] = b"_" * len(argument[1])
    for match in _BEFORE_LOOP.finditer(text):
        out[match.start(1) : match.end(1)] = b" " * len(match[1])
    for launch in _LAUNCH.finditer(text):
        for match in _CONDITION.finditer(text, launch.start(), launch.end()):
            out[match.start() : match.end()] = b" " * len(match[0])
    return bytes(out)


def _errors(tree: Tree) -> int:
    """How much of a text its tree does not understand."""
    return sum(
        1 + node.end_byte - node.start_byte
        for node in walk(tree.root_node)
        if node.type == "ERROR" or node.is_missing
    )


# What stands before a launch on lines of its own: `PERF_BEGIN` or `TIMED("scan")`, without a semicolon.
_BEFORE_LAUNCH = re.compile(
    rb"(?<=[;{}\n])[ \t]*(?P<macro>[A-Za-z_]\w*(?:\([^()\n;{}]*\))?)[ \t]*\r?\n\s*"
    rb"(?:[A-Za-z_]\w*(?:::|\.))*[A-Za-z_]\w*(?:<[^;{}<>]*(?:<[^;{}<>]*>[^;{}<>]*)*>)?\s*<<<"
)
_STATEMENT_WORDS = frozenset((b"else", b"do", b"return", b"try"))


def _without_statement_macros(text: bytes, root: Node) -> bytes:
    """Blanks macros that stand before a launch which the grammar could not read with them."""
    read = {node.start_byte for node in walk(root) if node.type == "<<<" and _is_launch(node)}
    out = bytearray(text)
    for match in _BEFORE_LAUNCH.finditer(text):
        name = match["macro"].split(b"(", 1)[0]
        control = name in (b"if", b"for", b"while", b"switch", *_STATEMENT_WORDS)
        if match.end() - 3 not in read and not control:
            out[match.start("macro") : match.end("macro")] = b" " * len(match["macro"])
    return bytes(out)


def _is_launch(opening: Node) -> bool:
    call = opening.parent.parent if opening.parent is not None else None
    return call is not None and call.type == "call_expression" and not call.has_error


_MACRO_NAME = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+(\w+)\(", re.MULTILINE)


def _without_file_scope_macros(text: bytes) -> bytes:
    """Blanks `KERNEL(add, +)` at the start of a line, where KERNEL is a macro of this document: no grammar can read it."""
    names = set(_MACRO_NAME.findall(text))
    if not names:
        return text
    out = bytearray(text)
    for match in re.finditer(
        rb"^(" + b"|".join(map(re.escape, sorted(names))) + rb")[ \t]*\(", text, re.MULTILINE
    ):
        depth, at = 1, match.end()
        while at < len(text) and depth:
            depth += {0x28: 1, 0x29: -1}.get(text[at], 0)
            at += 1
        for place in range(match.start(), at):
            if out[place] not in b"\r\n":
                out[place] = 0x20
    return bytes(out)


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
_MACRO_OF_PRAGMA = re.compile(rb"#[ \t]*define[ \t]+\w+[ \t]+(#[ \t]*pragma\b[^\r\n]*)")
_PASTE = re.compile(rb"[ \t]*##[ \t]*")
_CAST = re.compile(rb"(?:reinterpret|static)_cast\s*<([^<>]*)>")
_NAMESPACE_SCOPE = ("translation_unit", "declaration_list", "linkage_specification")


@dataclass(frozen=True)
class _Edit:
    start: int
    end: int
    pieces: tuple[_Piece, ...]


@dataclass
class KernelShape:
    """What a launch must know of the kernel it names."""

    template_parameters: int = 0
    open_ended: bool = False  # a pack or default template arguments
    defaults: bool = False  # default arguments
    definitions: int = 0
    parameter_counts: set[int] = field(default_factory=set)  # several: overloads
    bounds: set[int | None] = field(default_factory=set)  # threads by __launch_bounds__; None: not known


class Kernels:
    """The kernels of all files that are compiled together, by name."""

    def __init__(self) -> None:
        self.by_value = ByValue()
        self._shapes: dict[str, KernelShape] = {}
        self._others: set[str] = set()  # functions that are no kernels: one may share a kernel's name
        self.member_templates: set[bytes] = set()

    def learn(self, root: Node, text: bytes) -> None:
        self.by_value.learn(root, text)
        for node in walk(root):
            if node.type not in ("function_definition", "declaration"):
                continue
            name = _function_name(node)
            if name is None:
                continue
            parent = node.parent
            if parent is not None and parent.type == "template_declaration" and _in_class(parent):
                self.member_templates.add(name.encode())
            if not any(child.type == "__global__" for child in walk_head(node)):
                self._others.add(name)
                continue
            shape = self._shapes.setdefault(name, KernelShape())
            if node.type == "function_definition":
                shape.definitions += 1
                shape.bounds.add(_launch_bound(node, text))
            declarator = _function_declarator(node)
            parameters = declarator.child_by_field_name("parameters") if declarator else None
            if parameters:
                listed = [child for child in parameters.named_children if "parameter" in child.type]
                shape.parameter_counts.add(len(listed))
                shape.defaults |= any(child.type == "optional_parameter_declaration" for child in listed)
            if parent is not None and parent.type == "template_declaration":
                head = parent.child_by_field_name("parameters")
                entries = head.named_children if head else []
                shape.template_parameters = max(
                    shape.template_parameters, sum(1 for entry in entries if entry.type != "comment")
                )
                shape.open_ended |= any(
                    entry.type.startswith(("optional_", "variadic_")) for entry in entries
                )

    def launch_bound(self, name: str) -> int | None:
        """The threads that a block of the kernel may have, where one number in the text says so."""
        shape = self._shapes.get(name)
        if shape is None or name in self._others or len(shape.bounds) != 1:
            return None
        return next(iter(shape.bounds))

    def known(self, name: str) -> bool:
        return name in self._shapes

    def any_deduced(self) -> bool:
        """May a macro be handed a kernel that only a launch's arguments tell?"""
        return any(self.deduced(name, 0) for name in self._shapes)

    def deduced(self, name: str, given: int) -> bool:
        """Must the arguments of a launch say which function `name` with `given` template arguments is?"""
        shape = self._shapes.get(name)
        if shape is None:
            return False
        if name in self._others or shape.defaults or shape.definitions > 1 or len(shape.parameter_counts) > 1:
            return True
        return shape.template_parameters > 0 and (shape.open_ended or given < shape.template_parameters)


def walk_head(node: Node) -> Iterator[Node]:
    """The specifiers of a declaration, without its declarator and body."""
    for child in node.children:
        if child.type in (
            "compound_statement",
            "function_declarator",
            "init_declarator",
            "field_declaration_list",
        ):
            continue
        yield child
        if child.type == "type_qualifier":
            yield from child.children


def _launch_bound(definition: Node, text: bytes) -> int | None:
    """Its first argument, if that is a number, or a name that the text gives one number."""
    bounds = next((child for child in walk_head(definition) if child.type == "launch_bounds"), None)
    if bounds is None or not bounds.named_children:
        return None
    spelled = bounds.named_children[0].text or b""
    head = definition.parent.child_by_field_name("parameters") if definition.parent is not None else None
    if head is not None and spelled in re.findall(rb"\w+", head.text or b""):
        return None
    if re.fullmatch(rb"[A-Za-z_]\w*", spelled):
        given = set(
            re.findall(
                rb"(?:#[ \t]*define[ \t]+" + spelled + rb"[ \t]+|\b" + spelled + rb"\s*=\s*)([^;,\n/]*)", text
            )
        )
        spelled = given.pop().strip() if len(given) == 1 else b""
    return int(spelled) if re.fullmatch(rb"[1-9][0-9]*", spelled) else None


def _in_class(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "field_declaration_list"


def _function_declarator(node: Node) -> Node | None:
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    return declarator


def _function_name(node: Node) -> str | None:
    declarator = _function_declarator(node)
    name = declarator.child_by_field_name("declarator") if declarator else None
    if name is None or name.text is None:
        return None
    return name.text.decode("utf-8", "replace").rsplit("::", 1)[-1]


def is_device_function(node: Node) -> bool:
    """Does this definition run on the device?"""
    return any(child.type in ("__global__", "__device__") for child in walk_head(node))


def enclosing_function(node: Node) -> Node | None:
    """The function definition around `node`."""
    here = node.parent
    while here is not None and here.type != "function_definition":
        here = here.parent
    return here


def _in_a_body(node: Node) -> bool:
    """Does this stand in a function's body, also where the parser lost the function around it?"""
    here = node.parent
    while here is not None:
        if here.type in ("compound_statement", "lambda_expression", "function_definition"):
            return True
        here = here.parent
    return False


def is_program_main(declarator: Node) -> bool:
    """Is this function declarator that of the program's `main`, wherever the parser's recovery put it?"""
    name, parent = declarator.child_by_field_name("declarator"), declarator.parent
    if name is None or name.text != b"main" or parent is None or parent.type != "function_definition":
        return False
    here = parent.parent
    while here is not None:
        if here.type in (
            "function_definition",
            "namespace_definition",
            "class_specifier",
            "struct_specifier",
        ):
            return False
        here = here.parent
    return True


class _Rewriter:
    def __init__(self, document: "Document", kernels: Kernels) -> None:
        self.path, self.text, self.tree, self.kernels = document.path, document.text, document.tree, kernels
        self.marks = sorted(document.marks)
        self.edits: list[_Edit] = []
        self.number = 0
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
                if base == 0 and self._is_device_code(node):
                    for argument, number in self.kernels.by_value.copied(node):
                        self._copied(node, argument, number)
            elif node.type == "assignment_expression" and base == 0:
                stored = self.kernels.by_value.stored(node)
                if stored is not None and self._is_device_code(node):
                    self._wrap(stored, "::kw::returned(")
            elif node.type == "template_method" and base == 0:
                self._member_template(node)
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
        if base == 0:
            self._noinline(text)

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
        """`smem.load<4>(x)` where the type of smem is a template's parameter: nvcc finds out without the word `template`."""
        name = node.child_by_field_name("name")
        reached = node.parent is not None and node.parent.type == "field_expression"  # no base's initialiser
        if not reached or name is None or name.text not in self.kernels.member_templates:
            return
        if self.text[: node.start_byte].rstrip().endswith(b"template"):
            return
        here: Node | None = node
        while here is not None and here.type != "template_declaration":
            here = here.parent
        if here is not None:
            self.edits.append(_Edit(node.start_byte, node.start_byte, ("template ",)))

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
            _parser().parse(_with_constraints(_prepare(wrapped).text, self.text)).root_node,
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
        spelled = text[function.start_byte : function.end_byte].decode("utf-8", "replace")
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

    def _assembly(self, node: Node, text: bytes, base: int) -> None:
        """Inline PTX: a lambda that does what it says, called with the operands where they stand."""
        if base == 0 and not on_device(node):
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
            body = self._assembly_body(node, operands, pasted)
        except ptx.PtxError as error:
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
            return
        parameters = [
            f"{'auto&' if operand.written else 'auto'} kw_given_{n}" for n, operand in enumerate(operands)
        ]
        pieces: list[_Piece] = [f"[]({', '.join(parameters)}) {{ {body} }}("]
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

    def _assembly_body(self, node: Node, operands: list[ptx.Operand], pasted: list[Node]) -> str:
        """C++ from the statement's text to its operands' new values.

        `pasted` takes the parameters of a macro that stand in the text, `"shl.b32 %0, %1, " #by ";"`: further operands.

        Raises:
            ptx.PtxError: it is not to be executed here.
        """
        code = node.child_by_field_name("assembly_code")
        template = self._assembly_text(code, len(operands), pasted) if code is not None else ""
        operands += [ptx.Operand("n") for _ in pasted]
        statements = ptx.translate(template, operands)
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
        return " ".join((*before, statements, *after))

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
        elif kinds & {"__device__", "__constant__"} and _function_declarator(node) is None:
            self._device_variable(node, text, base)
        elif base == 0 and b"__managed__" in self.text:
            self._managed_variable(node)

    def _bare_locals(self, function: Node) -> None:
        """A local that nobody initialises starts with a value that shows where it gets to."""
        body = function.child_by_field_name("body")
        declared = list(bare_locals(body)) if body is not None else []
        if body is None or not declared or has_labels(body):
            return
        for declaration, name in declared:
            plain = any(child.id == name.id for child in declaration.children)
            if plain and not passed_by_jumps(declaration, body):
                self.edits.append(_Edit(name.end_byte, name.end_byte, (" KW_UNWRITTEN",)))

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
        at_file_scope = base == 0 and not _in_a_body(node)
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
                if base == 0 and b"__managed__" in self.text[before : node.end_byte]:
                    macro = "KW_MANAGED_VARIABLE"
                self.edits.append(_Edit(base + child.start_byte, base + child.end_byte, (macro,)))
                return

    def _managed_variable(self, node: Node) -> None:
        """`__managed__` alone implies `__device__`; it is blanked for the grammar."""
        parent = node.parent.type if node.parent is not None else ""
        declarator = node.child_by_field_name("declarator")
        if declarator is None or (not parent.startswith("preproc_") and parent not in _NAMESPACE_SCOPE):
            return
        before = node.prev_sibling.end_byte if node.prev_sibling is not None else 0
        word = b"__managed__"
        at = self.text.find(word, before, declarator.start_byte)
        if at >= 0:
            self.edits.append(_Edit(at, at + len(word), ("KW_MANAGED_VARIABLE",)))

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
        out = bytearray()
        spans: list[tuple[int, int, int]] = []

        def copy(start: int, end: int, outer: _Edit | None) -> None:
            at = start
            index = 0
            inner = [e for e in edits if e.start >= start and e.end <= end and e is not outer]
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
    marks: frozenset[int] = frozenset()
    """Where macros that stand for `__device__` and its like were blanked for the grammar."""


def rewrite(documents: Sequence[Document], kernels: Kernels) -> dict[Path, Rewritten]:
    """Rewrite the files of one translation unit; `kernels` knows those of all of them."""
    rewriters = [_Rewriter(d, kernels) for d in documents]
    shared: dict[bytes, str] = {}
    for document, rewriter in zip(documents, rewriters, strict=True):
        rewriter.scan()
        rewriter.edits += [_Edit(start, end, (name,)) for start, end, name in document.includes]
        shared |= rewriter.file_scope_shared
    return {d.path: rewriter.finish(shared) for d, rewriter in zip(documents, rewriters, strict=True)}
