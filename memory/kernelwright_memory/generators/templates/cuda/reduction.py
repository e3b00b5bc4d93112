"""Rows: reductions, softmax, normalisations and losses that reduce the same axes of one shape.

A row is all elements with the same coordinates along the kept axes. One thread, one warp, one block, or (where neighbouring
rows lie side by side) a column of a block computes it, in as many passes as its reductions need each other.
"""

from typing import Any

from kernelwright_memory.generators.templates.cuda.elementwise import _BYTES, _CARRIERS, _carrier
from kernelwright_memory.generators.templates.cuda.emit import Blocks, KernelText, SharedMemory, Writer
from kernelwright_memory.generators.templates.cuda.row_cache import fill_cache, open_cache
from kernelwright_memory.generators.templates.cuda.row_kernel import CACHE_BYTES, COLUMNS, Place, RowKernel
from kernelwright_memory.generators.templates.cuda.row_passes import reduce_level
from kernelwright_memory.generators.templates.cuda.row_space import pass_levels
from kernelwright_memory.generators.templates.cuda.row_variants import split, variants
from kernelwright_memory.generators.templates.cuda.row_walk import Body, Cache, hoist, walk
from kernelwright_memory.generators.templates.graph.graph import ZERO
from kernelwright_memory.generators.templates.graph.operators import CPP_TYPES, converted
from kernelwright_memory.generators.templates.graph.schedule import Step
from kernelwright_memory.generators.templates.graph.size import contiguous, product

__all__ = ["emit", "split", "variants"]


def emit(step: Step, parameters: dict[str, Any], prefix: str, scalars: dict[float, str]) -> KernelText:
    return _emit(RowKernel(step, parameters, prefix, scalars))


def _emit(kernel: RowKernel) -> KernelText:
    step, lines = kernel.step, kernel.lines
    kernel.length_name = kernel.scope.size(kernel.length, "columns")
    cache = open_cache(kernel) if kernel.parameters.get("cache") else None
    block, grid = _who_does_it(kernel)
    kernel.place = kernel.row_coordinates(kernel.space)
    kernel.stored_place = (
        kernel.row_coordinates(kernel.stored) if kernel.stored is not kernel.space else kernel.place
    )
    if cache:
        fill_cache(kernel, cache)
    for level in pass_levels(step, cache is not None):
        reduce_level(kernel, level, cache)
    _store_result(kernel, cache)
    shared = "".join(f"    __shared__ {kind} {name};\n" for kind, name in kernel.shared)
    memory = None
    if cache:
        count = kernel.cached_rows()
        memory = SharedMemory(
            kernel.length, _BYTES[cache.kind] * count, CACHE_BYTES // _BYTES[cache.kind] // count
        )
    return KernelText(
        kernel.prefix, kernel.scope.arguments, str(block[0] * (block[1] if len(block) > 1 else 1)), shared + lines.text,
        (*kernel.scope.functions, *kernel.functions.values()), grid, block, memory, _comment_on(kernel),
    )  # fmt: skip


def _comment_on(kernel: RowKernel) -> str:
    who = {
        "block": f"One block of {kernel.threads} threads a row",
        "warp": f"One warp a row, {kernel.parameters.get('rows')} rows a block",
        "part": f"Several blocks of {kernel.threads} threads a row, each for a part of it",
        "thread": "One thread a row; neighbouring threads read neighbouring elements",
        "column": f"{COLUMNS} rows a block, {kernel.threads} threads each; neighbouring threads read neighbouring elements",
    }[kernel.who]
    kept = ", which is kept in shared memory where it fits" if kernel.parameters.get("cache") else ""
    wide = f"; {kernel.vector} elements an access" if kernel.vector > 1 else ""
    return f"{who}{kept}{wide}."


