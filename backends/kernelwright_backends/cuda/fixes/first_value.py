"""Initialises a variable that is read before it is assigned."""

from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.fix import SuggestedFix
from kernelwright_backends.cuda.fixes.barrier import add_barrier
from kernelwright_backends.cuda.fixes.elements import array_of, declared_name
from kernelwright_backends.cuda.fixes.source import Source, climb
from kernelwright_backends.syntax.text import walk


def give_first_value(source: Source, finding: Finding) -> Iterator[SuggestedFix]:
    """A local variable that is added to before it has a value gets zero; shared memory gets its barrier."""
    if "variable" in finding.data:
        declared = next((r for r in finding.related if r.path == finding.path), None)
        if declared is not None:
            yield from _begin_with_zero(source, source.on_line(declared.line, declared.column))
        return
    if finding.data.get("space") in (None, "", "shared"):
        yield from add_barrier(source, finding)
        return
    found = source.at(finding.range)
    if finding.data.get("space") != "local" or found is None:
        return
    statement = climb(found, "expression_statement") or found
    function = climb(found, "function_definition")
    stored = next((node for node in walk(statement) if node.type == "assignment_expression"), None)
    place = stored.child_by_field_name("left") if stored is not None else None
    if place is None or function is None:
        return
    name = source.text(array_of(place))
    for node in walk(function):
        if node.type != "declaration" or "extern" in source.text(node) or "__shared__" in source.text(node):
            continue
        for declarator in node.children_by_field_name("declarator"):
            array = declarator.type == "array_declarator"
            spelled = declared_name(source, declarator) if array else source.text(declarator)
            if spelled == name and declarator.type in ("identifier", "array_declarator"):
                yield from _begin_with_zero(source, declarator)
                return


def _begin_with_zero(source: Source, declared: Node | None) -> Iterator[SuggestedFix]:
    """`float sum` becomes `float sum = 0`; an array or a structure, as whose part that may be, begins with `= {}`."""
    declarator = declared
    while (
        declarator is not None
        and declarator.parent is not None
        and declarator.parent.type == "array_declarator"
    ):
        declarator = declarator.parent
    if declarator is None or declarator.parent is None or declarator.parent.type != "declaration":
        return
    kind = declarator.parent.child_by_field_name("type")
    number = kind is not None and kind.type in ("primitive_type", "sized_type_specifier")
    text = " = 0" if declarator.type == "identifier" and number else " = {}"
    yield SuggestedFix(
        title=f"Initialise with zero: {source.text(declarator)}{text}",
        edits=(source.insert(declarator.end_byte, text),),
    )
