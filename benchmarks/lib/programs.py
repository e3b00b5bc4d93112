"""A program of a dialect, built anew for its CPU target."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelwright_backends.core.registry import index_of, toolchain_for
from kernelwright_backends.core.target import DEFAULT_TARGETS, Dialect
from kernelwright_backends.interfaces.build import BuildResult
from kernelwright_backends.interfaces.run import RunRequest, RunResult
from kernelwright_verifier.sandbox import open_confinement


@dataclass(frozen=True, slots=True)
class Program:
    """What was built, and what runs it."""

    built: BuildResult
    dialect: Dialect
    toolchain: Any
    confinement: Any

    @property
    def build_s(self) -> float:
        return round(sum(self.built.elapsed_s.values()), 3)

    async def run(self, request: RunRequest) -> RunResult:
        """One run in the sandbox, which must end well and find nothing."""
        target = DEFAULT_TARGETS[self.dialect]
        result = await self.toolchain.run(self.built, request, target, self.confinement)
        assert result.status == "ok" and not result.findings, (result.status, result.message, result.findings)
        return result


async def built_anew(path: Path, dialect: Dialect) -> Program:
    """Build a text that no cache holds: the file's, and a comment of its own."""
    target = DEFAULT_TARGETS[dialect]
    text = path.read_text(encoding="utf-8")
    confinement = open_confinement()
    toolchain = toolchain_for(target)
    await toolchain.prepare(confinement)
    marked = f"// {time.time_ns()}\n{text}"
    built = await toolchain.build(marked, path, index_of(dialect, text), None, target, confinement)
    assert built.object is not None, built.findings
    return Program(built, dialect, toolchain, confinement)
