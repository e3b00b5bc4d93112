"""The syntax tree of CUDA C++ text: what the grammar does not know is blanked, or written as it knows it, at the same places."""

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from tree_sitter import Language, Node, Parser, Tree

from kernelwright_backends.syntax.blanking import blanker
from kernelwright_backends.syntax.text import walk

# What the grammar does not know.
prepare = blanker(
    words=(b"__grid_constant__", b"__tile_static__", b"__forceinline__", b"__noinline__", b"__managed__"),
    calls=(
        b"__cluster_dims__",
        b"__maxnreg__",
        b"__block_size__",
        b"__align__",
        b"__CUDA_ALIGN__",
        b"alignas",
    ),
    patterns={
        # It takes a pragma for the statement that a loop repeats, and misses one after it.
        b"pragma": rb"#[ \t]*pragma[^\r\n]*",
        b"_Pragma": rb'_Pragma\s*\("[^"\r\n]*"\)',
        # It knows `__device__`, but not in `[=] __device__ (int i) {...}`.
        b"]": rb"(\])[ \t]*(?:__host__[ \t]*)?__device__(?=[ \t]*[({])",
        # Strings side by side with macros that take arguments: `asm("ld.global" HINT(128) " %0, [%1];" ...)`.
        b"asm": rb"(?<=\")(\s*[A-Za-z_]\w*)\([^()\"\n]*\)(?=\s*\")",
    },
)


@cache
def parser() -> Parser:
    import tree_sitter_cuda

    return Parser(Language(tree_sitter_cuda.language()))


def parse(text: bytes, macros: Mapping[bytes, bytes] = MappingProxyType({})) -> Tree:
    """The tree of a CUDA document; its byte positions are the document's. `macros`: qualifiers by other files' names."""
    prepared = prepare(text, macros).text
    if b"asm" in prepared:  # nvcc reads `"r"(a) "r"(b)` as if a comma stood between
        prepared = _MISSING_COMMA.sub(rb"\1,\2", with_constraints(prepared))
    tree = parser().parse(prepared)
    if any(child.type == "ERROR" for child in tree.root_node.children):
        without = _without_file_scope_macros(prepared)
        if without != prepared:
            prepared, tree = without, parser().parse(without)
    if tree.root_node.has_error:
        plain = _without_macro_grammar(prepared)
        if plain != prepared:
            other = parser().parse(plain)
            if _errors(other) < _errors(tree):
                prepared, tree = plain, other
    if tree.root_node.has_error and b"<<<" in prepared:
        without = _without_statement_macros(prepared, tree.root_node)
        if without != prepared:
            tree = parser().parse(without)
    return tree


_MISSING_COMMA = re.compile(rb'(\))[ \t](\s*"[=+&]{0,2}[rlfdhbqn]"\s*\()')


# An operand whose constraint is a macro, `: ASM_PTR(p)`: of pointers, whose size some ask the compiler for.
ASM = re.compile(rb"\b(?:asm|__asm__|__asm)\b\s*(?:volatile|__volatile__)?\s*\(")
_CONSTRAINT = re.compile(rb"(?<=[:,])(\s*)([A-Za-z_]\w{2,})(?=\s*\()")
_CONSTRAINT_MACRO = re.compile(
    rb'^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+("[=+&]{0,2}[rlfdhbqn]")', re.MULTILINE
)


def with_constraints(text: bytes, document: bytes = b"") -> bytes:
    """Writes the constraints that stand behind macros into the statements, as far as the grammar is concerned.

    Of several definitions the one of 64 bits holds; a name of another file that speaks of pointers is one. `document`: where
    the definitions stand, if not in `text`.
    """
    known: dict[bytes, bytes] = {}
    for match in _CONSTRAINT_MACRO.finditer(document or text):
        if known.get(match[1]) != b'"l"':
            known[match[1]] = match[2]
    out: bytearray | None = None
    for statement in ASM.finditer(text):
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


def hidden_qualifiers(
    text: bytes, macros: Mapping[bytes, bytes] = MappingProxyType({})
) -> Mapping[int, frozenset[str]]:
    """Where macros that stand for `__device__`, `__managed__` and their like were blanked for the grammar, and for which."""
    return prepare(text, macros).marks


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


# `SUPPRESS_WARNINGS` alone on its line, where a statement or declaration begins.
_ALONE = re.compile(rb"(?<=[;{}/])\s*\n[ \t]*([A-Z_][A-Z0-9_]{3,})[ \t]*(?=\r?\n)")


def _without_macro_grammar(text: bytes) -> bytes:
    """The text with types in macros' arguments made into words, and macros that stand alone, before loops and conditions within
    launches blanked; as long as before."""
    out = bytearray(text)
    for match in _ALONE.finditer(text):
        out[match.start(1) : match.end(1)] = b" " * len(match[1])
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
