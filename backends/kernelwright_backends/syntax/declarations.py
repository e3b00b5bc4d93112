"""Reads declarations: a parameter's type as spelled, what it points to, and its name."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from kernelwright_backends.core.kernel import ELEMENT_TYPES

_TENSOR = re.compile(r"(?:::)?(?:torch|at)::Tensor|Tensor")
_TENSORS = re.compile(r"(?<![\w:])(?:(?:::)?(?:torch|at)::)?(?:Tensor|TensorList)(?!\w)")
_OPTIONAL = re.compile(r"(?:::)?(?:c10|std|torch|at)::optional<(.*)>")
_TYPE_WORDS = re.compile(r"(?:\w|::)+(?:<.*>)?|\S")
_NOT_TYPE = frozenset(
    {"const", "volatile", "restrict", "struct", "class", "enum", "typename", "register", "constexpr"}
)
_BUILTIN_WORDS = frozenset({"unsigned", "signed", "long", "short", "int", "char", "double"})
_RESTRICT = frozenset({"__restrict__", "__restrict", "restrict"})
# Nodes that stand beside a type without being part of it.
_SPECIFIERS = frozenset(
    {
        "storage_class_specifier",
        "launch_bounds",
        "attribute_specifier",
        "attribute_declaration",
        "ms_declspec_modifier",
        "ms_call_modifier",
        "virtual",
        "explicit_function_specifier",
        "comment",
        "__global__",
        "__device__",
        "__host__",
        "__forceinline__",
        "__noinline__",
        "friend",
        "inline",
    }
)
_WRAPPERS = frozenset(
    {
        "pointer_declarator",
        "reference_declarator",
        "parenthesized_declarator",
        "array_declarator",
        "init_declarator",
        "abstract_pointer_declarator",
        "abstract_reference_declarator",
        "abstract_array_declarator",
        "abstract_parenthesized_declarator",
        "variadic_declarator",
        "attributed_declarator",
    }
)
_NAMES = frozenset(
    {
        "identifier",
        "field_identifier",
        "qualified_identifier",
        "template_function",
        "operator_name",
        "destructor_name",
        "operator_cast",
        "template_method",
    }
)


def text_of(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def leaves(node: Node) -> Iterator[Node]:
    if node.child_count == 0 or node.type in ("string_literal", "char_literal", "raw_string_literal"):
        yield node
        return
    for child in node.children:
        yield from leaves(child)


def spell(tokens: list[str]) -> str:
    """Tokens with the blanks that style asks for: `const float *`, `std::tuple<at::Tensor, at::Tensor>`."""
    result = ""
    for token in tokens:
        if result and token and _apart(result, token):
            result += " "
        result += token
    return result


def _apart(before: str, token: str) -> bool:
    last, first = before[-1], token[0]
    if _wordlike(first) and (_wordlike(last) or last in ">)*&" or before.endswith("...")):
        return True
    if first in "*&":
        return last not in "*&( "
    if token == "=":
        return last not in " <("
    return last in ",="


def _wordlike(character: str) -> bool:
    return character.isalnum() or character == "_" or character == '"'


def tokens_of(node: Node) -> list[str]:
    return [text_of(leaf) for leaf in leaves(node) if leaf.type != "comment" and not leaf.is_missing]


@dataclass(frozen=True)
class Declarator:
    """What stands around a declared name: `* const`, `[4]`, `&`."""

    name: Node | None
    before: tuple[str, ...]
    after: tuple[str, ...]
    pointers: int
    function: Node | None
    """The function_declarator, where the thing declared is a function (or a pointer to one)."""


def unwrap(node: Node | None) -> Declarator:
    """Peel a declarator down to its name."""
    before: list[str] = []
    after: list[str] = []
    pointers = 0
    function: Node | None = None
    while node is not None and node.type not in _NAMES:
        kind = node.type
        inner = node.child_by_field_name("declarator")
        if kind in ("function_declarator", "abstract_function_declarator"):
            function = function or node
        elif kind not in _WRAPPERS:
            break
        if inner is None:
            inner = next((c for c in node.named_children if c.type in _NAMES or c.type in _WRAPPERS
                          or c.type.endswith("function_declarator")), None)  # fmt: skip
        if "pointer" in kind or "array" in kind:
            pointers += 1
        behind: list[str] = []
        for child in node.children:
            if child == inner or child.type in ("comment", "attribute_specifier", "trailing_return_type"):
                continue
            if kind == "init_declarator":
                break
            words = [w for w in tokens_of(child) if w not in _RESTRICT]
            leads = child.start_byte < inner.start_byte if inner is not None else child.type != ")"
            if leads and "array" not in kind and "function" not in kind:
                before += words
            else:
                behind += words
        after = behind + after
        node = inner
    return Declarator(
        node if node is not None and node.type in _NAMES else None,
        tuple(before),
        tuple(after),
        pointers,
        function,
    )


def type_tokens(node: Node, until: Node | None) -> list[str]:
    """Tokens of a declaration's type: all before its declarator that is no storage class or attribute."""
    tokens: list[str] = []
    for child in node.children:
        if until is not None and child.start_byte >= until.start_byte:
            break
        if child.type in _SPECIFIERS or child.type in ("template_parameter_list", "="):
            continue
        tokens += [
            t for t in tokens_of(child) if t not in _RESTRICT and t not in ("__grid_constant__", "...")
        ]
    return tokens


