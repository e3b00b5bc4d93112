"""textDocument/didOpen: index the document and say what is known without running anything."""

from lsprotocol import types

from kernelwright_server.session.state import Session


async def handle(session: Session, params: types.DidOpenTextDocumentParams) -> None:
    await session.opened(params.text_document.uri)
