"""Read-only documents that show what a verdict rests on, by address, for workspace/textDocumentContent."""

import itertools
from collections import OrderedDict
from urllib.parse import quote

from kernelwright_server.lsp.protocol import EVIDENCE_SCHEME

_KEPT = 32


class EvidenceDocuments:
    """The last ones that were asked for: an editor may ask again for what it still shows."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._texts: OrderedDict[str, str] = OrderedDict()

    def add(self, name: str, text: str) -> str:
        """Keep a text under a new address that ends with `name`; the address."""
        uri = f"{EVIDENCE_SCHEME}:/{next(self._numbers)}/{quote(name)}"
        self._texts[uri] = text
        while len(self._texts) > _KEPT:
            self._texts.popitem(last=False)
        return uri

    def find(self, uri: str) -> str | None:
        return self._texts.get(uri)
