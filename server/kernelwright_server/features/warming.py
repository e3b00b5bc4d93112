"""What the first save would have to wait for, started when a document is opened."""

from kernelwright_backends.core.available_devices import known
from kernelwright_backends.core.target import Dialect
from kernelwright_server.session.kernel_document import KernelDocument
from kernelwright_server.session.state import Session
from kernelwright_verifier.verifier import Verifier


def warm(session: Session, kernel: KernelDocument) -> None:
    """Start, in the background, the reference and the build of the compiler's precompiled headers."""
    if session.verifiers.has(kernel) or session.tasks.closed or not session.trust.covers(kernel.document):
        return
    session.tasks.spawn(_prepare(session, session.verifiers.of(kernel), kernel.dialect), "warming up")


async def _prepare(session: Session, verifier: Verifier, dialect: Dialect) -> None:
    await verifier.prepare()
    await session.looked_for_devices()
    device = known(dialect).target
    if device is not None:
        await verifier.prepare(device)
