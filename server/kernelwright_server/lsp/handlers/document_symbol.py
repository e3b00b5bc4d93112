"""textDocument/documentSymbol: the kernels and functions of a document."""

from lsprotocol import types

from kernelwright_backends.core.finding import Range
from kernelwright_backends.core.registry import support_of
from kernelwright_server.session.state import Session
from kernelwright_server.views.diagnostics import to_range


async def handle(session: Session, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
    kernel = await session.kernels.find(params.text_document.uri)
    if kernel is None:
        return None
    index = kernel.index
    details = {
        "kernel": "__global__",
        "device": support_of(kernel.dialect).device_qualifier,
    }

    def at(place: Range) -> types.Range:
        assert kernel is not None
        return to_range(place, kernel.document)

    return [
        types.DocumentSymbol(
            name=function.qualified_name,
            detail=details.get(function.kind),
            kind=types.SymbolKind.Function,
            range=at(function.range),
            selection_range=at(function.name_range),
        )
        for function in sorted((*index.kernels, *index.functions), key=lambda f: f.start_byte)
    ]
