"""textDocument/didOpen: index the document and say what is known without running anything."""

from lsprotocol import types

from kernelwright_server.session.state import Session


async def handle(session: Session, params: types.DidOpenTextDocumentParams) -> None:
    document = session.documents.find(params.text_document.uri)
    kernel = await session.open(document) if document is not None else None
    if kernel is not None:
        session.publish(kernel)
        session.warm(kernel)
        session.recall(kernel)
