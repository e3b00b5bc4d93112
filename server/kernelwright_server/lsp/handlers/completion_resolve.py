"""completionItem/resolve: the card of the name that is selected in the list."""

from lsprotocol import types

from kernelwright_server.session.state import Session
from kernelwright_server.views.api import documented


async def handle(session: Session, item: types.CompletionItem) -> types.CompletionItem:
    return documented(item, markdown=session.client.reads_markdown)
