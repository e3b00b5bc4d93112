"""The interface of a toolchain."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from kernelwright_backends.core.kernel import SourceIndex
from kernelwright_backends.core.target import Target
from kernelwright_backends.interfaces.build import (
    BuildResult,
    CompileOptions,
    EntryCall,
)
from kernelwright_backends.interfaces.confinement import Confinement
from kernelwright_backends.interfaces.cost import CostEstimate
from kernelwright_backends.interfaces.run import (
    RunRequest,
    RunResult,
)


class Toolchain(Protocol):
    """Builds, runs and costs the candidates of one dialect on one kind of place."""

    def describe(self) -> dict[str, str]:
        """What answers here: compiler and its version, runtime version. Part of every cache key."""
        ...

    async def prepare(self, confinement: Confinement) -> None:
        """Build ahead what every candidate needs, if the cache does not hold it."""
        ...

    async def build(
        self,
        text: str,
        path: Path,
        index: SourceIndex,
        call: EntryCall | None,
        target: Target,
        confinement: Confinement,
        options: CompileOptions = CompileOptions(),
    ) -> BuildResult:
        """Compile and link. `call` None: compile only (a header, a file without a task) or, with `main`, a program."""
        ...

    async def run(
        self, built: BuildResult, request: RunRequest, target: Target, confinement: Confinement
    ) -> RunResult:
        """Run the calls in one confined process, once."""
        ...

    def cost(self, result: RunResult, target: Target, sizes: Mapping[str, Any]) -> CostEstimate:
        """Estimate the latency from the counters of a run in mode `trace`."""
        ...

    def operators_us(self, works: Sequence[tuple[float, float, bool]], target: Target) -> float | None:
        """Estimated latency of a library's operators run one launch each.

        Args:
            works: for each operator its arithmetic operations, the bytes it moves, and whether it multiplies matrices.

        Returns:
            Microseconds; None where there is no table for the chip.
        """
        ...

    def floor_us(self, moved_bytes: float, target: Target) -> float | None:
        """The least time in which the chip could move so many bytes; None where there is no table for it."""
        ...
