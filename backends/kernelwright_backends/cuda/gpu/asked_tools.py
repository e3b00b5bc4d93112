"""What a user may ask of NVIDIA's checker and profiler, as `ExternalTools` has it."""

from kernelwright_backends.cuda.gpu.external_tools import find
from kernelwright_backends.cuda.gpu.sanitizing import chosen_tools

__all__ = ["chosen_tools", "find"]
