"""Where the lanes of a warp went different ways: basic blocks by the statement of the source that parted them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tree_sitter import Node

from kernelwright_backends.cuda.cpu.trace.instructions import CLASSES, CRITICAL, Mix, critical
from kernelwright_backends.host.edits import Rewritten
from kernelwright_backends.host.places import Places

# Above, a warp is taken to be busy: a reduction's last steps and the edge of a grid are no fault.
_BUSY = 0.5
_PARTING = frozenset(
    ("if_statement", "for_statement", "while_statement", "do_statement", "switch_statement", "conditional_expression")
)  # fmt: skip
_LEAVING = frozenset(("return_statement", "continue_statement", "break_statement"))


@dataclass(frozen=True)
class Executed:
    """One basic block: executions by warps and by lanes, the most of one warp, its instructions, its raw place."""

    warp: int
    lane: int
    most: int
    mix: Mix
    place: Sequence[Any]


@dataclass
class _Region:
    """What runs under a statement: `start` to `end` are the bytes whose execution it decides on."""

    statement: Node
    start: int
    end: int
    warp: float = 0.0
    lane: float = 0.0
    critical: dict[str, float] = field(default_factory=lambda: dict.fromkeys(CRITICAL, 0.0))
    instructions: dict[str, float] = field(default_factory=lambda: dict.fromkeys(CLASSES, 0.0))


def divergence(executed: Sequence[Executed], lanes: float, places: Places) -> list[dict[str, Any]]:
    """The statements under which at most half of a warp's lanes are at work, as plain data.

    Args:
        lanes: of a whole warp of the launch; fewer than 32 in a small block.
    """
    by_file: dict[Path, list[tuple[int, Executed]]] = {}
    for block in executed:
        path, line, column = block.place
        rewritten = places.files.get(Path(path))
        if rewritten is not None and line:
            by_file.setdefault(Path(path), []).append((rewritten.original_offset(line, column), block))
    found = []
    for path, blocks in by_file.items():
        rewritten = places.files[path]
        regions = _regions(rewritten, blocks, lanes)
        found += [_plain(region, rewritten, lanes) for region in regions]
    return found


def _regions(rewritten: Rewritten, blocks: Sequence[tuple[int, Executed]], lanes: float) -> list[_Region]:
    regions: dict[tuple[int, int], _Region] = {}
    for at, block in blocks:
        if block.lane > _BUSY * lanes * block.warp:
            continue
        chosen = None
        for region in _around(rewritten.tree.root_node, at):
            inside = (b for offset, b in blocks if region.start <= offset < region.end)
            if any(b.lane > _BUSY * lanes * b.warp for b in inside):
                break
            chosen = region
        if chosen is None:
            continue
        region = regions.setdefault((chosen.start, chosen.end), chosen)
        mix = block.mix
        region.warp += block.warp * mix.executed
        region.lane += block.lane * mix.executed
        for kind, count in critical(mix).items():
            region.critical[kind] += block.most * count
        for kind in CLASSES:
            region.instructions[kind] += block.warp * getattr(mix, kind)
    return [region for region in regions.values() if region.warp]


def _around(root: Node, at: int) -> Iterator[_Region]:
    """Statements that decide whether the code at `at` runs, from the inside outwards."""
    node = root.descendant_for_byte_range(at, at)
    while node is not None and node.type != "function_definition":
        parent = node.parent
        if parent is None:
            return
        if parent.type in _PARTING and node.type != "condition_clause":
            yield _Region(parent, node.start_byte, node.end_byte)
        if parent.type == "compound_statement":
            before = node.prev_named_sibling
            while before is not None:
                if before.type == "if_statement" and _leaves(before):
                    yield _Region(before, before.end_byte, parent.end_byte)
                before = before.prev_named_sibling
        node = parent


def _leaves(statement: Node) -> bool:
    """Whether some threads do not go on behind this `if`."""
    then = statement.child_by_field_name("consequence")
    if then is None or statement.child_by_field_name("alternative") is not None:
        return False
    last = then.named_children[-1] if then.type == "compound_statement" and then.named_children else then
    return last.type in _LEAVING


def _plain(region: _Region, rewritten: Rewritten, lanes: float) -> dict[str, Any]:
    node = region.statement
    condition = node.child_by_field_name("condition")
    end = condition.end_byte if condition is not None else node.end_byte
    line_end = rewritten.original.find(b"\n", node.start_byte, end)
    at = rewritten.lines.range(node.start_byte, line_end if line_end >= 0 else end)
    inside = rewritten.lines.range(region.start, region.end)
    return {
        "at": {"path": str(rewritten.path), "range": at.model_dump()},
        "inside": inside.model_dump(),
        "statement": node.type.split("_")[0],
        "share": region.lane / (lanes * region.warp),
        "lanes": region.lane / region.warp,
        "instructions": region.instructions,
        **region.critical,
    }
