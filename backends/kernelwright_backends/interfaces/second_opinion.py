"""What a device's own compiler says of a text that is executed elsewhere."""

from pathlib import Path
from typing import Protocol

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.core.kernel import SourceIndex
from kernelwright_backends.core.model import Model
from kernelwright_backends.core.target import Target
from kernelwright_backends.interfaces.build import CompileOptions
from kernelwright_backends.interfaces.confinement import Confinement


class Opinion(Model):
    """Of one text for one architecture."""

    version: str
    architecture: str
    findings: tuple[Finding, ...] = ()
    kernels: dict[str, dict[str, int]] = {}
    """by kernel: `registers` of a thread, bytes of `shared`, `stack` and spills, as ptxas tells them"""
    elapsed_s: float = 0.0
    headers: dict[str, str] = {}
    """the user's headers that were read, with the SHA-256 of each: with another one this says nothing any more"""


class SecondOpinion(Protocol):
    """The compiler that is asked; it needs no device."""

    async def opinion(
        self,
        content: bytes,
        path: Path,
        index: SourceIndex,
        target: Target,
        options: CompileOptions,
        confinement: Confinement,
    ) -> Opinion | None:
        """What it says for a target's chip; None where it is not installed.

        Raises:
            ConfinementError: nothing here can confine the compiler.
        """
        ...
