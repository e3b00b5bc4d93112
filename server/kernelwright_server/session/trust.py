"""Whether the user trusts what is open: by the client's word, else by the user's own list."""

from kernelwright_server.lsp.client import Client
from kernelwright_server.lsp.documents import Document
from kernelwright_verifier.project.trust import is_trusted


class Trust:
    """What the client says of trust wins over the user's list; one that says nothing leaves it to that.

    Args:
        said: what the client said when it started; None if nothing.
    """

    def __init__(self, client: Client, said: bool | None) -> None:
        self._client = client
        self.said = said

    def covers(self, document: Document) -> bool:
        """Whether the document's code may be compiled and run."""
        return is_trusted(document.path) if self.said is None else self.said

    def covers_settings(self, document: Document) -> bool:
        """Whether what the files around a document name may be run or sent to: a client's trust is of what is open in it as a
        folder, not of the settings beside any file that is looked at."""
        inside = not self._client.has_folders or self._client.workspace_of(document.path) is not None
        return self.covers(document) and (inside or is_trusted(document.path))
