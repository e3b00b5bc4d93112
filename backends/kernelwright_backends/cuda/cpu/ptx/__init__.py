"""Inline PTX as C++: the text of an `asm` statement is parsed, each instruction becomes one expression over its registers.

What the instructions do stands in include/kernelwright/ptx.h; here is what their names and modifiers mean.
"""

from kernelwright_backends.cuda.cpu.ptx.instruction import STORAGE, PtxError
from kernelwright_backends.cuda.cpu.ptx.statements import (
    Operand,
    Registers,
    Translated,
    reads_as_ptx,
    translate,
)

__all__ = ["STORAGE", "Operand", "PtxError", "Registers", "Translated", "reads_as_ptx", "translate"]