def _who_does_it(kernel: RowKernel) -> tuple[tuple[int, ...], tuple[Blocks, ...]]:
    lines = kernel.lines
    if kernel.who == "block":
        lines.add("const int64_t row = blockIdx.x;")
        lines.add("const int lane = threadIdx.x;")
        return (kernel.threads,), (Blocks(kernel.rows),)
    if kernel.who == "part":
        parts = kernel.parameters["parts"]
        lines.add(f"const int64_t row = blockIdx.x / {parts};")
        lines.add("const int lane = threadIdx.x;")
        lines.add(f"const int part = blockIdx.x % {parts};")
        lines.add(f"const int64_t first = int64_t(part) * {kernel.threads} + lane;")
        return (kernel.threads,), (Blocks(kernel.rows * parts),)
    if kernel.who == "warp":
        count = kernel.parameters["rows"]
        lines.add("const int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;")
        lines.add("const int lane = threadIdx.x;")
        lines.open(f"if (row >= {kernel.rows_name()})")
        lines.add("return;")
        lines.close()
        return (32, count), (Blocks(kernel.rows, count),)
    if kernel.who == "thread":
        count = kernel.parameters["rows"]
        lines.add("const int64_t row = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;")
        lines.open(f"if (row >= {kernel.rows_name()})")
        lines.add("return;")
        lines.close()
        return (count,), (Blocks(kernel.rows, count),)
    lines.add(f"const int64_t row = int64_t(blockIdx.x) * {COLUMNS} + threadIdx.x;")
    lines.add("const int lane = threadIdx.y;")
    lines.add(f"const bool inside = row < {kernel.rows_name()};")
    return (COLUMNS, kernel.threads), (Blocks(kernel.rows, COLUMNS),)


def _store_result(kernel: RowKernel, cache: Cache | None) -> None:
    step, lines = kernel.step, kernel.lines
    kind = CPP_TYPES[step.target.dtype]
    if step.whole:
        _store_elements(kernel, cache)
        return
    if step.parts:
        out = kernel.scope.buffer(step.target, written=True)
        stretch = kernel.scope.size(product(step.target.shape[1:]), "results")
        lines.open("if (lane == 0)")
        for number, node in enumerate(step.nodes):
            place = "blockIdx.x" + (f" + {number} * {stretch}" if number else "")
            lines.add(f"{out}[{place}] = {converted(kernel.given[node][0], kernel.given[node][1], kind)};")
        lines.close()
        return
    guard = {"thread": None, "column": "inside && lane == 0"}.get(kernel.who, "lane == 0")
    if guard:
        lines.open(f"if ({guard})")
    writer = kernel.row_writer()
    result = writer.write(step.value.expression, kind)
    place = "blockIdx.x" if kernel.who == "part" else "row"
    lines.add(f"{kernel.scope.buffer(step.target, written=True)}[{place}] = {result};")
    if guard:
        lines.close()


def _store_elements(kernel: RowKernel, cache: Cache | None) -> None:
    step, lines, place = kernel.step, kernel.lines, kernel.stored_place
    kind = CPP_TYPES[step.target.dtype]
    out = kernel.scope.buffer(step.target, written=True)
    hoisted = hoist(kernel, [step.value.expression], place)
    own = kernel.scope.fresh(f"{out}_lanes")
    in_order = contiguous(step.space)
    wide_store = _BYTES[kind] * kernel.vector in _CARRIERS

    def begin(_: Place) -> None:
        if wide_store:
            lines.add(f"alignas({_BYTES[kind] * kernel.vector}) {kind} {own}[{kernel.vector}];")

    def element(writer: Writer, wide: bool) -> None:
        result = writer.write(step.value.expression, kind)
        to = f"{own}[l]" if wide and wide_store else f"{out}[{kernel.index(place)(in_order, ZERO)}]"
        lines.add(f"{to} = {result};")

    def end(_: Place, wide: bool) -> None:
        if wide and wide_store:
            carrier = _carrier(step.target.dtype, kernel.vector)
            begin_ = kernel.begin_of_row(place, in_order, ZERO)
            to = f"{out}{'' if begin_ == '0' else f' + {begin_}'}"
            lines.add(f"reinterpret_cast<{carrier}*>({to})[v] = *reinterpret_cast<const {carrier}*>({own});")

    walk(kernel, place, [step.value.expression], hoisted, cache, Body(begin, element, end),
        out if wide_store else None,
    )  # fmt: skip
