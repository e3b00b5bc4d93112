"""The open documents that hold kernels, each with the settings that hold for it."""

from collections.abc import Iterator, Mapping
from typing import Any

from kernelwright_server.lsp.client import Client
from kernelwright_server.lsp.documents import Document, Documents
from kernelwright_server.session.kernel_document import KernelDocument
from kernelwright_server.session.settings import Settings, settings_for
from kernelwright_server.session.trust import Trust


class Kernels:
    """All open documents that hold kernels, by their address."""

    def __init__(self, client: Client, documents: Documents, trust: Trust) -> None:
        self._client = client
        self._documents = documents
        self._trust = trust
        self._open: dict[str, KernelDocument] = {}
        self._editor: dict[str, Mapping[str, Any]] = {}
        """What the client answered for its settings."""
        self._said: set[str] = set()

    def __iter__(self) -> Iterator[KernelDocument]:
        return iter(tuple(self._open.values()))

    async def of(self, document: Document) -> KernelDocument | None:
        """The kernels of an open document, with the settings of this moment; None if it holds none."""
        settings = await self.settings(document)
        if self._documents.find(document.uri) is not document:
            return None
        kernel = self._open.get(document.uri)
        if kernel is None or kernel.document is not document:
            kernel = KernelDocument.of(document, settings)
            if kernel is None:
                return None
            self._open[document.uri] = kernel
        kernel.settings = settings
        return kernel

    async def find(self, uri: str) -> KernelDocument | None:
        """The kernels of an open document by its address."""
        kernel = self._open.get(uri)
        if kernel is not None and kernel.document is self._documents.find(uri):
            return kernel
        document = self._documents.find(uri)
        return await self.of(document) if document is not None else None

    def known(self, uri: str) -> KernelDocument | None:
        """The kernels of a document that was found to hold some; nothing is read or asked for."""
        return self._open.get(uri)

    def holds(self, kernel: KernelDocument) -> bool:
        """Whether the document is still open, and the same one."""
        return self._open.get(kernel.uri) is kernel

    def close(self, uri: str) -> bool:
        """Forget a document; whether it held kernels."""
        self._editor.pop(uri, None)
        return self._open.pop(uri, None) is not None

    def forget_settings(self) -> None:
        """The client's settings changed: they are asked for again."""
        self._editor.clear()

    async def settings(self, document: Document) -> Settings:
        """The settings that hold for a document now; the user is told once of those that cannot be used."""
        if document.uri not in self._editor:
            self._editor[document.uri] = await self._client.configuration(document.uri)
        settings = settings_for(
            document.path,
            self._editor[document.uri],
            trusted=self._trust.covers_settings(document),
            workspace=self._client.workspace_of(document.path),
        )
        for mistake in settings.mistakes:
            if mistake not in self._said:
                self._said.add(mistake)
                self._client.show_warning(mistake)
        return settings
