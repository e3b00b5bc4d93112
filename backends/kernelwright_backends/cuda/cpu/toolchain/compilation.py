"""What all translation units of one build are compiled and linked with."""

from dataclasses import dataclass
from pathlib import Path

from kernelwright_backends.host import gxx
from kernelwright_backends.host.places import Places
from kernelwright_backends.interfaces.build import CompileOptions
from kernelwright_backends.interfaces.confinement import Confinement


@dataclass(frozen=True)
class Compilation:
    """Of one build."""

    compiler: gxx.Compiler
    flags: tuple[str, ...]
    options: CompileOptions
    header: Path  # the folder of the precompiled prelude
    places: Places
    confinement: Confinement
    runs: bool  # the object is linked and run; the code of others is not waited for as long
