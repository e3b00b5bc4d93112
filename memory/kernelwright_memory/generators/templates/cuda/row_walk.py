"""Walks along a row: a loop over its elements, four at a time where they lie so, and what is the same for all of them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kernelwright_memory.generators.templates.cuda.elementwise import _BYTES, _carrier
from kernelwright_memory.generators.templates.cuda.emit import Writer, decode
from kernelwright_memory.generators.templates.cuda.row_kernel import Place, RowKernel
from kernelwright_memory.generators.templates.cuda.row_space import key_of, lies_in_fours
from kernelwright_memory.generators.templates.graph.graph import (
    ONE,
    ZERO,
    Apply,
    Expression,
    Load,
    Position,
    loads,
)
from kernelwright_memory.generators.templates.graph.operators import CPP_TYPES, computation_type, converted


@dataclass(frozen=True)
class Cache:
    """The load that is kept, and where."""

    key: tuple[Any, ...]
    name: str
    kind: str


@dataclass(frozen=True)
class Body:
    """What is done for a few neighbouring elements: before them, for each, after them."""

    begin: Callable[[Place], None]
    element: Callable[[Writer, bool], None]
    end: Callable[[Place, bool], None]


def walk(kernel: RowKernel, place: Place, expressions: list[Expression], hoisted: dict[int, str], cache: Cache | None, body: Body,
    out: str | None = None,
) -> None:  # fmt: skip
    """Loops over the row's elements: four at a time where they lie so, and one by one.

    Args:
        expressions: what `body` writes.
        out: the buffer into which `body` stores, where it stores an element for each.
    """
    lines, reduced = kernel.lines, place.reduced
    nested = kernel.nested(place.space)
    if nested:
        for axis in reduced[:-1]:
            name = place.coordinates[axis]
            extent = kernel.scope.size(place.space.shape[axis], "outer")
            start, step = "0", f"++{name}"
            if kernel.who == "part" and axis == reduced[0]:
                start, step = "part", f"{name} += {kernel.parameters['parts']}"
            lines.open(f"for (int64_t {name} = {start}; {name} < {extent}; {step})")
    inner = place.coordinates[reduced[-1]] if nested else "r"
    length = kernel.scope.size(place.space.shape[-1], "inner") if nested else kernel.length_name
    start, step = "lane", str(kernel.threads)
    if kernel.who == "part" and not nested:
        start, step = "first", str(kernel.parameters["parts"] * kernel.threads)
    carried = loads_in_fours(kernel, place, expressions)
    if carried:
        vectors = fours_of(kernel, place, length, carried, out)
        lines.open(f"for (int64_t v = {start}; v < {vectors}; v += {step})")
        body.begin(place)
        named = _load_lanes(kernel, place, carried, cache, inner)
        lines.add("#pragma unroll")
        lines.open(f"for (int l = 0; l < {kernel.vector}; ++l)")
        begin = len(lines.lines)
        writer = kernel.writer(lines, place)
        writer.know(hoisted)
        for load in (x for e in expressions for x in loads(e)):
            if key_of(load) in named:
                writer.loaded[id(load)] = converted(
                    f"{named[key_of(load)]}[l]", CPP_TYPES[load.buffer.dtype], computation_type(load.dtype)
                )
        body.element(writer, True)
        if any(re.search(rf"\b{inner}\b", line) for line in lines.lines[begin:]):
            declared = f"const int64_t {inner} = v * {kernel.vector} + l;"
            lines.lines.insert(begin, "    " * lines.depth + declared)
        lines.close()
        body.end(place, True)
        lines.close()
        start = f"{vectors} * {kernel.vector} + {start}"
    if kernel.who == "thread":
        lines.open(f"for (int64_t r = 0; r < {length}; ++r)")
    elif kernel.who == "column":
        lines.open(f"for (int64_t r = inside ? lane : {length}; r < {length}; r += {kernel.threads})")
    else:
        lines.open(f"for (int64_t {inner} = {start}; {inner} < {length}; {inner} += {step})")
    if not nested and len(reduced) > 1:
        names = [place.coordinates[a] for a in reduced]
        decode(
            lines, kernel.scope, [place.space.shape[a] for a in reduced], names, "r", [True] * len(reduced)
        )
    writer = kernel.writer(lines, place)
    writer.know(hoisted)
    _use_cache(kernel, place, writer, expressions, cache)
    body.element(writer, False)
    body.end(place, False)
    for _ in reduced[:-1] if nested else ():
        lines.close()
    lines.close()


def loads_in_fours(
    kernel: RowKernel, place: Place, expressions: list[Expression]
) -> dict[tuple[Any, ...], Load]:
    """The loads of four elements."""
    if kernel.vector == 1 or not kernel.along_rows:
        return {}
    if len(place.reduced) > 1 and not kernel.nested(place.space):
        return {}
    found = [x for e in expressions for x in loads(e)]
    return {key_of(x): x for x in found if lies_in_fours(kernel.step, place.space, x)}


def fours_of(
    kernel: RowKernel, place: Place, length: str, carried: dict[tuple[Any, ...], Load], out: str | None
) -> str:
    """Declares how many times four elements a row has, none where some row does not begin at a multiple."""
    conditions = (
        [] if kernel.rows == ONE and len(place.reduced) == 1 else [f"{length} % {kernel.vector} == 0"]
    )
    buffers = {kernel.scope.buffer(x.buffer): x.buffer.dtype for x in carried.values()}
    if out is not None:
        buffers[out] = kernel.step.target.dtype
    for name, dtype in buffers.items():
        conditions.append(
            f"reinterpret_cast<uintptr_t>({name}) % {_BYTES[CPP_TYPES[dtype]] * kernel.vector} == 0"
        )
    name = kernel.scope.fresh("vectors")
    kernel.lines.add(f"const int64_t {name} = {' && '.join(conditions)} ? {length} / {kernel.vector} : 0;")
    return name


def _load_lanes(
    kernel: RowKernel, place: Place, carried: dict[tuple[Any, ...], Load], cache: Cache | None, inner: str
) -> dict[tuple[Any, ...], str]:
    named = {}
    for key, load in carried.items():
        pointer = kernel.scope.buffer(load.buffer)
        name = kernel.scope.fresh(f"{pointer}_lanes")
        kind, carrier = CPP_TYPES[load.buffer.dtype], _carrier(load.buffer.dtype, kernel.vector)
        begin = kernel.begin_of_row(place, load.strides, load.offset)
        source = f"reinterpret_cast<const {carrier}*>({pointer}{'' if begin == '0' else f' + {begin}'})[v]"
        if cache is not None and cache.key == key:
            kept = f"reinterpret_cast<const {carrier}*>({cache.name}{stretch_begin(kernel, place, ' + ')})[v]"
            source = f"is_cached ? {kept} : {source}"
        kernel.lines.add(f"alignas({_BYTES[kind] * kernel.vector}) {kind} {name}[{kernel.vector}];")
        kernel.lines.add(f"*reinterpret_cast<{carrier}*>({name}) = {source};")
        named[key] = name
    return named


def stretch_begin(kernel: RowKernel, place: Place, sign: str) -> str:
    """Where a stretch along the innermost axis begins within its row."""
    if not kernel.nested(place.space):
        return ""
    text, *others = [place.coordinates[a] for a in place.reduced[:-1]]
    for axis, name in zip(place.reduced[1:-1], others, strict=True):
        text = f"({text} * {kernel.scope.size(place.space.shape[axis], 'outer')} + {name})"
    return f"{sign}{text} * {kernel.scope.size(place.space.shape[-1], 'inner')}"


def _use_cache(
    kernel: RowKernel, place: Place, writer: Writer, expressions: list[Expression], cache: Cache | None
) -> None:
    if cache is None:
        return
    buffer, strides, offset = cache.key
    flat = stretch_begin(kernel, place, "")
    inner = place.coordinates[place.reduced[-1]] if flat else "r"
    variable = ""
    for load in (x for e in expressions for x in loads(e)):
        if key_of(load) == cache.key:
            if not variable:
                variable = kernel.scope.fresh("element")
                kept = f"{cache.name}[{flat}{' + ' if flat else ''}{inner}]"
                source = f"is_cached ? {kept} : {kernel.scope.buffer(buffer)}[{kernel.index(place)(strides, offset)}]"
                kernel.lines.add(f"const {cache.kind} {variable} = {source};")
            writer.loaded[id(load)] = converted(variable, cache.kind, computation_type(load.dtype))


def hoist(kernel: RowKernel, expressions: list[Expression], place: Place) -> dict[int, str]:
    """What is the same all along the row is computed before the loop over it."""
    writer = kernel.writer(kernel.lines, place)
    known: dict[int, bool] = {}
    named: dict[int, str] = {}

    def constant(e: Expression) -> bool:
        if id(e) not in known:
            if isinstance(e, Apply):
                known[id(e)] = all(constant(a) for a in e.arguments)
            elif isinstance(e, Load):
                own = e.buffer.node in kernel.given
                # The rows of a column that lie outside must not be read.
                known[id(e)] = own or (
                    kernel.who != "column"
                    and not e.gathered
                    and all(e.strides[a] == ZERO for a in kernel.step.axes)
                )
            else:
                known[id(e)] = not isinstance(e, Position)
        return known[id(e)]

    def visit(e: Expression) -> None:
        if id(e) in named or not isinstance(e, Apply | Load):
            return
        if constant(e):
            if isinstance(e, Apply) or e.buffer.node not in kernel.given:
                named[id(e)] = writer.named(e, "of_row")
        elif isinstance(e, Apply):
            for argument in e.arguments:
                visit(argument)

    for expression in expressions:
        visit(expression)
    return named
