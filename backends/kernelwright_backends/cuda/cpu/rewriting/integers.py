"""What C++ leaves open of integers and a device defines: numbers that are too large for an integer saturate, shifts by the width
or more give nothing. This machine does otherwise, so device code asks the runtime's headers (`kernelwright/integer.h`)."""

from dataclasses import dataclass

from tree_sitter import Node

_WORDS = frozenset(b"signed unsigned char short int long const std ::".split())
_NAMES = frozenset(
    b"int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t ptrdiff_t intptr_t uintptr_t "
    b"uchar ushort uint ulong".split()
)
_SHIFTS = {b"<<": "shifted_left", b">>": "shifted_right", b"<<=": "shift_left", b">>=": "shift_right"}
_LEAST_WIDTH = 32
_NO_NUMBERS_WITH_POINT = frozenset(
    ("sizeof_expression", "char_literal", "true", "false", "null", "initializer_list")
)
_BUILT_IN = frozenset((b"threadIdx", b"blockIdx", b"blockDim", b"gridDim"))


@dataclass(frozen=True)
class Asked:
    """A function of `kw` to be called with some nodes where an expression stood; `assigned`: and its value goes to the first."""

    function: str
    arguments: tuple[Node, ...]
    assigned: bool = False


def asked(node: Node) -> Asked | None:
    """What to write for a conversion or a shift; None where the compiler's own is the device's, or `node` is neither."""
    if _continues_what_is_not_read(node):
        return None
    if node.type == "binary_expression":
        return _shift(node)
    if node.type == "assignment_expression":
        found = _shift(node)
        if found is None:
            return None
        # A reference cannot be bound to a bit-field, which only a member may be.
        target = found.arguments[0]
        if target.type not in ("identifier", "subscript_expression", "field_expression"):
            return None
        if target.type != "field_expression":
            return found
        return Asked(found.function.replace("shift_", "shifted_"), found.arguments, assigned=True)
    if node.type in ("cast_expression", "call_expression"):
        return _conversion(node)
    return None


def in_condition(node: Node) -> bool:
    """Whether an expression is one of `#if`, which calls no functions."""
    here = node
    while here.parent is not None and here.parent.type not in ("compound_statement", "translation_unit"):
        if here.parent.type.startswith("preproc_") and here.parent.child_by_field_name("condition") == here:
            return True
        here = here.parent
    return False


def _continues_what_is_not_read(node: Node) -> bool:
    """Whether more than the grammar takes for it belongs to an expression: in `decltype(x)(1) << n` it loses the type."""
    here = node
    while here.parent is not None and here.prev_sibling is None:
        here = here.parent
    before = here.prev_sibling
    return before is not None and before.type == "ERROR" and before.end_byte == node.start_byte


def _shift(node: Node) -> Asked | None:
    operator = node.child_by_field_name("operator")
    function = _SHIFTS.get(operator.text or b"") if operator is not None else None
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if function is None or left is None or right is None or node.has_error:
        return None
    if right.type == "number_literal" and _below(right.text or b"", _LEAST_WIDTH):
        return None
    if left.type == "number_literal" and right.type == "number_literal":
        return None
    return Asked(function, (left, right))


def _below(literal: bytes, bound: int) -> bool:
    try:
        return int(literal.rstrip(b"uUlL").replace(b"'", b""), 0) < bound
    except ValueError:
        return False


def _conversion(node: Node) -> Asked | None:
    kind: Node | None
    if node.type == "cast_expression":
        kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    else:
        kind, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        listed = [n for n in arguments.named_children if n.type != "comment"] if arguments is not None else []
        value = listed[0] if len(listed) == 1 else None
        if kind is not None and kind.type == "template_function":
            name, given = kind.child_by_field_name("name"), kind.child_by_field_name("arguments")
            if name is None or name.text != b"static_cast" or given is None or len(given.named_children) != 1:
                return None
            kind = given.named_children[0]
        elif kind is None or kind.type not in ("primitive_type", "sized_type_specifier"):
            return None
    if kind is None or value is None or node.has_error or _is_plainly_integral(value):
        return None
    words = (kind.text or b"").replace(b"::", b" :: ").split()
    if not words or not all(word in _WORDS or word in _NAMES for word in words):
        return None
    return Asked(f"converted<{b' '.join(words).decode()}>", (value,))


def _is_plainly_integral(value: Node) -> bool:
    while value.type == "parenthesized_expression" and len(value.named_children) == 1:
        value = value.named_children[0]
    if value.type == "number_literal":
        text = value.text or b""
        return text[:2].lower() == b"0x" or not any(sign in text for sign in b".eEfF")
    if value.type == "field_expression":
        argument = value.child_by_field_name("argument")
        return argument is not None and argument.text in _BUILT_IN
    return value.type in _NO_NUMBERS_WITH_POINT
