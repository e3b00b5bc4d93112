"""The server under load, as an editor feels it.

    python benchmarks/editor.py [--starts 11] [--edits 400]

- Time from spawn to the answer of `initialize`, against a bare pygls server in the same run, in turns.
- `didChange` and hover on a 5,000-line file while 8 verifications run: from sending to an answer that reflects the edit.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from queue import Queue
from typing import Any

import record

_BARE = "from pygls.lsp.server import LanguageServer\nLanguageServer('bare', '1').start_io()\n"
_KERNELS = 500


class Client:
    """A language client of a few lines: what is measured is the server, not a client library."""

    def __init__(self, command: list[str], environment: dict[str, str] | None = None) -> None:
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        self._answers: dict[int, Queue[Any]] = {}
        self._number = 0
        self.notifications: list[dict[str, Any]] = []
        threading.Thread(target=self._read, daemon=True).start()

    def request(self, method: str, params: Any, timeout_s: float = 60) -> Any:
        self._number += 1
        self._answers[self._number] = Queue()
        self._send({"id": self._number, "method": method, "params": params})
        return self._answers[self._number].get(timeout=timeout_s)

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def stop(self) -> None:
        try:
            self.request("shutdown", None, 20)
            self.notify("exit", None)
            self.process.wait(10)
        except Exception:
            self.process.kill()
            self.process.wait()

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        while header := self.process.stdout.readline():
            length = 0
            while header.strip():
                if header.lower().startswith(b"content-length:"):
                    length = int(header.split(b":")[1])
                header = self.process.stdout.readline()
            message = json.loads(self.process.stdout.read(length))
            if "method" in message and "id" in message:
                self._send(
                    {
                        "id": message["id"],
                        "result": [{}] if message["method"] == "workspace/configuration" else None,
                    }
                )
            elif "method" in message:
                self.notifications.append(message)
            elif message.get("id") in self._answers:
                self._answers[message["id"]].put(message.get("result"))


def initialize(client: Client, folder: Path, *, trusted: bool) -> float:
    """Seconds from spawn to the answer."""
    client.request(
        "initialize",
        {
            "processId": os.getpid(),
            "rootUri": folder.as_uri(),
            "workspaceFolders": [{"uri": folder.as_uri(), "name": "bench"}],
            "capabilities": {
                "general": {"positionEncodings": ["utf-16"]},
                "window": {"workDoneProgress": True},
            },
            "initializationOptions": {"trusted": trusted},
        },
    )
    elapsed_s = time.perf_counter() - client.started
    client.notify("initialized", {})
    return elapsed_s


def measure_starts(folder: Path, starts: int) -> tuple[list[float], list[float]]:
    ours, bare = [], []
    for _ in range(starts):
        for command, into in (
            ([sys.executable, "-c", _BARE], bare),
            ([sys.executable, "-m", "kernelwright_server", "serve", "--stdio"], ours),
        ):
            client = Client(command)
            into.append(initialize(client, folder, trusted=False))
            client.stop()
    return ours, bare


def large_file() -> str:
    """A file of 5,000 lines: 500 kernels of 10 lines."""
    kernel = (
        "__global__ void kernel_{n}(const float* x, float* y, int n)\n{{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) {{\n        float v = x[i];\n        v = v * {n}.0f + 1.0f;\n        y[i] = v;\n    }}\n}}\n\n"
    )
    return "".join(kernel.format(n=number) for number in range(_KERNELS))


def measure_edits(folder: Path, edits: int) -> dict[str, list[float]]:
    """didChange and hover round trips while 8 verifications run."""
    client = Client([sys.executable, "-m", "kernelwright_server", "serve", "--stdio"])
    initialize(client, folder, trusted=True)
    busy = []
    for number in range(8):
        path = folder / f"busy{number}.cu"
        text = (folder / "busy.cu.txt").read_text().replace("kernelwright_busy", f"busy_{number}")
        path.write_text(text)
        client.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": path.as_uri(), "languageId": "cuda-cpp", "version": 1, "text": text}},
        )
        busy.append((path.as_uri(), text))
    path = folder / "large.cu"
    text = large_file()
    path.write_text(text)
    uri = path.as_uri()
    client.notify(
        "textDocument/didOpen",
        {"textDocument": {"uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text}},
    )
    client.request(
        "textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 18}}
    )
    found: dict[str, list[float]] = {"change_and_hover": [], "hover": []}
    saved_at = 0.0
    for number in range(edits):
        if time.perf_counter() - saved_at > 2.0:  # keep all eight jobs busy
            saved_at = time.perf_counter()
            for busy_uri, _ in busy:
                client.notify("textDocument/didSave", {"textDocument": {"uri": busy_uri}})
        line = 10 * (number * 7 % _KERNELS) + 5
        started = time.perf_counter()
        place = {"line": line, "character": 8}
        client.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": number + 2},
                "contentChanges": [{"range": {"start": place, "end": place}, "text": " "}],
            },
        )
        hover = {"textDocument": {"uri": uri}, "position": {"line": line - 5, "character": 18}}
        client.request("textDocument/hover", hover)
        found["change_and_hover"].append(time.perf_counter() - started)
        started = time.perf_counter()
        client.request("textDocument/hover", hover)
        found["hover"].append(time.perf_counter() - started)
        time.sleep(0.02)
    client.stop()
    return found


_BUSY_TASK = (
    "import torch\nN = 200000\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return torch.relu(x)\n"
    "def get_inputs():\n    return [torch.randn(N)]\ndef get_init_inputs():\n    return []\n"
)
_BUSY = (
    "// kernelwright: task=busy.py entry=run\n"
    "__global__ void kernelwright_busy(const float* x, float* y, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = x[i] > 0.0f ? x[i] : 0.0f;\n}\n"
    "void run(const float* x, float* y, int n) { kernelwright_busy<<<(n + 255) / 256, 256>>>(x, y, n); }\n"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--starts", type=int, default=11)
    parser.add_argument("--edits", type=int, default=400)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kernelwright-editor-") as scratch:
        folder = Path(scratch)
        (folder / "busy.py").write_text(_BUSY_TASK)
        (folder / "busy.cu.txt").write_text(_BUSY)
        ours, bare = measure_starts(folder, arguments.starts)
        edits = measure_edits(folder, arguments.edits)
    figures: dict[str, Any] = {
        "initialize_median_s": round(statistics.median(ours), 4),
        "bare_initialize_median_s": round(statistics.median(bare), 4),
        "initialize_ratio": round(statistics.median(ours) / statistics.median(bare), 3),
        "goal_initialize_ratio": 1.2,
        "goal_p99_ms": 20,
    }
    for name, values in edits.items():
        figures[f"{name}_p50_ms"] = round(1e3 * statistics.median(values), 2)
        figures[f"{name}_p99_ms"] = round(1e3 * record.percentile(values, 0.99), 2)
    rows = [
        {"what": "initialize_s", "ours": [round(v, 4) for v in ours], "bare": [round(v, 4) for v in bare]},
        *({"what": f"{name}_s", "values": [round(v, 5) for v in values]} for name, values in edits.items()),
    ]
    print(json.dumps(figures, indent=1))
    print("written:", record.write("editor", seed=None, figures=figures, rows=rows))


if __name__ == "__main__":
    main()
