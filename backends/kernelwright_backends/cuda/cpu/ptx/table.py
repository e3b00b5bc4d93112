"""What each opcode becomes."""

from kernelwright_backends.cuda.cpu.ptx import (
    arithmetic,
    barriers,
    bits,
    comparisons,
    control,
    conversions,
    lanes,
    matrices,
    memory_access,
    video,
)
from kernelwright_backends.cuda.cpu.ptx.instruction import Table

TABLE: Table = {
    **arithmetic.INSTRUCTIONS,
    **barriers.INSTRUCTIONS,
    **bits.INSTRUCTIONS,
    **comparisons.INSTRUCTIONS,
    **control.INSTRUCTIONS,
    **conversions.INSTRUCTIONS,
    **lanes.INSTRUCTIONS,
    **matrices.INSTRUCTIONS,
    **memory_access.INSTRUCTIONS,
    **video.INSTRUCTIONS,
}
