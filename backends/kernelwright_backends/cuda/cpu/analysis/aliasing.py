"""Which kernels say of their pointers that no store changes what is loaded through another."""

import re
from collections.abc import Sequence

from kernelwright_backends.core.finding import Range
from kernelwright_backends.core.kernel import Function, SourceIndex

_RESTRICT = re.compile(r"\b(?:__restrict__|__restrict|restrict)\b")


def kernels_apart(index: SourceIndex, text: str) -> list[str]:
    """Names of the kernels of which all pointers to constants, or all others, are `__restrict__`: nvcc then loads ahead of
    stores that come first in the source."""
    lines = text.splitlines()
    return sorted({kernel.name for kernel in index.kernels if _is_apart(kernel, lines)})


def _is_apart(kernel: Function, lines: Sequence[str]) -> bool:
    pointers = [parameter for parameter in kernel.parameters if parameter.pointer]
    loaded = [_spelled(pointer.range, lines) for pointer in pointers if pointer.const]
    stored = [_spelled(pointer.range, lines) for pointer in pointers if not pointer.const]
    return any(side and all(map(_RESTRICT.search, side)) for side in (loaded, stored))


def _spelled(at: Range, lines: Sequence[str]) -> str:
    spelled = list(lines[at.line - 1 : at.end_line])
    spelled[-1] = spelled[-1][: at.end_column - 1]
    spelled[0] = spelled[0][at.column - 1 :]
    return "\n".join(spelled)
