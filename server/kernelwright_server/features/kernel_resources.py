"""What NVIDIA's compiler says that kernels take (registers, spills, shared memory): their hovers show it."""

import asyncio
import logging

from kernelwright_backends.core.registry import support_of
from kernelwright_backends.core.target import Target
from kernelwright_backends.interfaces.confinement import ConfinementError
from kernelwright_server.session.kernel_document import KernelDocument
from kernelwright_server.session.state import PAUSE_S, Session

logger = logging.getLogger(__name__)


def ask_nvcc(session: Session, kernel: KernelDocument, target: Target) -> None:
    """Ask NVIDIA's compiler, in the background and once for each text, what the kernels take."""
    candidate, index, architecture = kernel.candidate, kernel.index, target.architecture
    answered = support_of(target.dialect).second_opinion is not None
    if session.tasks.closed or not answered or not session.trust.covers(kernel.document):
        return
    if (candidate.text, architecture) in kernel.compiled:
        return
    kernel.compiled[candidate.text, architecture] = None

    async def ask() -> None:
        try:
            # Who types and points at the same time does not start a compiler for every key.
            await asyncio.sleep(PAUSE_S)
            opinion = await session.verifiers.of(kernel).opinion(candidate, index, target)
        except (ConfinementError, asyncio.CancelledError) as error:
            kernel.compiled.pop((candidate.text, architecture), None)
            if isinstance(error, asyncio.CancelledError):
                raise
            logger.info("nvcc was not run: %s", error)
            return
        kernel.note_compiled(candidate.text, architecture, opinion.kernels if opinion is not None else {})

    session.tasks.spawn(ask(), "asking nvcc", ("nvcc", kernel.uri, architecture))
