"""Makes the update of one place by several threads atomic."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.fix import SuggestedFix
from kernelwright_backends.cuda.fixes.barrier import add_barrier
from kernelwright_backends.cuda.fixes.elements import array_of, element_type, term
from kernelwright_backends.cuda.fixes.source import Source, climb
from kernelwright_backends.cuda.fixes.threads import on_device
from kernelwright_backends.syntax.text import walk


def make_atomic(source: Source, finding: Finding) -> Iterator[SuggestedFix]:
    """Threads that count in one place: `bins[b]++` becomes `atomicAdd(&bins[b], 1)`. Else the barrier."""
    found = source.at(finding.range)
    others = [r for r in finding.related if r.path == finding.path and "allocated" not in r.message]
    if found is not None and any(r.line == finding.range.line for r in others) and on_device(source, found):
        statement = climb(found, "expression_statement", "declaration") or found
        for node in walk(statement):
            text = _as_atomic(source, node)
            if text is not None:
                yield SuggestedFix(title=f"Make it atomic: {text}", edits=(source.replace(node, text),))
                return
    if finding.code == "RACE_SHARED":
        yield from add_barrier(source, finding)


def _as_atomic(source: Source, node: Node) -> str | None:
    """The atomic operation that does what `x++`, `x--`, `x += e`, `x -= e`, `x |= e`, `x &= e` or `x ^= e` does."""
    if node.type == "update_expression":
        place = node.child_by_field_name("argument")
        operator = node.child_by_field_name("operator")
        used = node.parent is not None and node.parent.type not in ("expression_statement", "for_statement")
        if place is None or operator is None or (used and operator.start_byte < place.start_byte):
            return None
        name, value = ("atomicAdd" if operator.type == "++" else "atomicSub"), "1"
    elif node.type == "assignment_expression":
        place = node.child_by_field_name("left")
        right, operator = node.child_by_field_name("right"), node.child_by_field_name("operator")
        if place is None or right is None or operator is None:
            return None
        if node.parent is None or node.parent.type not in (
            "expression_statement",
            "if_statement",
            "for_statement",
        ):
            return None  # its value is used
        names = {"+=": "atomicAdd", "|=": "atomicOr", "&=": "atomicAnd", "^=": "atomicXor"}
        if operator.type == "-=":
            name, value = "atomicAdd", f"-{term(source, right)}"
        elif operator.type in names:
            name, value = names[operator.type], source.text(right)
        else:
            return None
    else:
        return None
    if place.type not in ("identifier", "subscript_expression", "field_expression", "pointer_expression"):
        return None
    text = source.text(place)
    # What is read beside it in the same statement may be what other threads write: then a sum alone does not help.
    array = source.text(array_of(place))
    rest = source.text(node).replace(text, "", 1)
    if re.search(rf"(?<![\w.]){re.escape(array)}\b", rest):
        return None
    if not _has_atomics(source, place, array):
        return None
    address = text[1:] if place.type == "pointer_expression" and text.startswith("*") else f"&{text}"
    return f"{name}({address}, {value})"


# Of bytes, of two bytes and of signed 64 bits the device adds nothing atomically.
_WITHOUT_ATOMICS = re.compile(
    r"(unsigned |signed )?(char|short)( int)?|bool|u?int(8|16)_t|int64_t|(signed )?long( long)?( int)?"
)


def _has_atomics(source: Source, place: Node, array: str) -> bool:
    """Whether what an array parameter holds is of a type with atomic operations; of what is never known, it may be."""
    kind = element_type(source, climb(place, "function_definition", "lambda_expression"), array)
    return kind is None or _WITHOUT_ATOMICS.fullmatch(kind) is None
