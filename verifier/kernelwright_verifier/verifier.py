"""The public face of the verifier: what the server, the command line and the agent hold."""

import asyncio
import logging
import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from kernelwright_backends.dialect import ToolchainUnavailable, dialect_of, index_of, toolchain_for
from kernelwright_backends.kernel import SourceIndex
from kernelwright_backends.target import DEFAULT_TARGETS, Target
from kernelwright_backends.toolchain import ConfinementError
from kernelwright_verifier.config import Configuration
from kernelwright_verifier.pipeline import Road, VerifyOptions, not_judged
from kernelwright_verifier.plan import Plan, make_plans
from kernelwright_verifier.processes.reference import Reference, Size, TaskError
from kernelwright_verifier.sandbox import Sandbox, SandboxChoice, open_confinement
from kernelwright_verifier.task import Candidate, Task, TaskDescription
from kernelwright_verifier.verdict import GateResult, Verdict

_LOG = logging.getLogger(__name__)


class Verifier:
    """Holds what is kept warm between verifications: the sandbox, the reference process. Close it when done.

    Verifications may run at once; at most `jobs` do.
    """

    def __init__(
        self, configuration: Configuration = Configuration(), sandbox: SandboxChoice = "auto"
    ) -> None:
        """
        Args:
            sandbox: "none" only where the user said so on the command line.
        """
        self._configuration = configuration
        self._choice: SandboxChoice = sandbox
        self._confinement: Sandbox | None = None
        self._reference: Reference | None = None
        self._starting = asyncio.Lock()
        self._turns = asyncio.Semaphore(configuration.limits.jobs or os.cpu_count() or 1)

    async def __aenter__(self) -> "Verifier":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def plan(
        self, candidate: Candidate, index: SourceIndex | None = None, target: Target | None = None
    ) -> tuple[Plan, ...]:
        """Every entry of a document; nothing is run.

        Raises:
            ValueError: the file is of no known dialect.
        """
        if index is None:
            dialect = dialect_of(candidate.path, candidate.text)
            if dialect is None:
                raise ValueError(f"{candidate.name}: neither a CUDA nor an Ascend C file")
            index = index_of(dialect, candidate.text)
        return make_plans(candidate, index, self._configuration, target)

    async def verify(
        self, plan: Plan, options: VerifyOptions = VerifyOptions()
    ) -> AsyncGenerator[GateResult | Verdict, None]:
        """Walk the gates; yields each gate's result as it comes and the verdict last. Closing the iterator stops it."""
        async with self._turns:
            try:
                reference = await self._warm()
            except ConfinementError as error:
                yield not_judged(plan, "ENV_SANDBOX", str(error))
                return
            assert self._confinement is not None
            road = Road(plan, options, self._confinement, reference, self._confinement.name)
            async with aclosing(road.walk()) as steps:
                async for step in steps:
                    yield step

    async def verdict(self, plan: Plan, options: VerifyOptions = VerifyOptions()) -> Verdict:
        """The verdict alone."""
        async for step in self.verify(plan, options):
            if isinstance(step, Verdict):
                return step
        raise AssertionError("a road ends with a verdict")

    async def describe(self, task: Task, size: Size = "auto") -> TaskDescription:
        """What the reference knows of a task.

        Raises:
            TaskError: with the findings that say why it cannot be used.
            ConfinementError: nothing here can confine the reference.
        """
        reference = await self._warm()
        return await reference.describe(task, size)

    async def prepare(self, target: Target = DEFAULT_TARGETS["cuda"]) -> None:
        """Start and build what the first verification would have to wait for. What fails here fails there again, with a
        finding that says why."""
        try:
            reference = await self._warm()
            assert self._confinement is not None
            toolchain = toolchain_for(target)
            await asyncio.gather(reference.start(), toolchain.prepare(self._confinement))
        except (ConfinementError, TaskError, ToolchainUnavailable, RuntimeError, OSError) as error:
            _LOG.info("not warmed: %s", error)

    async def close(self) -> None:
        if self._reference is not None:
            await self._reference.close()
            self._reference = None

    async def _warm(self) -> Reference:
        async with self._starting:
            if self._reference is None:
                self._confinement = await asyncio.to_thread(open_confinement, self._choice)
                interpreter = self._configuration.reference.interpreter
                self._reference = Reference(interpreter, self._confinement)
            return self._reference


def read_candidate(path: Path, name: str | None = None, *, other_encodings: bool = False) -> Candidate:
    """A candidate as it stands on disk.

    Args:
        other_encodings: take a text that is not UTF-8 as Latin-1, as older sources are; for looking at it only, since its bytes
            are not the candidate's.

    Raises:
        OSError, UnicodeDecodeError: it cannot be read.
    """
    data = path.read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        if not other_encodings or b"\0" in data:
            raise
        text = data.decode("latin-1")
    return Candidate(path=path.resolve(), text=text, name=name or str(path))
