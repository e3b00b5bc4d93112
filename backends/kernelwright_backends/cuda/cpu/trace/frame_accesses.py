"""Accesses of the traced object to its stack frame at places that are computed when running.

Registers cannot be indexed: what g++ still finds in the frame at such a place, nvcc may have to keep in local memory
(`local_arrays.py`). These accesses have no hook; they are found by following what the frame's address goes into.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from kernelwright_backends.cuda.cpu.trace.predication import Instruction, jump_target

_MEMORY = re.compile(r"(?:%[a-z]s:)?(-?0x[0-9a-f]+)?\(%(\w+)(?:,%(\w+)(?:,[1248])?)?\)")
_WHOLE = re.compile(r"%(r\w+|e\w+)$")
_LOST_IN_CALLS = frozenset(("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"))
_ENDS = ("ret", "retq", "hlt", "ud2")
_STEPS = ("add", "sub", "inc", "dec")
_WITHOUT_ACCESS = ("lea", "nop", "prefetch", "call", "j", "push", "pop", "ret", "bnd")
_ONLY_READS = ("cmp", "test", "vucomi", "vcomi", "bt")
_LEAVES_REGISTERS = ("cmp", "test", "j", "push", "nop", "v")
_FIXED, _MOVING = 1, 2
_WIDTHS = {"b": 1, "w": 2, "l": 4, "q": 8}
_WORD, _WIDEST = 4, 16  # bytes

# What each register, and each slot of the frame, holds of the frame's address: that of one place, or one that moves.
_Known = dict[str, int]


class FrameAccess(NamedTuple):
    how: Literal["load", "store"]
    bytes: int
    array: str
    """equal for accesses whose places differ by a known distance"""
    distance: int


def frame_accesses(instructions: Sequence[Instruction], place: Mapping[int, int]) -> dict[int, FrameAccess]:
    """By address of the instruction.

    Args:
        place: of an address among the instructions.
    """
    leaders = _leaders(instructions, place)
    if not any("(%rsp" in operands for _, _, operands in instructions):
        return {}
    states: dict[int, _Known] = {at: {} for at in leaders}
    found: dict[int, FrameAccess] = {}
    waiting = sorted(leaders, reverse=True)
    while waiting:
        at = waiting.pop()
        known = dict(states[at])
        number = at
        while number < len(instructions):
            address, name, operands = instructions[number]
            access = _access(name, operands, known)
            if access is not None:
                found[address] = access
            _follow(name, operands, known)
            number += 1
            if name.startswith("j") or name in _ENDS or number in states:
                break
        for successor in _successors(instructions, number - 1, place):
            if successor in states and _joined(states[successor], known) and successor not in waiting:
                waiting.append(successor)
    return found


def _leaders(instructions: Sequence[Instruction], place: Mapping[int, int]) -> set[int]:
    """Where runs of instructions begin that are entered at their first only."""
    leaders = {0}
    for number, (_, name, operands) in enumerate(instructions):
        if name.startswith("j"):
            target = jump_target(operands)
            if target is not None and target in place:
                leaders.add(place[target])
            leaders.add(number + 1)
        elif name in _ENDS:
            leaders.add(number + 1)
    return {at for at in leaders if at < len(instructions)}


def _successors(instructions: Sequence[Instruction], last: int, place: Mapping[int, int]) -> list[int]:
    _, name, operands = instructions[last]
    if name in _ENDS:
        return []
    found = []
    if name.startswith("j"):
        target = jump_target(operands)
        if target is not None and target in place:
            found.append(place[target])
        if name.startswith("jmp"):
            return found
    return [*found, last + 1]


def _joined(into: _Known, known: _Known) -> bool:
    """Adds what is known on one more way there; whether that was new."""
    changed = False
    for where, what in known.items():
        if into.get(where, 0) < what:
            into[where] = what
            changed = True
    return changed


def _register(name: str) -> str:
    """The one of 64 bits that it is a part of."""
    if name.startswith("e"):
        return "r" + name[1:]
    return name.rstrip("d") if name[1].isdigit() else name


def _of_address(match: re.Match[str], known: _Known) -> int:
    """Whether a place in memory is the frame's, as its base or its index says."""
    _, base, index = match.groups()
    return max(_FIXED if base == "rsp" else known.get(base, 0), known.get(index, 0))


