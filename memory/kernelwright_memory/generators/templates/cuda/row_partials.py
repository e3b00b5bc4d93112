"""Joins the partial results of the threads that compute a row."""

from functools import partial

from kernelwright_memory.generators.templates.cuda.row_joining import (
    NAMES,
    arg_joiner,
    as_operand,
    plain_joiner,
    take_better,
)
from kernelwright_memory.generators.templates.cuda.row_kernel import COLUMNS, RowKernel


def combined(kernel: RowKernel, operation: str, kind: str, a: str, b: str) -> str:
    if operation == "sum":
        return f"{a} + {b}"
    if operation == "prod":
        return f"{a} * {as_operand(b)}"
    if kind == "bool":
        return f"{a} || {as_operand(b)}" if operation == "max" else f"{a} && {as_operand(b)}"
    if kind in ("float", "double"):
        return f"{kernel.scope.function('maximum' if operation == 'max' else 'minimum', kind)}({a}, {b})"
    return f"{a} {'>' if operation == 'max' else '<'} {as_operand(b)} ? {a} : {as_operand(b)}"


def join_threads(kernel: RowKernel, operation: str, kind: str, name: str) -> None:
    """Join the threads' partial results; every thread of the row gets the whole."""
    if kernel.who == "thread":
        return
    if kernel.who in ("warp", "block", "part"):
        function = _joiner(kernel, operation, kind)
        arguments = [name, *([f"{name}_at"] if operation.startswith("arg") else [])]
        if kernel.who != "warp":
            arguments += _scratch_of(kernel, operation, kind)
        text = f"{function}({', '.join(arguments)});"
        kernel.lines.add(text if operation.startswith("arg") else f"{name} = {text}")
        return
    _join_columns(kernel, operation, kind, name)


def _scratch_of(kernel: RowKernel, operation: str, kind: str) -> list[str]:
    names = [(kind, f"{kind.replace('_t', '')}_of_warp")]
    if operation.startswith("arg"):
        names.append(("int64_t", "place_of_warp"))
    for type_text, name in names:
        declared = (type_text, f"{name}[{kernel.threads // 32}]")
        if declared not in kernel.shared:
            kernel.shared.append(declared)
    return [name for _, name in names]


def _joiner(kernel: RowKernel, operation: str, kind: str) -> str:
    """The device function that joins a warp or a block."""
    what = operation if operation.startswith("arg") else NAMES[operation]
    name = kernel.scope.function_name(
        f"{'warp' if kernel.who == 'warp' else 'block'}_{what}" + ("" if kind == "float" else f"_{kind}")
    )
    if name not in kernel.functions:
        make = arg_joiner if operation.startswith("arg") else plain_joiner
        kernel.functions[name] = make(
            name, operation, kind, partial(combined, kernel), warps=kernel.who != "warp"
        )
    return name


def _join_columns(kernel: RowKernel, operation: str, kind: str, name: str) -> None:
    lines, arg = kernel.lines, operation.startswith("arg")
    shared = kernel.scope.fresh(f"{name}_parts")
    kernel.shared.append((kind, f"{shared}[{kernel.threads}][{COLUMNS}]"))
    lines.add(f"{shared}[lane][threadIdx.x] = {name};")
    if arg:
        kernel.shared.append(("int64_t", f"{shared}_at[{kernel.threads}][{COLUMNS}]"))
        lines.add(f"{shared}_at[lane][threadIdx.x] = {name}_at;")
    lines.add("__syncthreads();")
    lines.add(f"{name} = {shared}[0][threadIdx.x];")
    if arg:
        lines.add(f"{name}_at = {shared}_at[0][threadIdx.x];")
    lines.open(f"for (int part = 1; part < {kernel.threads}; ++part)")
    if arg:
        take_better(lines, operation, name, f"{shared}[part][threadIdx.x]", f"{shared}_at[part][threadIdx.x]")
    else:
        lines.add(f"{name} = {combined(kernel, operation, kind, name, f'{shared}[part][threadIdx.x]')};")
    lines.close()
