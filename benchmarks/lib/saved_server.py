"""A language server that is saved at, and an editor around it that can be killed.

    python benchmarks/lib/saved_server.py FILE

starts a server, opens and saves FILE, says so in a line, and stays until it is killed: for `robustness/faults.py`.
"""

import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.client import Client


class Server:
    """A server in a trusted workspace that has one file open at a time."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.client = Client([sys.executable, "-m", "kernelwright_server", "serve"], environment)
        options = {"initializationOptions": {"trusted": True}}
        self.client.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}, **options})
        self.client.notify("initialized", {})
        self.uri = ""

    def save(self, path: Path) -> None:
        if self.uri:
            self.client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})
        self.uri = path.as_uri()
        item = {"uri": self.uri, "languageId": "cuda-cpp", "version": 1, "text": path.read_text()}
        self.client.notify("textDocument/didOpen", {"textDocument": item})
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": self.uri}})

    def hover(self) -> None:
        position = {"line": 0, "character": 0}
        params = {"textDocument": {"uri": self.uri}, "position": position}
        self.client.request("textDocument/hover", params, 60)

    def stop(self) -> None:
        if self.client.process.poll() is None:
            self.client.stop()
        self.client.process.wait()


def main() -> None:
    Server(dict(os.environ)).save(Path(sys.argv[1]))
    print("saved", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
