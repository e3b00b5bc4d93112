"""The signature of a definition: name, kind, return type, parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tree_sitter import Node

from kernelwright_backends.core.finding import START_OF_FILE
from kernelwright_backends.core.kernel import Parameter
from kernelwright_backends.syntax.bodies import name_of
from kernelwright_backends.syntax.declarations import (
    Declarator,
    leaves,
    meaning,
    spell,
    spell_with,
    text_of,
    tokens_of,
    type_tokens,
    unwrap,
)


@dataclass(frozen=True)
class Signature:
    """Of one definition, by offsets from its start: true wherever the same text stands."""

    name: str
    scope: tuple[str, ...]
    name_at: tuple[int, int]
    declarator_at: tuple[int, int]
    kind: Literal["kernel", "device", "host"]
    return_type: str
    typed: bool
    """A return type stands there, or the name is one that has none (constructors, operators)."""
    template_parameters: tuple[str, ...]
    parameters: tuple[tuple[Parameter, int, int], ...]


def read_signature(
    node: Node,
    declarator: Declarator,
    template: Node | None,
    start: int,
    aliases: Mapping[str, str],
    marks: Mapping[int, frozenset[str]],
) -> Signature | None:
    """What a definition says before its body; None where what was found is no function.

    Args:
        start: where the definition begins.
        aliases: what names of types and macros stand for.
        marks: by place, the qualifiers that were blanked for the grammar.
    """
    function = declarator.function
    if declarator.name is None or function is None:
        return None
    name, scope = name_of(declarator.name)
    last = _last_name(declarator.name)
    qualifiers = _qualifiers(node, start, function.start_byte, aliases, marks)
    device: Literal["device", "host"] = "device" if "__device__" in qualifiers else "host"
    typed = node.child_by_field_name("type") is not None or bool(scope) or node.type == "ERROR"
    return Signature(
        name=name,
        scope=tuple(scope),
        name_at=(last.start_byte - start, last.end_byte - start),
        declarator_at=(function.start_byte - start, function.end_byte - start),
        kind="kernel" if "__global__" in qualifiers else device,
        return_type=_return_type(node, function),
        typed=typed or _is_special(declarator.name),
        template_parameters=_template_parameters(template),
        parameters=_parameters(function, start, aliases),
    )


def _qualifiers(
    node: Node, start: int, until: int, aliases: Mapping[str, str], marks: Mapping[int, frozenset[str]]
) -> set[str]:
    words = {
        leaf.type
        for child in node.children
        if child.start_byte < until
        for leaf in (leaves(child) if child.type not in ("function_declarator", "compound_statement") else ())
        if leaf.start_byte < until
    }
    kind = node.child_by_field_name("type")
    if kind is not None:
        replacement = aliases.get(text_of(kind), "")
        words |= set(replacement.split()) & {"__global__", "__device__", "__host__"}
    for place, meant in marks.items():
        if start <= place < until:
            words |= meant
    return words


def _return_type(node: Node, function: Node) -> str:
    trailing = next((c for c in function.children if c.type == "trailing_return_type"), None)
    if trailing is not None:
        return spell([t for t in tokens_of(trailing) if t != "->"])
    top = node.child_by_field_name("declarator") or function
    kind = node.child_by_field_name("type")
    tokens = [t for t in type_tokens(node, top) if t != "constexpr"]
    broken = next((c for c in node.children if c.type == "ERROR" and c.end_byte <= top.start_byte), None)
    if broken is not None and kind is not None and kind.end_byte <= broken.start_byte:
        tokens = tokens_of(broken)  # an unknown macro before the type was taken for the type
    return spell([*tokens, *_around(top, function)])


def _parameters(
    function: Node, start: int, aliases: Mapping[str, str]
) -> tuple[tuple[Parameter, int, int], ...]:
    node = function.child_by_field_name("parameters")
    if node is None:
        return ()
    result = []
    for child in node.named_children:
        if any(c.type == "__global__" for c in child.children):
            break  # the next kernel's head, since this one is not closed yet
        if child.type in (
            "parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration",
        ):  # fmt: skip
            parameter = _parameter(child, aliases)
            if parameter is not None:
                result.append((parameter, child.start_byte - start, child.end_byte - start))
    return tuple(result)


def _parameter(node: Node, aliases: Mapping[str, str]) -> Parameter | None:
    top = node.child_by_field_name("declarator")
    declarator = unwrap(top)
    default = node.child_by_field_name("default_value")
    tokens = type_tokens(node, top or default)
    if tokens == ["void"] and top is None:
        return None
    meant = meaning(tokens, 0 if declarator.function is not None else declarator.pointers, aliases)
    return Parameter(
        name=text_of(declarator.name) if declarator.name is not None else "",
        type=spell_with(tokens, declarator),
        range=START_OF_FILE,
        pointer=meant.pointer,
        const=meant.const,
        element=None if declarator.function is not None else meant.element,
        tensor=meant.tensor,
        stream=meant.stream,
        default=spell(tokens_of(default)) if default is not None else None,
    )


def _is_special(name: Node) -> bool:
    return name.type in ("operator_name", "destructor_name", "operator_cast", "qualified_identifier")


def _last_name(node: Node) -> Node:
    """The node of the last name: `softmax` of `ns::softmax<float>`."""
    while node.type in ("qualified_identifier", "template_function"):
        name = node.child_by_field_name("name")
        if name is None:
            break
        node = name
    return node


def _around(top: Node | None, function: Node | None) -> tuple[str, ...]:
    """The `*` and `&` between a return type and the function's declarator."""
    words: list[str] = []
    while top is not None and top != function:
        inner = top.child_by_field_name("declarator") or next(
            (c for c in top.named_children if c.type.endswith("declarator")), None
        )
        words += [
            text_of(c) for c in top.children if c != inner and c.type in ("*", "&", "&&", "type_qualifier")
        ]
        top = inner
    return tuple(words)


def _template_parameters(template: Node | None) -> tuple[str, ...]:
    if template is None:
        return ()
    return tuple(spell(tokens_of(c)) for c in template.named_children if c.type != "comment")
