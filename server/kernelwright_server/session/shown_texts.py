"""Read-only documents by address, for workspace/textDocumentContent: what a verdict rests on, and kernels' assembly."""

import hashlib
import itertools
from collections import OrderedDict
from urllib.parse import quote

from kernelwright_server.lsp.protocol import ASSEMBLY_SCHEME, EVIDENCE_SCHEME

_TABLES_KEPT = 32
_ASSEMBLIES_KEPT = 16


class EvidenceDocuments:
    """The last ones that were asked for: an editor may ask again for what it still shows."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._texts: OrderedDict[str, str] = OrderedDict()

    def add(self, name: str, text: str) -> str:
        """Keep a text under a new address that ends with `name`; the address."""
        uri = f"{EVIDENCE_SCHEME}:/{next(self._numbers)}/{quote(name)}"
        self._texts[uri] = text
        while len(self._texts) > _TABLES_KEPT:
            self._texts.popitem(last=False)
        return uri

    def find(self, uri: str) -> str | None:
        return self._texts.get(uri)


class AssemblyDocuments:
    """What was asked for last. The same question has the same address, so that an editor's tab shows the newest answer."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, str] = OrderedDict()

    def put(self, uri: str, name: str, text: str) -> tuple[str, bool]:
        """Keep a text; its address, and whether another text stood there."""
        digest = hashlib.sha256(uri.encode()).hexdigest()[:12]
        address = f"{ASSEMBLY_SCHEME}:/{digest}/{quote(name)}"
        before = self._texts.pop(address, None)
        self._texts[address] = text
        while len(self._texts) > _ASSEMBLIES_KEPT:
            self._texts.popitem(last=False)
        return address, before not in (None, text)

    def find(self, address: str) -> str | None:
        return self._texts.get(address)
