"""Completes masks of warp operations, and adds missing includes."""

from collections.abc import Iterator

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.fix import SuggestedFix
from kernelwright_backends.cuda.fixes.source import Source, around_or_in
from kernelwright_backends.cuda.fixes.threads import in_branch
from kernelwright_backends.syntax.text import walk

_FULL_MASK = "0xffffffff"


def name_all_lanes(source: Source, finding: Finding) -> Iterator[SuggestedFix]:
    """A literal mask that leaves callers out: all lanes call, so all lanes are named."""
    call = next(around_or_in(source.at(finding.range), "call_expression"), None)
    arguments = call.child_by_field_name("arguments") if call is not None else None
    first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    if call is None or first is None or first.type != "number_literal" or in_branch(source, call):
        return
    if source.text(first).lower().rstrip("ul") not in (_FULL_MASK, "-1"):
        yield SuggestedFix(title=f"Name all lanes: {_FULL_MASK}", edits=(source.replace(first, _FULL_MASK),))


def declare(source: Source, finding: Finding) -> Iterator[SuggestedFix]:
    """What the compiler's message misses: a header of PyTorch's, or a warp operation that is gone."""
    header = finding.data.get("header")
    if not isinstance(header, str):
        yield from _missing_mask(source, finding)
        return
    for include in source.root.named_children:
        if include.type == "preproc_include" and "torch/" in source.text(include):
            line = f"#include <{header}>\n"
            yield SuggestedFix(title=f"Include <{header}>", edits=(source.insert(include.start_byte, line),))
            return


def _missing_mask(source: Source, finding: Finding) -> Iterator[SuggestedFix]:
    """`__shfl(v, 0)` becomes `__shfl_sync(0xffffffff, v, 0)`, everywhere in the file."""
    name = finding.data.get("maskless")
    if not isinstance(name, str):
        return
    edits = []
    for node in walk(source.root):
        called = node.child_by_field_name("function") if node.type == "call_expression" else None
        arguments = node.child_by_field_name("arguments") if called is not None else None
        if called is None or arguments is None or source.text(called) != name:
            continue
        edits.append(source.replace(called, f"{name}_sync"))
        edits.append(source.insert(arguments.start_byte + 1, f"{_FULL_MASK}, "))
    if edits:
        yield SuggestedFix(title=f"Use {name}_sync with all lanes", edits=tuple(edits))
