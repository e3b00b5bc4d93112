"""Inserts a missing barrier."""

from collections.abc import Iterator

from tree_sitter import Node

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.fix import SuggestedFix
from kernelwright_backends.cuda.fixes.source import BODIES, LOOPS, Source, ancestors, climb
from kernelwright_backends.cuda.fixes.threads import in_branch, is_kernel, on_device

BARRIER = "__syncthreads();"


def add_barrier(source: Source, finding: Finding) -> Iterator[SuggestedFix]:
    """Between the two accesses of a race, in the innermost block around both, or at the end of the loop's body."""
    later = source.at(finding.range)
    other = next(
        (r for r in finding.related if r.path == finding.path and "allocated" not in r.message), None
    )
    if later is None or other is None or not on_device(source, later):
        return
    earlier = source.on_line(other.line, other.column)
    if earlier is None:
        return
    # A function may be called by one warp only, where the block's barrier would wait for ever.
    same_warp = bool(finding.data.get("same_warp"))
    in_warp = same_warp and not is_kernel(source, later)
    barrier = "__syncwarp();" if in_warp else BARRIER
    mine, theirs = ancestors(later), {node.id for node in ancestors(earlier)}
    meeting = next((n for n, node in enumerate(mine) if node.id in theirs), None)
    if meeting is None:
        return
    place = next((n for n in range(meeting, len(mine)) if mine[n].type in BODIES), None)
    if place is None or in_branch(source, mine[place]):
        return
    statement = mine[place - 1]
    same = meeting < place and mine[place - 1].id in theirs
    enough = (BARRIER, "__syncwarp();") if same_warp else (BARRIER,)
    if not same and not _barrier_between(source, mine[place], earlier, statement, enough):
        yield SuggestedFix(
            title=f"Insert {barrier[:-1]} before it", edits=(source.before(statement, barrier),)
        )
        return
    # Both in one statement, or a barrier stands between them already: then the next turn of the loop meets this one.
    loop = climb(statement, *LOOPS)
    while loop is not None and loop.id not in theirs:
        loop = climb(loop.parent, *LOOPS)
    if loop is None:
        # The function is called again while some threads still read what it left.
        first = next((node for node in ancestors(earlier) if node.parent == mine[place]), None)
        if first is not None and not same and not is_kernel(source, first):
            yield SuggestedFix(
                title=f"Insert {barrier[:-1]} before the stores of the next call",
                edits=(source.before(first, barrier),),
            )
        return
    body = loop.child_by_field_name("body")
    if body is None:
        return
    if body.type == "compound_statement":
        last = body.named_children[-1] if body.named_children else None
        if last is not None and not in_branch(source, body):
            yield SuggestedFix(
                title=f"Insert {barrier[:-1]} at the end of each iteration",
                edits=(source.after(last, barrier),),
            )
    else:
        indent = source.indent(loop)
        yield SuggestedFix(
            title=f"Insert {barrier[:-1]} at the end of each iteration",
            edits=(
                source.insert(body.start_byte, "{ "),
                source.insert(body.end_byte, f"\n{indent}  {barrier}\n{indent}}}"),
            ),
        )


def _barrier_between(
    source: Source, block: Node, earlier: Node, later: Node, barriers: tuple[str, ...]
) -> bool:
    return any(
        source.text(child).strip() in barriers and earlier.end_byte <= child.start_byte < later.start_byte
        for child in block.named_children
    )
