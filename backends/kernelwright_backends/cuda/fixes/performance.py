"""Pads rows that share a bank, and writes double constants as floats."""

import re
from collections.abc import Iterator

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.fix import SuggestedFix
from kernelwright_backends.cuda.cpu.trace.slow_arithmetic import is_double_literal
from kernelwright_backends.cuda.fixes.elements import array_of, only_by_elements, row_extent
from kernelwright_backends.cuda.fixes.source import BODIES, Source, around_or_in
from kernelwright_backends.syntax.text import walk


def pad_rows(source: Source, finding: Finding) -> Iterator[SuggestedFix]:
    """`__shared__ float tile[32][32]` becomes `tile[32][32 + 1]`."""
    for subscript in around_or_in(source.at(finding.range), "subscript_expression"):
        size = row_extent(source, subscript)
        if size is not None and only_by_elements(source, subscript):
            name, text = source.text(array_of(subscript)), source.text(size)
            plain = text if re.fullmatch(r"\w+", text) else f"({text})"
            yield SuggestedFix(
                title=f"Pad the rows of {name} by one element", edits=(source.replace(size, f"{plain} + 1"),)
            )
            return


def write_floats(source: Source, finding: Finding) -> Iterator[SuggestedFix]:
    """`0.5` becomes `0.5f`, with all such constants of its statement."""
    node = source.at(finding.range)
    if node is None or node.type != "number_literal":
        return  # a macro may be used elsewhere
    statement = node
    while statement.parent is not None and statement.parent.type not in (*BODIES, "function_definition"):
        statement = statement.parent
    constants = [
        n for n in walk(statement) if n.type == "number_literal" and is_double_literal(n.text or b"")
    ]
    edits = tuple(source.insert(constant.end_byte, "f") for constant in constants)
    which = source.text(node) if len(edits) == 1 else f"{len(edits)} constants"
    yield SuggestedFix(title=f"Write {which} as float", edits=edits)
