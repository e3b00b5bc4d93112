"""What a draft from a bare task begins with: a file whose directive binds, and that compiles, with nothing computed yet."""

from kernelwright_memory.generators.skeletons.arguments import Argument, arguments_of
from kernelwright_memory.generators.skeletons.bare import skeleton_of

__all__ = ["Argument", "arguments_of", "skeleton_of"]
