"""workspace/textDocumentContent: the text of a candidate, shown beside the document that it would change."""

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from kernelwright_server.session import Session


async def handle(
    session: Session, params: types.TextDocumentContentParams
) -> types.TextDocumentContentResult:
    offer = session.candidates.find(params.uri)
    if offer is None:
        raise JsonRpcInvalidParams("this candidate was superseded or decided already; draft or refine again")
    return types.TextDocumentContentResult(text=offer.text)
