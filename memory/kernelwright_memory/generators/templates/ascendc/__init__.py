"""Ascend C kernels from the operator trace of a task: the same graph and schedule as for CUDA, written with vector instructions over
tiles in the unified buffer."""

from kernelwright_memory.generators.templates.ascendc.candidate import candidate, passes
from kernelwright_memory.generators.templates.ascendc.choice import choose

__all__ = ["candidate", "choose", "passes"]
