"""textDocument/codeLens: Draft | Refine | verdict on every kernel and host entry."""

from lsprotocol import types

from kernelwright_server.session.state import Session
from kernelwright_server.views.lenses import lenses


async def handle(session: Session, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    kernel = await session.kernels.find(params.text_document.uri)
    if kernel is None:
        return None
    running = session.jobs.find(kernel.uri, "verify") is not None
    return lenses(kernel, trusted=session.trust.covers(kernel.document), running=running)
