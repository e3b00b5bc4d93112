"""textDocument/signatureHelp: the forms of the Ascend C call around the place, and the argument that is being written."""

from lsprotocol import types

from kernelwright_server.session.state import Session
from kernelwright_server.views.api import api_signatures


async def handle(session: Session, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    kernel = await session.kernels.find(params.text_document.uri)
    if kernel is None:
        return None
    return api_signatures(kernel, params.position, markdown=session.client.reads_markdown)
