"""Templates of headers that are never instantiated: nvcc looks up the names in their bodies only then, g++ before.

A library may so hold functions that were never finished. Their bodies are left out, and whoever does instantiate one gets to hear
the compiler's own words.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tree_sitter import Node

from kernelwright_backends.core.finding import Finding, Severity
from kernelwright_backends.cuda.cpu.frontend.sources import CudaSources
from kernelwright_backends.host.edits import Rewritten
from kernelwright_backends.host.gxx_diagnostics import UNPLACED

_UNDECLARED = re.compile(r"was not declared in this scope|there are no arguments to '")


def without_bodies(sources: CudaSources, found: Sequence[Finding]) -> CudaSources | None:
    """`sources` without the bodies of those function templates of its headers that name what nothing declares.

    Args:
        found: what the compiler says of `sources`.

    Returns:
        None if an error stands anywhere else.
    """
    bodies: dict[Path, dict[int, Node]] = {}
    undeclared: set[tuple[Path, int]] = set()
    for error in (f for f in found if f.severity is Severity.ERROR):
        path = Path(error.path)
        rewritten = sources.files.get(path)
        if rewritten is None or path == sources.main or UNPLACED in error.data:
            return None
        body = _template_body(rewritten, error)
        if body is None:
            return None
        bodies.setdefault(path, {})[body.start_byte] = body
        if _UNDECLARED.search(error.message):
            undeclared.add((path, body.start_byte))
    places = {(path, start) for path, nodes in bodies.items() for start in nodes}
    if not places or places != undeclared:
        return None
    files = dict(sources.files)
    for path, nodes in bodies.items():
        for start in sorted(nodes, reverse=True):
            files[path] = _without(files[path], nodes[start])
    return replace(sources, files=files)


def _template_body(rewritten: Rewritten, error: Finding) -> Node | None:
    at = rewritten.lines.offset(error.line, error.column)
    here = rewritten.tree.root_node.descendant_for_byte_range(at, at + 1)
    while here is not None and here.type != "function_definition":
        here = here.parent
    body = here.child_by_field_name("body") if here is not None else None
    while here is not None and here.type != "template_declaration":
        here = here.parent
    return body if here is not None and body is not None and body.start_byte < at < body.end_byte else None


def _without(rewritten: Rewritten, body: Node) -> Rewritten:
    opening = _written(rewritten, body.start_byte)
    closing = _written(rewritten, body.end_byte - 1)
    if opening is None or closing is None:
        return rewritten
    lines = b"\n" * rewritten.text.count(b"\n", opening, closing)
    refusal = (
        b'{ void kw_unfinished() __attribute__((error("a template of unknown names"))); kw_unfinished(); '
    )
    made = refusal + b"__builtin_unreachable(); " + lines
    moved = len(made) - (closing - opening)
    spans = [span for span in rewritten.spans if span[0] + span[2] <= opening]
    for start, source, length in rewritten.spans:
        if start <= opening < start + length:
            spans.append((start, source, opening - start))
        if start <= closing < start + length:
            spans.append((closing + moved, source + closing - start, length - (closing - start)))
        elif start > closing:
            spans.append((start + moved, source, length))
    text = rewritten.text[:opening] + made + rewritten.text[closing:]
    return replace(rewritten, text=text, spans=spans)


def _written(rewritten: Rewritten, original: int) -> int | None:
    """Where a byte of the user's text stands in the rewritten one; None if it was not copied."""
    by_source = sorted((source, start, length) for start, source, length in rewritten.spans)
    index = bisect_right(by_source, (original, len(rewritten.text), 0)) - 1
    if index < 0:
        return None
    source, start, length = by_source[index]
    return start + original - source if original < source + length else None