@dataclass(frozen=True)
class TypeMeaning:
    """What a spelled type means to a task."""

    element: str | None
    const: bool
    tensor: bool
    stream: bool
    pointer: bool


def meaning(tokens: list[str], pointers: int, aliases: Mapping[str, str]) -> TypeMeaning:
    """What the type made of `tokens` means, with `pointers` levels of indirection declared after it."""
    spelled = spell([t for t in tokens if t not in _NOT_TYPE])
    const = "const" in tokens
    for _ in range(8):  # aliases of aliases; a circle ends here
        target = aliases.get(spelled)
        if target is None:
            break
        words = _TYPE_WORDS.findall(target)
        if "const" in words and "*" in words:
            const = True
        pointers += words.count("*")
        spelled = spell([w for w in words if w not in _NOT_TYPE and w != "*"])
    optional = _OPTIONAL.fullmatch(spelled)
    inner = optional[1].strip() if optional else spelled
    tensor = _TENSOR.fullmatch(inner) is not None and pointers == 0
    return TypeMeaning(
        element=None if tensor or pointers > 1 else element_of(spelled),
        const=const and pointers > 0,
        tensor=tensor,
        stream=spelled.lstrip(":") in ("cudaStream_t", "CUstream", "aclrtStream") and pointers == 0,
        pointer=pointers > 0,
    )


def element_of(spelled: str) -> str | None:
    """The task's name of a C element type; None where it is none, such as a template's T."""
    plain = spelled.strip().removeprefix("::").removeprefix("std::")
    if plain == "void":
        return "void"
    if plain in ELEMENT_TYPES:
        return ELEMENT_TYPES[plain]
    if plain.startswith("torch::"):
        return ELEMENT_TYPES.get("at::" + plain.removeprefix("torch::"))
    words = plain.split()
    if not words or not _BUILTIN_WORDS.issuperset(words):
        return None
    sign = "unsigned " if "unsigned" in words else ""
    if "char" in words:
        return ELEMENT_TYPES[("unsigned " if sign else "signed " if "signed" in words else "") + "char"]
    if "short" in words:
        return ELEMENT_TYPES[sign + "short"]
    if "double" in words:
        return "float64" if "long" not in words else None
    return ELEMENT_TYPES[sign + ("long" if "long" in words else "int")]


def spell_with(tokens: list[str], declarator: Declarator) -> str:
    """A type with what is declared around the name: `float *`, `float [4]`, `int (*)(int)`."""
    around = spell([*declarator.before, *declarator.after])
    return f"{spell(tokens)} {around}".rstrip()


def mentions_tensor(spelled: str) -> bool:
    return _TENSORS.search(spelled) is not None
