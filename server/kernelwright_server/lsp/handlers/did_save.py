"""textDocument/didSave: verify the document and those that include it."""

from lsprotocol import types

from kernelwright_server.session.state import Session


async def handle(session: Session, params: types.DidSaveTextDocumentParams) -> None:
    await session.saved(params.text_document.uri)