def _access(name: str, operands: str, known: _Known) -> FrameAccess | None:
    match = _MEMORY.search(operands)
    if match is None or name.startswith(_WITHOUT_ACCESS):
        return None
    distance, base, index = match.groups()
    what = _of_address(match, known)
    if not what or (what == _FIXED and index is None):
        return None
    stores = (
        match.end() == len(operands) and "," in operands[: match.start()] and not name.startswith(_ONLY_READS)
    )
    array = f"{base},{index}"
    return FrameAccess("store" if stores else "load", _width(name, operands), array, int(distance or "0", 16))


def _width(name: str, operands: str) -> int:
    """In bytes, by the instruction's name or else its register."""
    if name.startswith("v"):
        if any(whole in name for whole in ("ups", "aps", "dq", "upd", "apd")):
            return 32 if "%ymm" in operands else 16
        return 8 if name.endswith(("sd", "q", "ps")) else 4
    if name.startswith(("movz", "movs")) and len(name) > 4:
        return _WIDTHS.get(name[4], 4)
    if name[-1] in _WIDTHS and "$" in operands:
        return _WIDTHS[name[-1]]
    register = re.search(r"%(\w+)$|^%(\w+)", operands)
    text = (register[1] or register[2]) if register else ""
    if text.startswith("e") or (text[1:2].isdigit() and text.endswith("d")):
        return 4
    if text.endswith(("l", "b")):
        return 1
    if text.endswith("w") or len(text) == 2:
        return 2
    return 8


def _follow(name: str, operands: str, known: _Known) -> None:
    """What an instruction does to registers and slots that may hold an address of the frame."""
    if name.startswith("call"):
        for register in _LOST_IN_CALLS:
            known.pop(register, None)
        return
    # Of an address in memory the comma before it, not one inside.
    comma = operands.rfind(",", 0, operands.rfind("(") if operands.endswith(")") else None)
    source, into = operands[: max(0, comma)], _slot(operands[comma + 1 :])
    if into is None:
        return
    if name.startswith("lea"):
        match = _MEMORY.search(operands)
        what = _of_address(match, known) if match is not None else 0
        _set(known, into, _MOVING if what and match is not None and match[3] else what)
    elif name in ("mov", "movq"):
        origin = _slot(source)
        _set(known, into, _FIXED if origin == "rsp" else known.get(origin or "", 0))
    elif name.rstrip("lq") in _STEPS:
        if known.get(into, 0) or known.get(_slot(source) or "", 0):
            known[into] = _MOVING
    elif not name.startswith(_LEAVES_REGISTERS):
        known.pop(into, None)


def _slot(text: str) -> str | None:
    """A register of 64 bits by its name, or a slot of the frame by where it lies; None for all else."""
    match = _WHOLE.match(text)
    if match is not None:
        return _register(match[1])
    match = _MEMORY.fullmatch(text)
    return text if match is not None and match[2] == "rsp" and match[3] is None else None


def _set(known: _Known, into: str, what: int) -> None:
    if what:
        known[into] = what
    else:
        known.pop(into, None)


class Passes(NamedTuple):
    """What the accesses of one basic block are to a warp."""

    requests: int
    words: int
    """of a thread: each takes a line of the L1, since equal words of neighbouring threads lie side by side"""
    waits: int
    """for loads: those after a store, which may have changed what they ask for, are waited for by themselves"""


def passes(accesses: Sequence[FrameAccess]) -> Passes:
    """Of accesses in the order of the program. What lies side by side in an array is asked for together."""
    requests = 0
    last: FrameAccess | None = None
    begin = 0
    for access in sorted(accesses, key=lambda a: (a.how, a.array, a.distance)):
        beside = last is not None and (access.how, access.array) == (last.how, last.array)
        if (
            last is None
            or not (beside and last.distance < access.distance <= last.distance + last.bytes)
            or (access.distance >= begin + _WIDEST)
        ):
            requests += 1
            begin = access.distance
        last = access
    waits = sum(
        access.how == "load" and (number == 0 or accesses[number - 1].how == "store")
        for number, access in enumerate(accesses)
    )
    return Passes(requests, sum(max(1, access.bytes // _WORD) for access in accesses), waits)
