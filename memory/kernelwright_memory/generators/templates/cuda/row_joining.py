"""How partial results of threads are joined: what a reduction starts from, and the device functions for warps and blocks."""

from collections.abc import Callable

from kernelwright_memory.generators.templates.cuda.emit import Lines
from kernelwright_memory.generators.templates.graph.operators import literal

Combined = Callable[[str, str, str, str], str]
"""Writes an operation of a C++ type over two operands."""

NAMES = {
    "sum": "sum",
    "prod": "product",
    "max": "largest",
    "min": "smallest",
    "argmax": "best",
    "argmin": "best",
}


def as_operand(text: str) -> str:
    """As an operand."""
    return f"({text})" if " " in text else text


def identity(operation: str, kind: str) -> str:
    if operation == "sum":
        return literal(0, kind)
    if operation == "prod":
        return literal(1, kind)
    largest = operation in ("max", "argmax")
    if kind == "bool":
        return "false" if largest else "true"
    if kind in ("float", "double"):
        return "-INFINITY" if largest else "INFINITY"
    limits = {"int64_t": "INT64", "int": "INT32", "int16_t": "INT16", "int8_t": "INT8", "uint8_t": "UINT8"}[
        kind
    ]
    if limits == "UINT8":
        return "0" if largest else "UINT8_MAX"
    return f"{limits}_{'MIN' if largest else 'MAX'}"


def take_better(lines: Lines, operation: str, name: str, other: str, other_at: str) -> None:
    """The better of two candidates; of equal ones the first."""
    better = ">" if operation == "argmax" else "<"
    lines.open(f"if ({other} {better} {name} || ({other} == {name} && {other_at} < {name}_at))")
    lines.add(f"{name} = {other};")
    lines.add(f"{name}_at = {other_at};")
    lines.close()


def _shuffle_loop(lines: Lines) -> None:
    lines.add("#pragma unroll")
    lines.open("for (int offset = 16; offset > 0; offset /= 2)")


def plain_joiner(name: str, operation: str, kind: str, combined: Combined, *, warps: bool) -> str:
    lines = Lines(0)
    scratch = f", {kind}* of_warp" if warps else ""
    lines.open(f"__device__ __forceinline__ {kind} {name}({kind} value{scratch})")
    _shuffle_loop(lines)
    shuffled = "__shfl_xor_sync(0xffffffffu, value, offset)"
    if kind == "bool":
        shuffled = "(__shfl_xor_sync(0xffffffffu, int(value), offset) != 0)"
    lines.add(f"value = {combined(operation, kind, 'value', shuffled)};")
    lines.close()
    if warps:
        lines.add("__syncthreads();  // the previous use of of_warp is over")
        lines.open("if (threadIdx.x % 32 == 0)")
        lines.add("of_warp[threadIdx.x / 32] = value;")
        lines.close()
        lines.add("__syncthreads();")
        lines.add("value = of_warp[0];")
        lines.open("for (int warp = 1; warp < blockDim.x / 32; ++warp)")
        lines.add(f"value = {combined(operation, kind, 'value', 'of_warp[warp]')};")
        lines.close()
    lines.add("return value;")
    lines.close()
    return lines.text + "\n"


def arg_joiner(name: str, operation: str, kind: str, combined: Combined, *, warps: bool) -> str:
    lines = Lines(0)
    scratch = f", {kind}* of_warp, int64_t* place_of_warp" if warps else ""
    lines.open(f"__device__ __forceinline__ void {name}({kind}& best, int64_t& best_at{scratch})")
    _shuffle_loop(lines)
    lines.add(f"const {kind} other = __shfl_xor_sync(0xffffffffu, best, offset);")
    lines.add("const int64_t other_at = __shfl_xor_sync(0xffffffffu, (long long)best_at, offset);")
    take_better(lines, operation, "best", "other", "other_at")
    lines.close()
    if warps:
        lines.add("__syncthreads();  // the previous use of of_warp is over")
        lines.open("if (threadIdx.x % 32 == 0)")
        lines.add("of_warp[threadIdx.x / 32] = best;")
        lines.add("place_of_warp[threadIdx.x / 32] = best_at;")
        lines.close()
        lines.add("__syncthreads();")
        lines.add("best = of_warp[0];")
        lines.add("best_at = place_of_warp[0];")
        lines.open("for (int warp = 1; warp < blockDim.x / 32; ++warp)")
        take_better(lines, operation, "best", "of_warp[warp]", "place_of_warp[warp]")
        lines.close()
    lines.close()
    return lines.text + "\n"
