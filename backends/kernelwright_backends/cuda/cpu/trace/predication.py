"""Which branches of the traced object are none on the device: nvcc makes the instructions of a short block under a condition."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_TARGET = re.compile(r"([0-9a-f]+) ")
_ACCESS = re.compile(r"<__tsan_(?:unaligned_|volatile_)*(?:read|write)\d+")
# Up to which a block is short: instructions of x86 that are neither hooks nor moves.
_SHORT = 20
_MOVES = ("mov", "vmov", "call")

Instruction = tuple[int, str, str]
"""address, name, operands"""


def jump_target(operands: str) -> int | None:
    """Where a jump leads to; None where a register tells it."""
    found = _TARGET.match(operands)
    return int(found[1], 16) if found is not None else None


class Predicated(NamedTuple):
    """A block that another one passes by: each warp has its instructions, whether a lane of it is at work or not."""

    start: int
    """after the call of its coverage hook"""
    accesses: tuple[int, ...]
    """to memory: where their hooks return to"""


class _Short(NamedTuple):
    block: Predicated
    leads_to: int | None
    """the address that follows it"""
    may_lead_to: int | None = None
    """the address that its conditional jump at the end goes to"""


def predicated_by(
    instructions: Sequence[Instruction], place: Mapping[int, int], at: int, hooks: set[str]
) -> tuple[Predicated, ...]:
    """What the block that begins at `at` decides on, if its last instruction is a conditional jump: over a short block, to one that
    comes back, or to one of two that meet again. A block that decides likewise whether the same one is passed by is passed by
    with it.

    Args:
        place: of an address among the instructions.
        hooks: operands of the calls that count blocks.
    """
    end = next((n for n in range(at, len(instructions)) if _ends(instructions[n], hooks)), None)
    if end is None or not instructions[end][1].startswith("j") or instructions[end][1].startswith("jmp"):
        return ()
    target = jump_target(instructions[end][2])
    if target is None or target not in place or end + 1 >= len(instructions):
        return ()
    behind = instructions[end + 1][0]
    passed = _short(instructions, end + 1, hooks)
    jumped_to = _short(instructions, place[target], hooks)
    if passed is not None and target in (passed.leads_to, passed.may_lead_to):
        further = predicated_by(instructions, place, end + 2, hooks) if passed.may_lead_to is not None else ()
        return (passed.block, *further) if passed.may_lead_to is None or further else ()
    if jumped_to is not None and jumped_to.leads_to == behind:
        return (jumped_to.block,)
    if passed is None or jumped_to is None or passed.leads_to is None:
        return ()
    return (passed.block, jumped_to.block) if passed.leads_to == jumped_to.leads_to else ()


def _ends(instruction: Instruction, hooks: set[str]) -> bool:
    _, name, operands = instruction
    return name.startswith(("j", "ret", "hlt", "ud2")) or (name.startswith("call") and operands in hooks)


def _short(instructions: Sequence[Instruction], at: int, hooks: set[str]) -> _Short | None:
    """The block whose hook is called at `at`, if it is short and calls nothing but the hooks of its accesses."""
    _, name, operands = instructions[at]
    if not name.startswith("call") or operands not in hooks or at + 1 >= len(instructions):
        return None
    start, accesses, others = instructions[at + 1][0], list[int](), 0
    for number in range(at + 1, len(instructions)):
        address, name, operands = instructions[number]
        others += not name.startswith(_MOVES)
        if others > _SHORT:
            return None
        if name.startswith("call"):
            if operands in hooks:
                return _Short(Predicated(start, tuple(accesses)), address)
            if _ACCESS.search(operands) is None:
                return None
            accesses.append(instructions[number + 1][0])
        elif name.startswith("j"):
            target = jump_target(operands)
            if target is None:
                return None
            block = Predicated(start, tuple(accesses))
            return _Short(block, target) if name.startswith("jmp") else _Short(block, None, target)
        elif name.startswith(("ret", "hlt", "ud2")):
            return None
    return None
