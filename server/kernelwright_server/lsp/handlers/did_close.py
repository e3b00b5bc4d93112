"""textDocument/didClose: stop what runs for the document and take its diagnostics away."""

from lsprotocol import types

from kernelwright_server.session.state import Session


async def handle(session: Session, params: types.DidCloseTextDocumentParams) -> None:
    session.close_document(params.text_document.uri)
