"""textDocument/completion: names of the Ascend C interface that fit the place."""

from lsprotocol import types

from kernelwright_server.session.state import Session
from kernelwright_server.views.api import api_completions


async def handle(session: Session, params: types.CompletionParams) -> types.CompletionList | None:
    kernel = await session.kernels.find(params.text_document.uri)
    return api_completions(kernel, params.position) if kernel is not None else None
