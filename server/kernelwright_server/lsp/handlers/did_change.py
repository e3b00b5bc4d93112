"""textDocument/didChange: the text is changed already; what it means is looked at when typing pauses."""

from lsprotocol import types

from kernelwright_server.session.state import Session


async def handle(session: Session, params: types.DidChangeTextDocumentParams) -> None:
    await session.edited(params.text_document.uri)
