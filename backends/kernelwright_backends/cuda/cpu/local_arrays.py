"""Accesses of the traced object to arrays that stay in memory: those that a loop indexes which is not written out whole.

Registers cannot be indexed. What g++ still finds in the stack frame at a place that is computed when running, nvcc keeps in
local memory. Such accesses have no hook: they are found by following what the frame's address goes into.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tree_sitter import Node

from kernelwright_backends.cuda.cpu.declarations import enclosing_function
from kernelwright_backends.cuda.cpu.loops import values_known, variable_of
from kernelwright_backends.cuda.cpu.predication import Instruction, jump_target
from kernelwright_backends.cuda.cpu.text import walk

_MEMORY = re.compile(r"(?:%[a-z]s:)?(-?0x[0-9a-f]+)?\(%(\w+)(?:,%(\w+)(?:,[1248])?)?\)")
_WHOLE = re.compile(r"%(r\w+|e\w+)$")
_LOST_IN_CALLS = frozenset(("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"))
_STEPS = ("add", "sub", "inc", "dec")
_WITHOUT_ACCESS = ("lea", "nop", "prefetch", "call", "j", "push", "pop", "ret", "bnd")
_ONLY_READS = ("cmp", "test", "ucomi", "comi", "vucomi", "vcomi", "bt")
_FIXED, _MOVING = 1, 2
_WORD, _WIDEST = 4, 16
# Rounds, and words of the syntax that they come to, up to which nvcc 13.0 writes out a loop that indexes an array (its SASS: one of
# 128 rounds and 8064 words is, one of 127 and 9398 is not).
_MOST_ROUNDS, _MOST_WORDS = 128, 8700
_ASKED = re.compile(
    rb"#[ \t]*pragma[ \t]+(?:GCC[ \t]+)?unroll\b[ \t]*\(?[ \t]*(\w*)[^\n]*\n(?:\s|//[^\n]*\n)*\Z"
)
_SO_FAR = 400

# What each register, and each slot of the frame, holds of the frame's address: that of one place, or one that moves.
_Known = dict[str, int]


class LocalAccess(NamedTuple):
    how: str
    """load or store"""
    bytes: int
    array: str
    """equal for accesses whose places differ by a known distance"""
    distance: int


def local_accesses(instructions: Sequence[Instruction], place: Mapping[int, int]) -> dict[int, LocalAccess]:
    """By address of the instruction.

    Args:
        place: of an address among the instructions.
    """
    leaders = _leaders(instructions, place)
    if not any("(%rsp" in operands for _, _, operands in instructions):
        return {}
    states: dict[int, _Known] = {at: {} for at in leaders}
    found: dict[int, LocalAccess] = {}
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
            if name.startswith("j") or name in ("ret", "retq", "hlt", "ud2"):
                break
            if number in states:
                break
        successors = _successors(instructions, number - 1, place)
        for successor in successors:
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
        elif name in ("ret", "retq", "hlt", "ud2"):
            leaders.add(number + 1)
    return {at for at in leaders if at < len(instructions)}


def _successors(instructions: Sequence[Instruction], last: int, place: Mapping[int, int]) -> list[int]:
    _, name, operands = instructions[last]
    if name in ("ret", "retq", "hlt", "ud2"):
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
    return "r" + name[1:] if name.startswith("e") else name.rstrip("d") if name[1:2].isdigit() else name


def _of_frame(base: str, known: _Known) -> int:
    return _FIXED if base == "rsp" else known.get(base, 0)


def _access(name: str, operands: str, known: _Known) -> LocalAccess | None:
    match = _MEMORY.search(operands)
    if match is None or name.startswith(_WITHOUT_ACCESS):
        return None
    distance, base, index = match.groups()
    what = max(_of_frame(base, known), known.get(index, 0) if index else 0)
    moving = what == _MOVING or (what == _FIXED and index is not None)
    if not moving:
        return None
    stores = (
        match.end() == len(operands) and "," in operands[: match.start()] and not name.startswith(_ONLY_READS)
    )
    array = f"{base},{index}"
    return LocalAccess("store" if stores else "load", _width(name, operands), array, int(distance or "0", 16))


def _width(name: str, operands: str) -> int:
    if name.startswith("v"):
        if "ups" in name or "aps" in name or "dq" in name or "upd" in name or "apd" in name:
            return 32 if "%ymm" in operands else 16
        return 8 if name.endswith(("sd", "q", "ps")) else 4
    if name.startswith(("movz", "movs")) and len(name) > 4:
        return {"b": 1, "w": 2, "l": 4}.get(name[4], 4)
    if name[-1] in "bwlq" and "$" in operands:
        return {"b": 1, "w": 2, "l": 4, "q": 8}[name[-1]]
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
    source, _, target = operands.rpartition(",") if not operands.endswith(")") else _split(operands)
    into = _slot(target)
    if into is None:
        return
    if name.startswith("lea"):
        match = _MEMORY.search(operands)
        what = 0
        if match is not None:
            base, index = match[2], match[3]
            of_base, of_index = _of_frame(base, known), known.get(index, 0) if index else 0
            what = max(of_base, of_index)
            if what and index:
                what = _MOVING
        _set(known, into, what)
    elif name in ("mov", "movq"):
        origin = _slot(source)
        if origin == "rsp":
            _set(known, into, _FIXED)
        else:
            _set(known, into, known.get(origin, 0) if origin is not None else 0)
    elif name.rstrip("lq") in _STEPS:
        origin = _slot(source) if source else None
        if known.get(into, 0) or (origin is not None and known.get(origin, 0)):
            known[into] = _MOVING
    elif not name.startswith(("cmp", "test", "j", "push", "nop", "v")):
        known.pop(into, None)


def _split(operands: str) -> tuple[str, str, str]:
    at = operands.rfind(",", 0, operands.rfind("("))
    start = operands.rfind(",", 0, at + 1) if at >= 0 else -1
    return (operands[:start], ",", operands[start + 1 :]) if start >= 0 else ("", "", operands)


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
    """for loads: those behind a store, which may have changed what they ask for, are waited for by themselves"""


def passes(accesses: Sequence[LocalAccess]) -> Passes:
    """Of accesses in the order of the program. What lies side by side in an array is asked for together."""
    requests = 0
    last: LocalAccess | None = None
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


def stays_in_memory(root: Node, source: bytes, line: int) -> bool:
    """Whether a local array that this line of the source indexes cannot lie in registers: where a loop counts the index that is
    not written out whole, or no loop does.

    Args:
        line: from one.
    """
    for indexed in _indexed(root, line):
        function = enclosing_function(indexed)
        name = indexed.child_by_field_name("argument")
        while name is not None and name.type == "subscript_expression":
            name = name.child_by_field_name("argument")
        if function is None or name is None or name.text is None:
            continue
        known = _is_local_array(function, name.text) or _is_parameter(function, name.text)
        if known and _is_computed(indexed, source):
            return True
    return False


def _indexed(root: Node, line: int) -> Iterator[Node]:
    for node in walk(root):
        if node.type == "subscript_expression" and node.start_point[0] <= line - 1 <= node.end_point[0]:
            yield node


def _is_local_array(function: Node, name: bytes) -> bool:
    for node in walk(function):
        if node.type != "array_declarator":
            continue
        declared: Node | None = node
        while declared is not None and declared.type == "array_declarator":
            declared = declared.child_by_field_name("declarator")
        if declared is None or declared.text != name:
            continue
        around = node.parent
        while around is not None and around.type != "declaration":
            around = around.parent
        return around is not None and b"__shared__" not in (around.text or b"")
    return False


def _is_parameter(function: Node, name: bytes) -> bool:
    """Of a function that was inlined: what it is handed is the caller's array."""
    declared = (node for node in walk(function) if node.type == "parameter_declaration")
    return any(name in {n.text for n in walk(node) if n.type == "identifier"} for node in declared)


def _is_computed(indexed: Node, source: bytes) -> bool:
    """Whether the index is known only when running."""
    index = indexed.child_by_field_name("indices") or indexed.child_by_field_name("index")
    if index is None:
        return False
    names = {n.text for n in walk(index) if n.type == "identifier"}
    if not names:
        return False
    counted = False
    around = indexed.parent
    while around is not None and around.type != "function_definition":
        if around.type == "for_statement" and variable_of(around) in names:
            counted = True
            if _is_kept(around, source):
                return True
        around = around.parent
    return not counted


def _is_kept(loop: Node, source: bytes) -> bool:
    """Whether a loop whose rounds count an index is not written out whole."""
    values = values_known(loop, source, {})
    asked = _ASKED.search(source, max(0, loop.start_byte - _SO_FAR), loop.start_byte)
    if asked is not None and asked[1].isdigit():
        return values is None or int(asked[1]) < len(values)
    if asked is not None:
        return values is None
    if values is None or len(values) > _MOST_ROUNDS:
        return True
    words = sum(not node.children for node in walk(loop))
    return len(values) * words > _MOST_WORDS
